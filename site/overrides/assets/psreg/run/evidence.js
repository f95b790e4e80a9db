// The evidence of a run: a file that the review of a registry accepts beside a released version.

import { transcript } from "./conversation.js";
import { button, download, make } from "./shown.js";

// Files of a version folder have no more (rule REG023).
const LARGEST = 262_144;

let listening = false;

// Shows the section about the evidence of a `run`, which has the prompt and the session.
export function showEvidence(section, run) {
  section.hidden = !run.session.answers.length;
  const fields = section.querySelector("form").elements;
  if (run.session.model) fields.answered.value = run.session.model;
  else fields.answered.value ||= run.session.settings.model ?? "";
  section.querySelector(".ps-run__next").hidden = true;
  for (const option of fields.result.options) option.disabled = option.value === "pass" && run.session.isCut;
  if (fields.result.selectedOptions[0]?.disabled) fields.result.value = "";
  if (listening) return;
  listening = true;
  section.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    give(section, fields, run);
  });
}

function give(section, fields, run) {
  const told = section.querySelector(".ps-run__missing");
  const [missing, why] = firstMissing(fields);
  told.textContent = why;
  if (missing) {
    missing.focus();
    return;
  }
  const day = new Date().toISOString().slice(0, 10);
  const { prompt, session } = run;
  const about = {
    artifact: prompt.path.split("/").at(-1),
    sha256: prompt.sha256,
    platform: fields.platform.value,
    model: fields.answered.value.trim(),
    day,
    result: fields.result.value,
    notes: fields.notes.value.trim(),
  };
  const text = transcript(session, about);
  if (session.endpoint.reveals(text)) {
    told.textContent = "The key is in this conversation. Take back what contains it.";
    return;
  }
  const name = `${about.platform}-${day}.jsonl`;
  download(name, text);
  run.saved = true;
  const size = new TextEncoder().encode(text).length;
  if (size > LARGEST) told.textContent = `The file has ${size.toLocaleString("en")} bytes; a registry takes ${LARGEST.toLocaleString("en")}.`;
  tellNext(section.querySelector(".ps-run__next"), prompt, name);
}

// Returns the first field that has to be filled in, and what to say about it.
function firstMissing({ platform, answered, result, notes }) {
  if (!platform.value) return [platform, "Choose the platform on which it ran."];
  if (!answered.value.trim()) return [answered, "Write the model’s own name."];
  if (!result.value) return [result, "Choose the result."];
  if (result.value !== "pass" && !notes.value.trim()) return [notes, "Say in a sentence what did not work."];
  return [null, ""];
}

// Says what to do with the file: judging it stays with psreg.
function tellNext(next, { path, protocols }, name) {
  const folder = path.slice(0, path.lastIndexOf("/"));
  const file = `${folder}/evidence/${name}`;
  const judged = Object.entries(protocols).map(([name, version]) => `psreg transcript ${file} --protocol ${name}@${version}`);
  next.replaceChildren(
    make("p", "Read the file: it contains what you typed. Save it in the repository of the registry as"),
    line(file, "Copy the path", "ps-command--path"),
    make("p", "Check it there, and open a pull request with this one file:"),
    ...[...judged, `psreg check ${folder}`].map((command) => line(command, "Copy the command", "")),
  );
  next.hidden = false;
}

function line(text, label, className) {
  const made = make("div", "", `ps-command ${className}`);
  made.append(make("code", text), button(label, "ps-copy"));
  return made;
}
