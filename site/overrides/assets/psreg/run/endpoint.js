// An OpenAI-compatible endpoint that the person named: lists its models, and has a chat continued. The
// same rules as those of `psreg try`: a redirect is not followed, an answer with the key is dropped.
// The key is only in memory, and only in the header of a request to this endpoint.

import { EndpointError, Streamed, broken, events, replyOf, said, textOf, whole, wrong } from "./answer.js";
import { parse } from "./json.js";

const CHAT = "/chat/completions";
const PATIENCE_MS = 300_000;
const PROBE_MS = 10_000;
// Local servers accept a word such as `none`.
const SHORTEST_SECRET = 16;
const REFUSED = [400, 422];
const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/;

const SAFE = { credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store" };

// Returns the address of the chat, given a server, the base of its API, or itself.
export function chatAddress(text, allowHttp = false) {
  const url = URL.canParse(text) ? new URL(text) : null;
  const shown = text.includes("@") ? "the address" : `\`${text}\``;
  const bad = (why, hint) => new EndpointError("BAD_ENDPOINT", `${shown} is not the address of an endpoint: ${why}`, hint);
  if (!/^https?:$/.test(url?.protocol)) {
    throw bad("it does not begin with https:// or http://", "Write an address such as `http://127.0.0.1:11434`.");
  }
  if (url.username || url.password || url.hash) {
    throw bad("it has a user, a password or a fragment", "Write the key into its own field.");
  }
  if (isForeignHttp(url) && !allowHttp) {
    throw bad("it is not encrypted", "Use https, or allow plain http to another machine below the address.");
  }
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith(CHAT) ? path : `${path || "/v1"}${CHAT}`;
  return url;
}

function isForeignHttp(url) {
  return url.protocol === "http:" && !LOOPBACK.test(url.hostname);
}

export class Endpoint {
  #key;

  constructor(url, key = "") {
    if (/[^\x21-\x7e]/.test(key)) {
      throw new EndpointError("BAD_KEY", "this is not a valid API key", "Remove blanks and characters that are not ASCII.");
    }
    this.url = url;
    this.#key = key;
    this.countsTokens = true;
  }

  // Tells whether a text has the key in it.
  reveals(text) {
    return this.#key.length >= SHORTEST_SECRET && text.includes(this.#key);
  }

  // Returns the names of the models that the endpoint lists.
  async models() {
    const answer = await this.#exchange(this.#modelsAddress, { method: "GET" }, AbortSignal.timeout(PATIENCE_MS));
    const rows = (await this.#json(answer))?.data;
    if (!Array.isArray(rows)) throw wrong("it has no list of models");
    return rows.map((row) => row?.id).filter((id) => typeof id === "string").map(whole).sort();
  }

  // Returns the reply to a chat; `heard` is called with each piece of it.
  async stream(request, heard, stop) {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(PATIENCE_MS)]);
    const attempt = async () => {
      const counting = this.countsTokens ? { stream_options: { include_usage: true } } : {};
      const body = JSON.stringify({ ...request, stream: true, ...counting });
      const answer = await this.#exchange(this.url, { method: "POST", body }, signal);
      const kind = (answer.headers.get("Content-Type") ?? "").split(";")[0].trim().toLowerCase();
      if (kind === "text/event-stream") return this.#streamed(answer, heard, signal);
      const reply = replyOf(await this.#json(answer, signal));
      heard(reply.text);
      return reply;
    };
    try {
      return await attempt();
    } catch (error) {
      if (!this.countsTokens || !REFUSED.includes(error.status)) throw error;
    }
    this.countsTokens = false; // some endpoints refuse to be asked for it
    return attempt();
  }

  #asked(options, signal) {
    const headers = { Accept: "application/json, text/event-stream" };
    if (options.body) headers["Content-Type"] = "application/json";
    if (this.#key) headers.Authorization = `Bearer ${this.#key}`;
    return { ...options, ...SAFE, redirect: "manual", headers, signal };
  }

  get #modelsAddress() {
    const url = new URL(this.url);
    url.pathname = `${url.pathname.slice(0, -CHAT.length)}/models`;
    return url;
  }

  async #exchange(url, options, signal) {
    const answer = await fetch(url, this.#asked(options, signal)).catch(async (error) => {
      throw broken(error, signal) ?? (await this.#explained());
    });
    if (answer.type === "opaqueredirect") {
      const hint = "Write the new address; this page never sends a key to the target of a redirect.";
      throw new EndpointError("ENDPOINT_REDIRECT", `${url.host} redirects to another address`, hint);
    }
    if (answer.ok) return answer;
    const words = await this.#words(answer, signal);
    const busy = answer.status === 429 || answer.status >= 500;
    const told = `${url.host} answers with status ${answer.status}${words}`;
    const error = new EndpointError(busy ? "ENDPOINT_BUSY" : "ENDPOINT_REFUSED", told, hintFor(answer.status));
    throw Object.assign(error, { status: answer.status });
  }

  // A browser does not say why a request failed. What it says of this page, whether the server answers when nobody
  // may read the answer, and whether it does when this page may, tells the causes apart.
  async #explained() {
    const { url } = this;
    const fail = (message, hint, help) => new EndpointError("ENDPOINT_UNREACHABLE", message, hint, help);
    const near = LOOPBACK.test(url.hostname);
    if (isForeignHttp(url) && location.protocol === "https:") {
      const why = `browsers let no page that came over https ask ${url.host} over plain http`;
      return fail(why, "Use an https address, or run the server on this machine.", "mixed");
    }
    if (near && !isSecureContext) {
      const why = "this page came over plain http, and browsers let such a page ask nothing of this machine";
      return fail(why, "Open this page over https.", "local-network");
    }
    if (await isDenied(near)) {
      const why = "the browser refuses this page access to the local network";
      return fail(why, "Allow it in the settings of this site.", "local-network");
    }
    const signal = AbortSignal.timeout(PROBE_MS);
    if (!(await answers(url.origin, { ...SAFE, mode: "no-cors", signal }))) {
      return fail(`no answer from ${url.host}`, "Check the address, and that the server is running.");
    }
    if (await answers(this.#modelsAddress, this.#asked({}, signal))) return fail(`${url.host} ended the connection without an answer`);
    const why = `${url.host} is running, but does not allow pages of ${location.origin}`;
    return fail(why, "Change its setting, as shown here.", "cors");
  }

  async #words(answer, signal) {
    try {
      const words = said(JSON.parse(await textOf(answer, signal)));
      return words && !this.reveals(words) ? `: ${words}` : "";
    } catch {
      return "";
    }
  }

  async #json(answer, signal = AbortSignal.timeout(PATIENCE_MS)) {
    return this.#parsed(await textOf(answer, signal));
  }

  #parsed(data) {
    try {
      return parse(data, (_, item) => {
        if (typeof item === "string") this.#guard(item);
        return item;
      });
    } catch (error) {
      throw error instanceof EndpointError ? error : wrong("it is not JSON");
    }
  }

  #guard(given) {
    if (!this.reveals(given)) return;
    const hint = "Do not give it another key.";
    throw new EndpointError("ENDPOINT_KEY", "the endpoint sent the key back; its answer was dropped", hint);
  }

  async #streamed(answer, heard, signal) {
    const reply = new Streamed();
    for await (const data of events(answer, signal)) {
      if (reply.done) break;
      const piece = reply.piece(data, (value) => this.#parsed(value));
      if (!piece) continue;
      this.#guard(reply.tail);
      heard(piece);
    }
    const last = reply.end();
    if (last) heard(last);
    reply.check();
    const found = reply.reply;
    this.#guard(found.text);
    this.#guard(found.reasoning);
    return found;
  }
}

async function answers(url, options) {
  return fetch(url, options).then(
    () => true,
    () => false,
  );
}

// Tells whether the person has denied this page what it asks for.
async function isDenied(near) {
  const names = [near ? "loopback-network" : "local-network", "local-network-access"];
  const asked = names.map((name) => navigator.permissions.query({ name }).catch(() => null));
  return (await Promise.all(asked)).some((found) => found?.state === "denied");
}

function hintFor(status) {
  return {
    401: "Write a valid key.",
    403: "Write a key that is allowed to do this.",
    404: "Check the address and the name of the model.",
    429: "Try again later.",
  }[status] ?? "";
}
