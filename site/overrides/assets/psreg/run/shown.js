// Texts from prompts and endpoints as a page may show them, and what to do when a request failed.

import { visible as asShown } from "../visible.js";

const MOST_SHOWN = 200_000;

// Returns a text as the pages show it, and a very long one cut.
export function visible(text) {
  return asShown(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
}

// Shows an error with what to do about it, and the part of the page that explains it for this server.
export function explain(place, error, server) {
  place.replaceChildren();
  if (!error) return;
  const said = make("p", visible(error.message));
  if (error.hint) said.append(`. ${error.hint}`);
  place.append(said);
  const anchor = error.help === "cors" ? server || "other-server" : error.help;
  let part = document.getElementById(anchor);
  if (!part) return;
  place.append(make("h3", part.firstChild.textContent.trim()));
  for (part = part.nextElementSibling; part && !/^H[23]$/.test(part.tagName); part = part.nextElementSibling) {
    place.append(part.cloneNode(true));
  }
}

export function make(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

export function button(text, className = "ps-button") {
  return Object.assign(make("button", text, className), { type: "button" });
}

// Saves a text as a file on the person's machine.
export function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
