// The answers of an OpenAI-compatible endpoint: JSON, or a stream of events, as text. A surrogate at the end
// of a piece waits for its other half; one that stays alone becomes U+FFFD.

import { ReasoningFilter, splitReasoning } from "./reasoning.js";

const LARGEST = 8 * 1024 * 1024;
const LONGEST_KEY = 4096;
const LONGEST_SAID = 300;

// `help` is the part of the page that explains it.
export class EndpointError extends Error {
  constructor(code, message, hint = "", help = "") {
    super(message);
    Object.assign(this, { code, hint, help });
  }
}

// A reply that arrives in pieces; `tail` is its end, in which a key would be found.
export class Streamed {
  parts = [];
  apart = "";
  tail = "";
  half = "";
  finish = "";
  model = "";
  usage = {};
  done = false;
  thinking = new ReasoningFilter();

  // Returns the text that is known after one event, without an incomplete character at its end.
  piece(data, parsed) {
    if (data === "[DONE]") {
      this.done = true;
      return "";
    }
    const value = parsed(data);
    const { found, choice } = firstChoice(value, "delta");
    this.model ||= string(value.model);
    const usage = usageOf(value);
    if (Object.keys(usage).length) this.usage = usage;
    this.apart += reasoningOf(found ?? {});
    this.finish = string(choice.finish_reason) || this.finish;
    const content = found?.content ?? "";
    if (typeof content !== "string") throw wrong("choices[0].delta.content is not a string");
    let given = this.half + content;
    this.half = /[\ud800-\udbff]$/.test(given) ? given.at(-1) : "";
    if (this.half) given = given.slice(0, -1);
    return this.#kept(this.thinking.answer(whole(given)));
  }

  // Returns the rest of the text at the end of the stream.
  end() {
    const last = (this.half ? this.thinking.answer("\ufffd") : "") + this.thinking.end();
    return this.#kept(last);
  }

  check() {
    if (!(this.done || this.finish)) throw cut();
  }

  #kept(piece) {
    if (piece) this.parts.push(piece);
    this.tail = (this.tail + piece).slice(-2 * LONGEST_KEY);
    return piece;
  }

  get reply() {
    const [unopened, answer] = splitReasoning(this.parts.join(""));
    const reasoning = [this.apart, this.thinking.reasoning, unopened].filter(Boolean).join("\n\n");
    return { text: answer, reasoning, finish: this.finish, model: whole(this.model), usage: this.usage };
  }
}

// Returns the reply that came as a whole.
export function replyOf(value) {
  const { found, choice } = firstChoice(value, "message");
  if (!found) throw wrong("it has no choices[0].message");
  const apart = reasoningOf(found);
  const content = found.content ?? (apart ? "" : undefined);
  if (typeof content !== "string") throw wrong("choices[0].message.content is not a string");
  const thinking = new ReasoningFilter();
  const [unopened, answer] = splitReasoning(thinking.answer(whole(content)) + thinking.end());
  const reasoning = [apart, thinking.reasoning, unopened].filter(Boolean).join("\n\n");
  const finish = string(choice.finish_reason);
  return { text: answer, reasoning, finish, model: whole(string(value.model)), usage: usageOf(value) };
}

function firstChoice(value, member) {
  if (!isObject(value)) throw wrong("it is not an object");
  if ("error" in value && !("choices" in value)) {
    const words = said(value) || "an error without a message";
    throw new EndpointError("ENDPOINT_REFUSED", `the endpoint answers: ${words}`);
  }
  if (!Array.isArray(value.choices)) throw wrong("it has no list of choices");
  const choice = value.choices[0] ?? {};
  const found = choice[member] ?? null;
  if (!isObject(choice) || (found !== null && !isObject(found))) {
    throw wrong(`choices[0].${member} is not an object`);
  }
  return { found, choice };
}

function usageOf(value) {
  const given = Object.entries(isObject(value.usage) ? value.usage : {});
  const counts = ["prompt_tokens", "completion_tokens"];
  return Object.fromEntries(given.filter(([key, n]) => counts.includes(key) && Number.isInteger(n) && n >= 0));
}

// Yields the data of the events of an answer (HTML, "Server-sent events").
export async function* events(answer, signal) {
  let data = [];
  for await (const line of lines(answer, signal)) {
    if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
    else if (line === "" && data.length) {
      yield data.join("\n");
      data = [];
    }
  }
  if (data.length) yield data.join("\n");
}

async function* lines(answer, signal) {
  let held = "";
  for await (const piece of pieces(answer, signal)) {
    const found = (held + piece).split("\n");
    held = found.pop();
    for (const line of found) yield line.replace(/\r$/, "");
  }
  if (held) yield held;
}

// Returns all of an answer.
export async function textOf(answer, signal) {
  let whole = "";
  for await (const piece of pieces(answer, signal)) whole += piece;
  return whole;
}

async function* pieces(answer, signal) {
  if (!answer.body) return; // status 204
  const reader = answer.body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        throw broken(error, signal) ?? cut();
      });
      if (done) break;
      size += value.length;
      if (size > LARGEST) throw new EndpointError("ENDPOINT_TOO_LONG", `the answer has more than ${LARGEST} bytes`);
      yield decoded(decoder, value);
    }
    yield decoded(decoder);
  } finally {
    reader.cancel().catch(() => {});
  }
}

function decoded(decoder, bytes) {
  try {
    return decoder.decode(bytes, { stream: Boolean(bytes) });
  } catch {
    throw wrong("it is not UTF-8");
  }
}

// Returns the error for an answer that was not waited for, null if something else failed.
export function broken(error, signal) {
  if (!signal.aborted) return null;
  if (signal.reason?.name !== "TimeoutError") return error;
  return new EndpointError("ENDPOINT_SLOW", "no answer within five minutes");
}

function cut() {
  return new EndpointError("ENDPOINT_CUT", "the answer ended in the middle", "Try again later.");
}

// Returns the endpoint's message about an error, "" if there is none.
export function said(value) {
  const error = value?.error ?? value?.detail;
  const words = isObject(error) ? error.message : error;
  return whole(string(words)).split(/\s+/).filter(Boolean).join(" ").slice(0, LONGEST_SAID);
}

function reasoningOf(message) {
  return whole(string(message.reasoning_content) || string(message.reasoning));
}

// Returns the error for an answer that cannot be used.
export function wrong(what) {
  return new EndpointError("ENDPOINT_ANSWER", `the answer of the endpoint is invalid: ${what}`);
}

export const whole = (given) => given.toWellFormed();
const string = (given) => (typeof given === "string" ? given : "");
const isObject = (given) => typeof given === "object" && given !== null && !Array.isArray(given);
