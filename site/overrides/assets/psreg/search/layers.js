// A large segment of the catalogue, read in layers: names, tags and facets first, then what a query
// needs (registry/search/layers.py writes them).

import { stem, wordsOf } from "./words.js";

// The weights of the first word of a name, of its others, of tags, and of summary, use case and other
// words of a text.
export const [FIRST_WORD, NAME, TAGS] = [44, 40, 32];
export const SENTENCES = [18, 12, 6];

// The most files that one query fetches; each has at most 25 kB with gzip.
export const MOST_FILES = 4;

const SHORTEST_BEGINNING = 3;

// What a row says of its tests, by the number of platforms.
export const TESTED = ["not-yet", "one", "two-or-more"];

// A row of a large segment; its version and summary come later.
class Row {
  #facets;

  constructor(layer, at) {
    this.layer = layer;
    this.at = at;
    this.name = layer.names.name[at];
    this.version = undefined;
    this.summary = undefined;
  }

  get #class() {
    return one(this.layer.names.class, this.at);
  }

  get date() {
    return one(this.layer.names.date, this.at);
  }

  get tags() {
    return several(this.layer.names.tags, this.at);
  }

  get deprecated() {
    return this.layer.deprecated.has(this.at);
  }

  get href() {
    return `${this.layer.root}${this.#class}/${this.name}/`;
  }

  get facets() {
    return (this.#facets ??= this.#allFacets());
  }

  #allFacets() {
    const { license, protocol, tested } = this.layer.names;
    return {
      class: [this.#class],
      tag: this.tags,
      license: [one(license, this.at)],
      tested: [TESTED[tested[this.at]]],
      protocol: several(protocol, this.at),
    };
  }
}

function one({ values, rows }, at) {
  return values[rows[at]];
}

function several({ values, rows }, at) {
  return rows[at].map((number) => values[number]);
}

export class Layers {
  // `names` is the first layer; `read` returns a promise of another one, by its name; `root` is the
  // address of the site.
  constructor(names, read, root) {
    this.names = names;
    this.read = read;
    this.root = root;
    this.count = names.name.length;
    this.deprecated = new Set(names.deprecated);
    // Their numbers in an index; those that newer rows replace have none.
    this.numbers = new Int32Array(this.count).fill(-1);
    this.rows = names.name.map((_, at) => new Row(this, at));
    this.coming = new Map();
  }

  // Calls `note` with each word of names and tags, the number of a row in which it is, and its weight.
  // A row may come twice.
  label(note) {
    const { name, tags } = this.names;
    const tagged = tags.values.map(() => []);
    for (const [at, number] of this.numbers.entries()) {
      if (number < 0) continue;
      let weight = FIRST_WORD;
      for (const word of name[at].split("_")) {
        note(word, number, weight);
        weight = NAME;
      }
      for (const tag of tags.rows[at]) tagged[tag].push(number);
    }
    this.tagWords = tags.values.map(wordsOf);
    for (const [tag, numbers] of tagged.entries()) {
      for (const word of this.tagWords[tag]) for (const number of numbers) note(word, number, TAGS);
    }
  }

  // Returns what a pair of neighbours in a name or in a tag is worth in a row.
  pairWorth({ at, name }, word, second) {
    if (`${name}_`.startsWith(`${word}_${second}_`)) return FIRST_WORD;
    if (`_${name}_`.includes(`_${word}_${second}_`)) return NAME;
    const has = (words) => words.some((each, place) => each === word && words[place + 1] === second);
    return this.names.tags.rows[at].some((tag) => has(this.tagWords[tag])) ? TAGS : 0;
  }

  // Returns the names of the blocks with what is wanted: a word, its forms and beginnings, or a pair.
  *blocksWith({ word, second }) {
    if (second) {
      const pair = `${word} ${second}`;
      yield* within("p", this.names.pairs, pair, pair);
    } else if ([...word].length < SHORTEST_BEGINNING) yield* within("w", this.names.words, word, word);
    else yield* within("w", this.names.words, stem(word), `${stem(word)}\uffff`);
  }

  // Fetches a layer once, and gives it to `use` when it comes.
  fetch(name, use) {
    if (!this.coming.has(name)) {
      const coming = this.read(name).then(use);
      this.coming.set(name, coming);
      coming.catch(() => this.coming.delete(name));
    }
    return this.coming.get(name);
  }

  has(name) {
    return this.coming.has(name);
  }

  // Yields each word or pair of a block with its places: rows by number, each with its weight.
  *places(block) {
    for (const [key, columns] of Object.entries(block)) {
      const found = new Map();
      for (const [column, differences] of columns.entries()) {
        let at = 0;
        for (const difference of differences) {
          at += difference;
          const row = this.numbers[at];
          // The columns are in the order of their weights, the greatest first.
          if (row >= 0 && !found.has(row)) found.set(row, SENTENCES[column]);
        }
      }
      yield [key, [...found].flat()];
    }
  }

  // Takes over what is shown of rows: those from number `start` on.
  describe(start, { version, summary }) {
    for (const [at, text] of summary.entries()) {
      Object.assign(this.rows[start + at], { version: version[at], summary: text });
    }
  }
}

function* within(kind, firsts, start, end) {
  let at = firsts.findLastIndex((first) => first <= start);
  if (at < 0) at = 0;
  for (; at < firsts.length && firsts[at] <= end; at += 1) yield `${kind}${at}`;
}

// Fetches the blocks in which a query's words are, at most so many at a time; returns how many came,
// and how many are left.
export async function fetchTexts({ index, layers }, wanted, most) {
  const missing = new Map();
  for (const each of wanted) {
    for (const layer of layers) {
      for (const name of layer.blocksWith(each)) {
        if (!layer.has(name)) missing.set(`${layers.indexOf(layer)} ${name}`, [layer, name]);
      }
    }
  }
  const now = [...missing.values()].slice(0, most);
  await Promise.all(
    now.map(([layer, name]) => layer.fetch(name, (block) => index.learn(layer.places(block), name[0] === "p"))),
  );
  return { came: now.length, left: missing.size - now.length };
}

// Fetches the summaries of rows that lack one, from at most so many files; tells whether any came.
export async function fetchSummaries(rows, most) {
  const missing = new Map();
  for (const { layer, at, summary } of rows) {
    if (summary !== undefined) continue;
    const number = Math.floor(at / layer.names.rows);
    if (!missing.has(`${layer.count} ${number}`)) missing.set(`${layer.count} ${number}`, [layer, number]);
  }
  const now = [...missing.values()].slice(0, most);
  await Promise.all(
    now.map(([layer, number]) =>
      layer.fetch(`r${number}`, (part) => layer.describe(number * layer.names.rows, part))),
  );
  return now.length > 0;
}
