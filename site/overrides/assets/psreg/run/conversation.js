// A conversation with a prompt, as `psreg try` holds it: what is sent first, the saves in the answers,
// and the transcript. Nothing here touches the page or the network.

import { parse } from "./json.js";

const CUT_OFF = ["length", "content_filter"];
const MOST_FAULTS = 20;

// Returns a prompt ready to be sent: the messages of `context` come before the first turn. The assistant
// answers them at once if it `opens`; the user says `fallback` if there is nothing else to answer.
// `interactive` is false if the conversation ends with its script. `placement` is the role that says
// the prompt, "" for the usual one.
export function loadPbe(text, placement) {
  const value = JSON.parse(text);
  const start = string(value.start_play?.instruction);
  const said = [text.replace(/^\ufeff/, "")];
  if (start && placement !== "user") said.push(start);
  return {
    context: said.map((content) => ({ role: placement || "system", content })),
    opens: Boolean(start) || placement === "user",
    fallback: string(value.install_instructions),
    interactive: value.pbe_class === "interactive_engine",
    saves: saveSystem(value.save_system),
  };
}

// The same for the text that a `.prompt` with its values is.
export function loadText(content, placement) {
  const context = [{ role: placement || "user", content }];
  return { context, opens: placement !== "system", fallback: "", interactive: true, saves: null };
}

function saveSystem(system) {
  const template = system?.save_template;
  const key = system?.load_detection?.recognition_key;
  const phrases = system?.trigger_phrases;
  if (!isObject(template) || !key || typeof key !== "string" || !Array.isArray(phrases)) return null;
  return new SaveSystem(key, template, phrases.filter((phrase) => typeof phrase === "string"));
}

// The save system of one PBE: its root key, its template and its trigger phrases.
export class SaveSystem {
  constructor(key, template, triggers) {
    Object.assign(this, { key, template, triggers });
  }

  isTrigger(text) {
    const said = normalized(text);
    return this.triggers.map(normalized).some((phrase) => phrase && said.includes(phrase));
  }

  // Returns the root key if the save is one of another PBE, else "".
  foreignKey(save) {
    if (Object.hasOwn(save.value, this.key)) return "";
    return Object.keys(save.value).find((key) => key.endsWith("_save")) ?? "";
  }

  // Returns how the save differs from the template, [] if it does not.
  faults(save) {
    if (!Object.hasOwn(save.value, this.key)) {
      const found = Object.keys(save.value)[0];
      return [`the root key is not \`${this.key}\`${found ? ` but \`${found}\`` : ""}`];
    }
    return [...faultsOf(save.value[this.key], this.template[this.key], this.key)].slice(0, MOST_FAULTS);
  }

  // Returns a warning about a save that the user is about to send, "" if there is none.
  warning(text) {
    const save = text.trimStart().startsWith("{") ? saveIn(text) : null;
    if (!save) return "";
    const foreign = this.foreignKey(save);
    if (foreign) return `this is a save of \`${foreign}\`; this prompt resumes \`${this.key}\``;
    return Object.keys(save.value).some((key) => key.endsWith("_save")) ? this.faults(save).join("; ") : "";
  }
}

const FENCE = /^[ \t]*(`{3,}|~{3,})[^\n]*\n([^]*?)^[ \t]*\1/gm;

// Returns the save in a text as { text, value }, in a code fence or not; null if there is none.
export function saveIn(text) {
  const fenced = [...text.matchAll(FENCE)].map((found) => found[2]);
  const first = text.indexOf("{");
  for (const candidate of [text, ...fenced, first < 0 ? "" : text.slice(first, text.lastIndexOf("}") + 1)]) {
    const value = objectIn(candidate);
    if (value) return { text: candidate.trim(), value };
  }
  return null;
}

function objectIn(text) {
  try {
    const value = parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const KINDS = { boolean: "true or false", number: "a number", string: "a text", list: "a list", object: "an object" };

// Yields each field that is missing or of another type. Only the structure counts (PBE-12 to PBE-14).
function* faultsOf(value, template, path) {
  const kind = kindOf(template);
  if (kind in KINDS && kindOf(value) !== kind) {
    yield `\`${path}\` is not ${KINDS[kind]}`;
  } else if (kind === "object") {
    for (const [key, inner] of Object.entries(template)) {
      if (Object.hasOwn(value, key)) yield* faultsOf(value[key], inner, `${path}.${key}`);
      else yield `\`${path}.${key}\` is missing`;
    }
  } else if (kind === "list" && template.length) {
    for (const [at, item] of value.entries()) yield* faultsOf(item, template[0], `${path}[${at}]`);
  }
}

function kindOf(value) {
  if (Array.isArray(value)) return "list";
  return value === null ? "null" : typeof value;
}

// One conversation. `partial` is the answer that is being received; `undone` counts the answers that the
// user took back or had written again; `failed` is why there is no answer to the last turn.
export class Session {
  partial = "";
  models = [];
  tokens = {};
  undone = 0;
  failed = "";

  constructor(prompt, endpoint, settings) {
    Object.assign(this, { prompt, endpoint, settings });
    this.turns = prompt.context.map(({ role, content }) => ({ role, content }));
  }

  get answers() {
    return this.turns.filter((turn) => turn.role === "assistant");
  }

  get model() {
    return this.models.at(-1) ?? "";
  }

  get isCut() {
    return this.turns.some((turn) => turn.cut);
  }

  // Adds a turn of the user; one without words is what the prompt says when there is nothing else.
  say(text) {
    const content = text || (this.answers.length ? "" : this.prompt.fallback);
    if (content) this.turns.push({ role: "user", content });
  }

  // Has the turns so far answered; `heard` is called for each piece of `partial`. Returns what the answer says about a save that was asked for.
  async answered(heard, stop) {
    this.partial = this.failed = "";
    const messages = this.turns.map(({ role, content }) => ({ role, content }));
    try {
      const request = { ...this.settings, messages };
      const receive = (piece) => {
        this.partial += piece;
        heard();
      };
      const reply = await this.endpoint.stream(request, receive, stop);
      this.#take(reply);
      return this.#saved(reply.text);
    } catch (error) {
      const stopped = error.name === "AbortError";
      this.failed = stopped ? "interrupted" : error.code ?? "ENDPOINT_ANSWER";
      // An answer with the key in it is dropped; a part of the key may have arrived.
      if (this.partial && this.failed !== "ENDPOINT_KEY") {
        this.turns.push({ role: "assistant", content: this.partial, cut: true });
      }
      if (!stopped) throw error;
      return null;
    } finally {
      this.partial = "";
    }
  }

  // Takes back the last turn of the user and its answer; returns it, null if there is none.
  undo() {
    const at = this.turns.findLastIndex((turn) => turn.role === "user");
    if (at < this.prompt.context.length) return null;
    const [turn] = this.turns.splice(at);
    this.undone += 1;
    this.failed = "";
    return turn.content;
  }

  #take({ text, reasoning, finish, model, usage }) {
    this.turns.push({ role: "assistant", content: text, reasoning, finish, cut: CUT_OFF.includes(finish) });
    if (model && model !== this.model) this.models.push(model);
    for (const [name, count] of Object.entries(usage)) this.tokens[name] = (this.tokens[name] ?? 0) + count;
  }

  #saved(answer) {
    const said = this.turns.at(-2);
    const { saves } = this.prompt;
    if (!saves || said.role !== "user" || !saves.isTrigger(said.content)) return null;
    const save = saveIn(answer);
    return { save, faults: save ? saves.faults(save) : ["the answer contains no save"] };
  }
}

// Returns the transcript as JSON Lines. Its first record has the facts of the run, the last one why the
// conversation ended. `about` are the artifact, digest, platform, model, day, result and notes.
export function transcript(session, about) {
  const records = session.turns.map((turn) => ({
    role: turn.role,
    content: turn.content,
    ...(turn.reasoning ? { reasoning: turn.reasoning } : {}),
    ...(CUT_OFF.includes(turn.finish) ? { finish_reason: turn.finish } : {}),
    ...(turn.cut ? { cut: true } : {}),
  }));
  records[0].run = runHeader(session, about);
  const usual = session.prompt.interactive ? "exit" : "end of script";
  records.at(-1).ended = session.failed || usual;
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

function runHeader(session, { artifact, sha256, platform, model, day, result, notes }) {
  const { model: requested = "", ...settings } = session.settings;
  return {
    artifact,
    sha256,
    platform,
    model,
    date: day,
    settings,
    ...(requested && requested !== model ? { requested } : {}),
    ...(session.models.length > 1 ? { models: session.models } : {}),
    ...(Object.keys(session.tokens).length ? { tokens: session.tokens } : {}),
    ...(session.undone ? { undone: session.undone } : {}),
    result,
    ...(notes ? { notes } : {}),
  };
}

// Upper and then lower case: so that ß and ss are the same.
const normalized = (text) => text.toUpperCase().toLowerCase().split(/\s+/).filter(Boolean).join(" ");
const string = (value) => (typeof value === "string" ? value : "");
const isObject = (value) => kindOf(value) === "object";
