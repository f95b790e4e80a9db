// Answers searches: on the page itself, or in a worker if the catalogue is large. Both have the same
// methods; a page waits for each answer.

import { catalogueOfSite, fetched, find, nearest, once } from "./catalogue.js";
import { findDocuments } from "./documents.js";
import { fetchSummaries, fetchTexts } from "./layers.js";
import { wantedInTexts } from "./ranking.js";

// The most entries that are searched on the page itself.
const MOST_HERE = 2000;

// Returns what answers; it is started only once.
export const engine = once(async () => {
  const index = await fetched("api/v1/index.json").then((answer) => answer.json());
  const number = index.segments.reduce((sum, { count }) => sum + count, 0);
  const found = number > MOST_HERE ? inWorker() : new Engine();
  found.layered = await found.open(index);
  return found;
});

class Engine {
  // Fetches the catalogue; tells whether it has layers.
  async open(index) {
    this.all = await catalogueOfSite(index);
    return this.all.layers.length > 0;
  }

  find(query, chosen, most) {
    return find(this.all, query, chosen, most);
  }

  // Fetches what a query looks for in texts, from so many files; returns how many came, and are left.
  texts(query, most) {
    return fetchTexts(this.all, wantedInTexts(query, this.all.thesaurus), most);
  }

  // Returns the rows with these names, with summaries from so many files.
  async describe(names, most) {
    const { index } = this.all;
    const rows = names.map((name) => index.find(name));
    const places = rows.map((row) => [index.partOf(row), row - index.partOf(row).start]);
    await fetchSummaries(places, most);
    return rows.map((row) => index.row(row));
  }

  nearest(query) {
    return nearest(this.all, query);
  }

  documents(query) {
    return findDocuments(query, this.all.thesaurus);
  }
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
