// The rank of entries in a search: those that match all words, then those that match most of them.
// `psreg search` ranks alike (registry/search/ranking.py); tests/vectors/search.json holds both to it.
import { alternatives, fit, guesses, termsOf } from "./query.js";

const WHOLE_NAME = 1000;
const NOT_DEPRECATED = 10;

// What one matching term is worth besides its score: more than all scores together.
const MATCHED = 2 ** 20;

// All rows of a catalogue, numbered from 0 through its parts, which are Rows and Layers.
export class Index {
  constructor(parts) {
    this.parts = parts;
    this.count = 0;
    for (const part of parts) {
      part.start = this.count;
      this.count += part.count;
    }
  }

  // Returns the part with a row.
  partOf(row) {
    let number = this.parts.length - 1;
    while (this.parts[number].start > row) number -= 1;
    return this.parts[number];
  }

  row(number) {
    const part = this.partOf(number);
    return part.row(number - part.start);
  }

  // The words of names and tags.
  get labels() {
    this.words ??= new Set(this.parts.flatMap((part) => [...part.labelWords()]));
    return this.words;
  }

  // Raises the scores of the rows in which a word is; tells whether there are any.
  raise(wanted, factor, scores) {
    let any = false;
    for (const part of this.parts) if (part.raise(wanted, factor, scores)) any = true;
    return any;
  }

  // Returns a rank for each row: 1 for all that are not replaced.
  all() {
    const ranks = new Int32Array(this.count).fill(1);
    for (const { start, count, replaced } of this.parts) {
      for (let at = 0; at < count; at += 1) if (replaced?.[at]) ranks[start + at] = 0;
    }
    return ranks;
  }

  // Returns the number of the row with a name, or -1.
  find(name) {
    for (const part of this.parts) {
      const at = part.find(name);
      if (at >= 0 && !part.replaced?.[at]) return part.start + at;
    }
    return -1;
  }
}

// Returns a rank for each row, 0 if it does not match; those of `whole` and above have all words.
// `wanted` is what was looked for.
export function ranked(index, query, thesaurus) {
  if (!query.trim()) return { ranks: index.all(), whole: 1, wanted: [] };
  const terms = termsOf(query, thesaurus.weak);
  const matches = new Matches(index, terms);
  for (const each of alternatives(terms, thesaurus)) matches.add(each);
  const strong = [...terms.keys()].filter((at) => !terms[at].weak);
  for (const at of strong.filter((number) => !matches.any[number])) {
    for (const each of guesses(terms, at, thesaurus, index.labels)) matches.add(each);
  }
  const name = terms.flatMap((term) => term.phrase ?? [term.word]).join("_");
  const ranks = summed(index, strong.map((at) => matches.scores[at]), name);
  return { ranks, whole: Math.max(strong.length, 1) * MATCHED, wanted: matches.wanted };
}

// What the rows are worth for each term.
class Matches {
  wanted = [];

  constructor(index, terms) {
    this.index = index;
    this.scores = terms.map((term) => (term.weak ? null : new Uint16Array(index.count)));
    this.any = terms.map(() => false);
  }

  add({ start, end, wanted, factor }) {
    this.wanted.push(...wanted);
    const together = wanted.length > 1 ? this.#allOf(wanted) : null;
    if (wanted.length > 1 && !together) return;
    for (let at = start; at < end; at += 1) {
      const scores = this.scores[at];
      if (!scores) continue;
      if (together) this.any[at] = raised(scores, together, factor) || this.any[at];
      else this.any[at] = this.index.raise(wanted[0], factor, scores) || this.any[at];
    }
  }

  // Returns the least score of each row for words that it has all; nothing if no row has one of them.
  #allOf(wanted) {
    const [least, other] = (this.spare ??= [0, 0].map(() => new Uint16Array(this.index.count)));
    least.fill(0);
    if (!this.index.raise(wanted[0], 1, least)) return undefined;
    for (const each of wanted.slice(1)) {
      other.fill(0);
      if (!this.index.raise(each, 1, other)) return undefined;
      for (let row = 0; row < least.length; row += 1) if (other[row] < least[row]) least[row] = other[row];
    }
    return least;
  }
}

function raised(scores, found, factor) {
  let any = false;
  for (let row = 0; row < scores.length; row += 1) {
    if (!found[row]) continue;
    any = true;
    if (found[row] * factor > scores[row]) scores[row] = found[row] * factor;
  }
  return any;
}

// Returns the ranks: the number of terms that match, then the sum of what they are worth.
function summed(index, all, name) {
  const ranks = new Int32Array(index.count);
  for (const scores of all) {
    for (let row = 0; row < ranks.length; row += 1) {
      if (scores[row]) ranks[row] += MATCHED + scores[row] * NOT_DEPRECATED;
    }
  }
  const named = index.find(name);
  if (ranks[named]) ranks[named] += WHOLE_NAME * NOT_DEPRECATED;
  for (const { start, deprecated } of index.parts) {
    for (const at of deprecated) {
      const score = ranks[start + at] % MATCHED;
      ranks[start + at] -= score - score / NOT_DEPRECATED;
    }
  }
  return ranks;
}

// Yields what a query looks for in texts, besides names and tags.
export function* wantedInTexts(query, thesaurus) {
  for (const { wanted } of alternatives(termsOf(query, thesaurus.weak), thesaurus)) {
    yield* wanted.filter(({ labels }) => !labels);
  }
}

// Returns a function that tells whether a word of a text is one that was looked for.
export function matcher(wanted) {
  const known = new Map();
  const starts = new Map();
  for (const each of wanted) {
    for (const part of each.second ? [{ word: each.word }, { word: each.second }] : [each]) {
      starts.set(JSON.stringify(part), part);
    }
  }
  return (word) => {
    if (!known.has(word)) {
      known.set(word, [...starts.values()].some((each) => fit(each, word, !each.labels) > 0));
    }
    return known.get(word);
  };
}
