// A large segment of the catalogue, read in layers: names, tags and facets first, then what a query
// needs (registry/search/layers.py writes them).

import { Lists, beginning, numberOf } from "./columns.js";
import { EXACT, FIRST_WORD, NAME, SENTENCES, TAGS, fit } from "./query.js";
import { stem, wordsOf } from "./words.js";

// The most files that one query fetches; each has at most 25 kB with gzip.
export const MOST_FILES = 4;

const SHORTEST_BEGINNING = 3;

// What a row says of its tests, by the number of platforms.
export const TESTED = ["not-yet", "one", "two-or-more"];

const ONE_WORD = /^[a-z0-9]+$/;

export class Layers {
  // The number of the first row in an index, which tells it.
  start = 0;
  #dates;
  #tags;
  #tagWords;
  #labels;
  #blocks = { w: [], p: [] };
  #coming = new Map();
  #here = new Set();
  #shown = new Map();

  // `names` is the first layer; `read` returns a promise of another one, by its name; `root` is the
  // address of the site.
  constructor(names, read, root) {
    this.layer = names;
    this.read = read;
    this.root = root;
    this.count = names.tested.length;
    this.replaced = new Uint8Array(this.count);
    // The words of names with the "_" after each: their order is that of names.
    this.names = Lists.read(names.name, this.replaced);
    this.#tags = Lists.read(names.tags, this.replaced);
    this.facets = {
      class: Lists.read(names.class, this.replaced),
      tag: this.#tags,
      license: Lists.read(names.license, this.replaced),
      tested: Lists.read({ values: TESTED, rows: names.tested }, this.replaced),
      protocol: Lists.read(names.protocol, this.replaced),
    };
    this.deprecated = names.deprecated;
    this.gone = names.gone;
  }

  name(at) {
    return this.names.valuesOf(at).join("");
  }

  // Leaves out rows that newer ones replace.
  replace(names) {
    for (let at = 0; at < this.count; at += 1) if (names.has(this.name(at))) this.replaced[at] = 1;
  }

  // The numbers of dates are in their order.
  get dates() {
    return (this.#dates ??= Lists.read(this.layer.date, this.replaced));
  }

  // Returns what is shown of a row; its version and summary may come later.
  row(at) {
    const [kind] = this.facets.class.valuesOf(at);
    const { version, summary } = this.#shown.get(this.#fileOf(at)) ?? {};
    const place = at % this.layer.rows;
    return {
      name: this.name(at),
      kind,
      version: version?.[place],
      summary: summary?.[place],
      tags: this.#tags.valuesOf(at),
      deprecated: this.deprecated.includes(at),
      draft: false,
      href: `${this.root}${kind}/${this.name(at)}/`,
    };
  }

  #fileOf(at) {
    return `r${Math.floor(at / this.layer.rows)}`;
  }

  // Returns the number of the row with a name, or -1.
  find(name) {
    const parts = name.split(/(?<=_)/);
    const numbers = parts.map((part) => numberOf(this.names.values, part));
    if (numbers.includes(-1)) return -1;
    const { starts, ends, rows } = this.names.inverse;
    const last = numbers.at(-1);
    return rows.subarray(starts[last], ends[last]).find((at) => this.name(at) === name) ?? -1;
  }

  // The words of tags in their order, and the tags with each.
  get labels() {
    if (!this.#labels) {
      const words = new Map();
      this.#tagWords = this.#tags.values.map((tag) => (ONE_WORD.test(tag) ? [tag] : wordsOf(tag)));
      const { starts, ends } = this.#tags.inverse;
      for (const [tag, found] of this.#tagWords.entries()) {
        if (starts[tag] === ends[tag]) continue;
        for (const word of new Set(found)) {
          const known = words.get(word);
          if (known) known.push(tag);
          else words.set(word, [tag]);
        }
      }
      this.#labels = { words: [...words.keys()].sort(), tagged: words };
    }
    return this.#labels;
  }

  // Yields the words of names and tags; some come twice.
  *labelWords() {
    const { starts, ends } = this.names.inverse;
    for (const [number, part] of this.names.values.entries()) {
      if (starts[number] < ends[number]) yield withoutUnderscore(part);
    }
    yield* this.labels.words;
  }

  // Raises the scores of the rows in which a word, or a pair, is; tells whether there are any.
  raise(wanted, factor, scores) {
    if (wanted.second) return this.#raisePairs(wanted, factor * EXACT, scores);
    const start = stem(wanted.word);
    let any = false;
    for (const number of beginning(this.names.values, start)) {
      const fits = fit(wanted, withoutUnderscore(this.names.values[number]), true);
      if (fits && this.#raiseName(number, fits * factor, scores)) any = true;
    }
    const { words, tagged } = this.labels;
    for (const at of beginning(words, start)) {
      const fits = fit(wanted, words[at], true);
      if (!fits) continue;
      any = true;
      for (const tag of tagged.get(words[at])) this.#raiseTag(tag, fits * factor, scores);
    }
    if (wanted.labels) return any;
    for (const { words: known, block } of this.#blocks.w) {
      for (const at of beginning(known, start)) {
        const fits = fit(wanted, known[at], false);
        if (fits && this.#raiseTexts(block[known[at]], fits * factor, scores)) any = true;
      }
    }
    return any;
  }

  #raiseName(number, factor, scores) {
    const { starts, ends, rows } = this.names.inverse;
    const firsts = this.names.starts;
    const all = this.names.numbers;
    const end = ends[number];
    for (let n = starts[number]; n < end; n += 1) {
      const at = rows[n];
      const score = factor * (all[firsts[at]] === number ? FIRST_WORD : NAME);
      if (scores[this.start + at] < score) scores[this.start + at] = score;
    }
    return starts[number] < end;
  }

  #raiseTag(tag, factor, scores) {
    const { starts, ends, rows } = this.#tags.inverse;
    const score = factor * TAGS;
    const first = this.start;
    const end = ends[tag];
    for (let n = starts[tag]; n < end; n += 1) {
      if (scores[first + rows[n]] < score) scores[first + rows[n]] = score;
    }
  }

  // The columns are in the order of their weights; each has differences of rows.
  #raiseTexts(columns, factor, scores) {
    let any = false;
    for (const [column, differences] of columns.entries()) {
      const score = factor * SENTENCES[column];
      let at = 0;
      for (const difference of differences) {
        at += difference;
        if (this.replaced[at]) continue;
        any = true;
        if (scores[this.start + at] < score) scores[this.start + at] = score;
      }
    }
    return any;
  }

  #raisePairs({ word, second, labels }, factor, scores) {
    let any = this.#raisePairsOfNames(word, second, factor, scores);
    for (const tag of this.labels.tagged.get(word) ?? []) {
      const words = this.#tagWords[tag];
      if (!words.some((each, place) => each === word && words[place + 1] === second)) continue;
      this.#raiseTag(tag, factor, scores);
      any = true;
    }
    if (labels) return any;
    for (const { block } of this.#blocks.p) {
      const columns = block[`${word} ${second}`];
      if (columns && this.#raiseTexts(columns, factor, scores)) any = true;
    }
    return any;
  }

  #raisePairsOfNames(word, second, factor, scores) {
    const { values, starts: firsts, numbers } = this.names;
    const number = numberOf(values, `${word}_`);
    const next = [second, `${second}_`].map((part) => numberOf(values, part));
    if (number < 0 || Math.max(...next) < 0) return false;
    const { starts: from, ends, rows } = this.names.inverse;
    let any = false;
    for (const at of rows.subarray(from[number], ends[number])) {
      for (let n = firsts[at]; n + 1 < firsts[at + 1]; n += 1) {
        if (numbers[n] !== number || !next.includes(numbers[n + 1])) continue;
        any = true;
        const score = factor * (n === firsts[at] ? FIRST_WORD : NAME);
        if (scores[this.start + at] < score) scores[this.start + at] = score;
      }
    }
    return any;
  }

  // Returns the names of the blocks with what is wanted: a word, its forms and beginnings, or a pair.
  *blocksWith({ word, second }) {
    if (second) {
      const pair = `${word} ${second}`;
      yield* within("p", this.layer.pairs, pair, pair);
    } else if ([...word].length < SHORTEST_BEGINNING) yield* within("w", this.layer.words, word, word);
    else yield* within("w", this.layer.words, stem(word), `${stem(word)}\uffff`);
  }

  // Fetches a block of words or pairs, or versions and summaries of rows; each only once.
  fetch(name) {
    if (!this.#coming.has(name)) {
      const coming = this.read(name).then((part) => {
        this.#take(name, part);
        this.#here.add(name);
      });
      this.#coming.set(name, coming);
      coming.catch(() => this.#coming.delete(name));
    }
    return this.#coming.get(name);
  }

  has(name) {
    return this.#here.has(name);
  }

  #take(name, part) {
    const blocks = this.#blocks[name[0]];
    if (blocks) blocks.push({ words: Object.keys(part).sort(), block: part });
    else this.#shown.set(name, part);
  }

  // Returns the name of the file with the version and summary of a row, or nothing if it is here.
  fileFor(at) {
    const name = this.#fileOf(at);
    return this.#shown.has(name) ? undefined : name;
  }
}

function withoutUnderscore(part) {
  return part.endsWith("_") ? part.slice(0, -1) : part;
}

function* within(kind, firsts, start, end) {
  let at = firsts.findLastIndex((first) => first <= start);
  if (at < 0) at = 0;
  for (; at < firsts.length && firsts[at] <= end; at += 1) yield `${kind}${at}`;
}

// Fetches the blocks in which a query's words are, at most so many at a time, and waits for those that
// another query asked for; returns how many came, and how many are left.
export async function fetchTexts({ layers }, wanted, most) {
  const missing = new Map();
  for (const each of wanted) {
    for (const [number, layer] of layers.entries()) {
      for (const name of layer.blocksWith(each)) {
        if (!layer.has(name)) missing.set(`${number} ${name}`, [layer, name]);
      }
    }
  }
  return { came: await fetchSome(missing, most), left: Math.max(missing.size - most, 0) };
}

// Fetches the summaries of rows, each given as [layer, its number in that], from at most so many files.
export async function fetchSummaries(places, most) {
  const missing = new Map();
  for (const [layer, at] of places) {
    const name = layer.fileFor(at);
    if (name) missing.set(`${layer.start} ${name}`, [layer, name]);
  }
  await fetchSome(missing, most);
}

async function fetchSome(missing, most) {
  const now = [...missing.values()].slice(0, most);
  await Promise.all(now.map(([layer, name]) => layer.fetch(name)));
  return now.length;
}
