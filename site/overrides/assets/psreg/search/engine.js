// Answers searches: on the page itself, or in a worker if the catalogue is large. Both have the same
// methods; a page waits for each answer.

import { catalogueOfSite, fetched, find, nearest } from "./catalogue.js";
import { findDocuments } from "./documents.js";
import { fetchSummaries, fetchTexts } from "./layers.js";
import { wantedInTexts } from "./ranking.js";

// The most entries that are searched on the page itself.
const MOST_HERE = 2000;

let running;

// Returns what answers; it is started only once.
export function engine() {
  running ??= start();
  return running;
}

async function start() {
  const index = await fetched("api/v1/index.json").then((answer) => answer.json());
  const number = index.segments.reduce((sum, { count }) => sum + count, 0);
  const found = number > MOST_HERE ? inWorker() : new Engine();
  found.layered = await found.open(index);
  return found;
}

class Engine {
  // The rows that were shown, by name.
  shown = new Map();

  // Fetches the catalogue; tells whether it has layers.
  async open(index) {
    this.all = await catalogueOfSite(index);
    return this.all.layers.length > 0;
  }

  // Returns what `find` does, of which only the first `most` rows; and how many there are, and how many
  // of them match all words.
  find(query, chosen, most) {
    const { found, counts, wanted } = find(this.all, query, chosen);
    const whole = found.filter(({ partial }) => !partial).length;
    const rows = found.slice(0, most);
    for (const { row } of rows) this.shown.set(row.name, row);
    const shown = rows.map(({ row, partial }) => ({ row: plain(row), partial }));
    return { found: shown, total: found.length, whole, counts, wanted };
  }

  // Fetches what a query looks for in texts, from so many files; returns how many came, and are left.
  texts(query, most) {
    return fetchTexts(this.all, wantedInTexts(query, this.all.thesaurus), most);
  }

  // Returns the rows that were shown with these names, with summaries from so many files.
  async describe(names, most) {
    const rows = names.map((name) => this.shown.get(name));
    await fetchSummaries(rows, most);
    return rows.map(plain);
  }

  nearest(query) {
    return nearest(this.all, query);
  }

  documents(query) {
    return findDocuments(query, this.all.thesaurus);
  }
}

function plain({ name, href, version, summary, tags, deprecated, draft, facets }) {
  return { name, href, version, summary, tags, deprecated, draft, kind: facets.class[0] };
}

const METHODS = ["open", "find", "texts", "describe", "nearest", "documents"];

// Returns an engine that answers from a worker.
function inWorker() {
  const worker = new Worker(new URL("./engine.js", import.meta.url), { type: "module" });
  const waiting = [];
  const ask = (method, args) =>
    new Promise((resolve, reject) => {
      const number = waiting.push({ resolve, reject }) - 1;
      worker.postMessage({ number, method, args });
    });
  worker.addEventListener("message", ({ data: { number, value, error } }) => {
    if (error === undefined) waiting[number].resolve(value);
    else waiting[number].reject(new Error(error));
    delete waiting[number];
  });
  worker.addEventListener("error", ({ message }) => {
    for (const each of waiting) each?.reject(new Error(message));
  });
  return Object.fromEntries(METHODS.map((method) => [method, (...args) => ask(method, args)]));
}

// In a worker, this answers the page.
if (typeof document === "undefined") {
  const here = new Engine();
  addEventListener("message", async ({ data: { number, method, args } }) => {
    try {
      postMessage({ number, value: await here[method](...args) });
    } catch (error) {
      postMessage({ number, error: String(error) });
    }
  });
}
