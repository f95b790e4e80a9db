// The conversation as a person sees it: messages, answers as they arrive, saves, and what went wrong.

import { saveIn } from "./conversation.js";
import { button, download, explain, make, visible } from "./shown.js";

const NAMES = { user: "You", assistant: "The assistant", system: "The prompt" };
const UNDO = "/undo";
const AGAIN = "/again";

export class Talk {
  #box;
  #fields;
  #log;
  #changed;
  #session = null;
  #server = "";
  #abort = null;
  #frame = null;

  // `changed` is called after each answer.
  constructor(box, changed) {
    this.#box = box;
    this.#log = box.querySelector(".ps-run__log");
    this.#fields = box.querySelector("form").elements;
    this.#changed = changed;
    box.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.#fields.message.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#send();
    });
    this.#fields.stop.addEventListener("click", () => this.#abort?.abort());
    this.#fields.again.addEventListener("click", () => this.#again());
    this.#fields.undo.addEventListener("click", () => this.#undo());
    this.#fields.resume.addEventListener("change", () => this.#resume());
  }

  // Shows a new conversation with a server; the assistant answers first if the prompt lets it.
  async begin(session, server) {
    const { saves, opens, interactive } = session.prompt;
    this.#session = session;
    this.#server = server;
    this.#box.hidden = false;
    this.#fields.message.value = "";
    this.#box.querySelector(".ps-run__saving").hidden = !saves;
    const phrases = (saves?.triggers ?? []).map((phrase) => make("li", visible(phrase)));
    this.#box.querySelector(".ps-chips").replaceChildren(...phrases);
    for (const each of [this.#fields.again, this.#fields.undo]) each.hidden = !interactive;
    this.#show();
    this.#busy(false);
    this.#fail(null);
    this.#box.scrollIntoView();
    if (opens) await this.#answer();
    else this.#fields.message.focus({ preventScroll: true });
  }

  end() {
    this.#abort?.abort();
    this.#session = null;
    this.#box.hidden = true;
  }

  #send() {
    const { message } = this.#fields;
    const text = message.value.trim();
    if (this.#abort) return;
    const command = this.#session.prompt.interactive && (text === UNDO || text === AGAIN);
    if (!command && !text && this.#session.answers.length) return;
    if (this.#session.endpoint.reveals(text)) {
      this.#fail({ message: "Your message contains the key", hint: "Remove it, because it would be in the file." });
      return;
    }
    message.value = "";
    if (!command) this.#say(text);
    else if (text === UNDO) this.#undo();
    else this.#again();
  }

  #say(text) {
    const warning = this.#session.prompt.saves?.warning(text);
    this.#session.say(text);
    this.#answer(warning);
  }

  #again() {
    // After a failure, the last turn of the user may have no answer.
    const unanswered = this.#session.turns.at(-1).role !== "assistant";
    const text = unanswered ? null : this.#session.undo();
    if (text !== null) this.#session.say(text);
    if (unanswered || text !== null) this.#answer();
  }

  #undo() {
    const text = this.#session.undo();
    if (text === null) return;
    this.#fields.message.value = text;
    this.#show();
    this.#changed();
    this.#fields.message.focus();
  }

  async #resume() {
    const [file] = this.#fields.resume.files;
    if (!file) return;
    const { saves } = this.#session.prompt;
    const save = saveIn(await file.text());
    const foreign = save && saves.foreignKey(save);
    const faults = save && !foreign ? saves.faults(save) : [];
    this.#fields.resume.value = "";
    if (!save) this.#fail({ message: `${file.name} is not a JSON object` });
    else if (foreign) this.#fail({ message: `${file.name} is a save of \`${foreign}\`; this prompt resumes \`${saves.key}\`` });
    else if (faults.length) this.#fail({ message: `${file.name} does not match the save template: ${faults.join("; ")}` });
    else this.#say(save.text);
  }

  async #answer(warning = "") {
    const session = this.#session;
    const abort = new AbortController();
    this.#abort = abort;
    this.#show();
    this.#busy(true);
    this.#fail(warning ? { message: `Warning: ${warning}` } : null);
    const text = this.#append("assistant", "").querySelector(".ps-run__text");
    const heard = () => this.#receive(text);
    let saved = null;
    let failure = null;
    try {
      saved = await session.answered(heard, abort.signal);
    } catch (error) {
      failure = error;
    }
    if (this.#abort === abort) this.#abort = null;
    if (session !== this.#session) return;
    this.#show();
    this.#busy(false);
    if (saved) this.#keep(saved);
    if (failure) this.#fail(failure);
    if (session.answers.length) this.#changed();
    this.#fields.message.focus({ preventScroll: true });
  }

  // A stream may have more pieces than a screen can show.
  #receive(text) {
    this.#frame ??= requestAnimationFrame(() => {
      text.textContent = visible(this.#session?.partial ?? "");
      this.#log.scrollTop = this.#log.scrollHeight;
      this.#frame = null;
    });
  }

  #keep({ save, faults }) {
    const told = make("p", faults.length ? `Invalid save: ${visible(faults.join("; "))}.` : "This is a valid save. ", "ps-run__told");
    if (!faults.length) {
      const keep = button("Download the save");
      const { key } = this.#session.prompt.saves;
      keep.addEventListener("click", () => download(`${key}.json`, `${save.text}\n`));
      told.append(keep);
    }
    this.#log.querySelector("li:last-child").append(told);
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  // Shows all turns; the prompt is folded.
  #show() {
    const { turns, prompt } = this.#session;
    this.#log.querySelector("ol").replaceChildren();
    for (const [at, turn] of turns.entries()) {
      const item = this.#append(turn.role, turn.content, at < prompt.context.length);
      const why = { length: "at the limit of the model", content_filter: "by a content filter" }[turn.finish];
      if (turn.cut) item.append(make("p", why ? `Cut off ${why}.` : "This answer is not whole.", "ps-run__told"));
    }
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  #append(role, content, isPrompt = false) {
    const item = make("li", "", `ps-run__turn ps-run__turn--${isPrompt ? "system" : role}`);
    const parent = isPrompt ? item.appendChild(document.createElement("details")) : item;
    const text = make("div", visible(content), "ps-run__text");
    text.dir = "auto";
    parent.append(isPrompt ? make("summary", `The prompt, said by the ${role}`) : make("strong", NAMES[role]), text);
    this.#log.querySelector("ol").append(item);
    return item;
  }

  #busy(busy) {
    this.#log.setAttribute("aria-busy", busy);
    const { send, stop, again, undo, resume } = this.#fields;
    send.hidden = busy;
    stop.hidden = !busy;
    for (const each of [again, undo, resume]) each.disabled = busy;
  }

  #fail(error) {
    explain(this.#box.querySelector(".ps-run__failure"), error, this.#server);
  }
}
