// Runs a prompt of the registry with an endpoint that the person brings. Everything from a prompt or from an
// endpoint is written as text. The key is only in its field and in the object that sends it.

import { explain } from "./shown.js";

const root = document.querySelector(".ps-run");
const one = (selector) => root.querySelector(selector);
const fields = one(".ps-run__endpoint").elements;
const status = one(".ps-run__status");

// The prompt that is loaded, and the conversation with it; `saved` is whether nothing would be lost.
const run = { prompt: null, session: null, saved: true };
let talk = null;
let loading = 0;

nameThisSite();
one(".ps-run__find").addEventListener("submit", (event) => {
  event.preventDefault();
  load(event.target.elements.wanted.value.trim());
});
fields.server.addEventListener("change", takeServer);
fields.address.addEventListener("input", askAboutHttp);
fields.connect.addEventListener("click", listModels);
one(".ps-run__endpoint").addEventListener("submit", start);
addEventListener("hashchange", loadFromAddress);
addEventListener("beforeunload", (event) => {
  if (!run.saved) event.preventDefault();
});
loadFromAddress();
root.classList.add("ps-ready");

// The commands on the page name the site that a server has to allow.
function nameThisSite() {
  for (const code of document.querySelectorAll(".md-content code")) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      texts.currentNode.data = texts.currentNode.data.replace("ORIGIN_OF_THIS_SITE", location.origin);
    }
  }
}

// The part after # is NAME@VERSION, or a part of this page.
function loadFromAddress() {
  const wanted = location.hash.slice(1);
  if (!wanted.includes("@")) return;
  one(".ps-run__find").elements.wanted.value = wanted;
  load(wanted);
}

async function load(wanted) {
  const told = one(".ps-run__loaded");
  const number = ++loading;
  end();
  run.prompt = null;
  one(".ps-run__form").replaceChildren();
  told.textContent = "Loading…";
  try {
    const { find } = await import("./prompt.js");
    const found = await find(wanted);
    if (number !== loading) return; // another one was asked for
    run.prompt = found;
    history.replaceState(null, "", `#${found.name}@${found.version}`);
    await showPrompt(found, told);
  } catch (error) {
    if (number === loading) told.textContent = error.message;
  }
}

async function showPrompt({ name, version, summary, page, form }, told) {
  const link = document.createElement("a");
  link.href = page.href;
  link.textContent = `${name} ${version}`;
  told.replaceChildren(link, summary ? `: ${summary}` : "");
  if (!form) return;
  const box = document.adoptNode(form);
  box.dataset.page = page.href;
  const { start: fillIn } = await import("../fill.js");
  one(".ps-run__form").replaceChildren(box);
  fillIn(box);
}

function takeServer() {
  fields.address.value = fields.server.selectedOptions[0].dataset.address ?? "";
  one(".ps-run__evidence form").elements.platform.value = fields.server.value;
  askAboutHttp();
}

// Whoever writes an address of plain http on another machine is asked whether to allow it.
function askAboutHttp() {
  const url = URL.canParse(fields.address.value) ? new URL(fields.address.value) : null;
  const here = /^(127\.[\d.]+|localhost|\[::1\])$/.test(url?.hostname ?? "");
  one(".ps-run__check").hidden = url?.protocol !== "http:" || here;
}

async function endpoint() {
  const { Endpoint, chatAddress } = await import("./endpoint.js");
  return new Endpoint(chatAddress(fields.address.value.trim(), fields.http.checked), fields.key.value.trim());
}

async function listModels() {
  problem(null);
  status.textContent = "Asking…";
  try {
    const models = await (await endpoint()).models();
    one("datalist").replaceChildren(...models.map((model) => new Option(model, model)));
    if (models.length && !fields.model.value) fields.model.value = models[0];
    status.textContent = models.length ? `Its models: ${models.join(", ")}` : "It lists no models.";
  } catch (error) {
    status.textContent = "";
    problem(error);
  }
}

async function start(event) {
  event.preventDefault();
  problem(null);
  try {
    const [{ Session, loadPbe, loadText }, { Talk }] = await Promise.all([
      import("./conversation.js"),
      import("./talk.js"),
    ]);
    const session = new Session(promptToSend(loadPbe, loadText), await endpoint(), settings());
    end();
    talk ??= new Talk(one(".ps-run__talk"), answered);
    run.session = session;
    await talk.begin(session, fields.server.value);
  } catch (error) {
    problem(error);
  }
}

async function answered() {
  run.saved = !run.session.answers.length;
  const { showEvidence } = await import("./evidence.js");
  // The conversation may have ended meanwhile.
  if (run.session) showEvidence(one(".ps-run__evidence"), run);
}

function end() {
  Object.assign(run, { session: null, saved: true });
  talk?.end();
  one(".ps-run__evidence").hidden = true;
}

// Returns the prompt as it is sent, filled in.
function promptToSend(loadPbe, loadText) {
  const { prompt } = run;
  if (!prompt) throw new Error("There is no prompt yet. Load one above.");
  const placement = fields.placement.value;
  if (prompt.kind !== "prompt") return loadPbe(prompt.text, placement);
  if (!prompt.form) return loadText(prompt.text, placement);
  const open = one("[data-copy-filled]").dataset.refused;
  if (open) throw new Error(`Fill in the form first. ${open}.`);
  return loadText(one(".ps-fill__text").textContent, placement);
}

// Returns the model and the settings that are sent; what is empty is left to the endpoint.
function settings() {
  const numbers = ["temperature", "seed", "max_tokens"].filter((name) => fields[name].value !== "");
  const given = Object.fromEntries(numbers.map((name) => [name, Number(fields[name].value)]));
  const model = fields.model.value.trim();
  return { ...(model ? { model } : {}), ...given };
}

function problem(error) {
  explain(one(".ps-run__problem"), error, fields.server.value);
}
