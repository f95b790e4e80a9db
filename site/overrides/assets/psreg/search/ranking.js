// The rank of entries in a search: those that match all words, then those that match most of them.
// `psreg search` ranks alike (registry/search/ranking.py); tests/vectors/search.json holds both to it.
import { FIRST_WORD, NAME, SENTENCES, TAGS } from "./layers.js";
import { alternatives, fit, guesses, termsOf } from "./query.js";
import { stem, wordsOf } from "./words.js";

const EXACT = 10;
const [SUMMARY, USE_CASE, WORDS] = SENTENCES;
const WHOLE_NAME = 1000;
const NOT_DEPRECATED = 10;
const MOST_PARTIAL = 10;

// Where words, and pairs of neighbours, occur: in each row with the greatest weight.
class Places {
  words = new Map();
  pairs = new Map();

  // Adds the words of a text; its first one may have another weight.
  add(row, words, weight, first = weight) {
    for (const [at, word] of words.entries()) {
      const worth = at ? weight : first;
      note(this.words, word, row, worth);
      if (at + 1 < words.length) note(this.pairs, `${word} ${words[at + 1]}`, row, worth);
    }
  }

  // Adds words, or pairs with `inPairs`, with their places in rows that have had none.
  learn(places, inPairs) {
    const known = inPairs ? this.pairs : this.words;
    for (const [key, found] of places) {
      const before = known.get(key);
      if (before) for (const each of found) before.push(each);
      else known.set(key, found);
    }
    this.sorted = undefined;
  }

  // Returns the words that begin with `start`.
  *from(start) {
    this.sorted ??= [...this.words.keys()].sort();
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sorted[middle] < start) low = middle + 1;
      else high = middle;
    }
    for (; this.sorted[low]?.startsWith(start); low += 1) yield this.sorted[low];
  }
}

// Rows come in their order, each several times in a row: the last one is enough to look at. If one
// comes again later, it is listed twice.
function note(places, key, row, weight) {
  const found = places.get(key);
  if (found === undefined) places.set(key, [row, weight]);
  else if (found.at(-2) !== row) found.push(row, weight);
  else if (found.at(-1) < weight) found[found.length - 1] = weight;
}

export class Index {
  constructor(rows, layers = []) {
    this.rows = rows;
    this.layers = layers;
    this.labels = new Places();
    this.sentences = new Places();
    for (const [at, row] of rows.entries()) {
      if (row.layer) row.layer.numbers[row.at] = at;
      else this.add(at, row);
    }
    for (const layer of layers) {
      layer.label((word, at, weight) => note(this.labels.words, word, at, weight));
    }
  }

  add(at, row) {
    this.labels.add(at, row.name.split("_"), NAME, FIRST_WORD);
    for (const tag of row.tags) this.labels.add(at, wordsOf(tag), TAGS);
    this.sentences.add(at, wordsOf(row.summary), SUMMARY);
    this.sentences.add(at, wordsOf(row.useCase), USE_CASE);
    // They are in no order, so that they have no neighbours.
    for (const word of row.words) this.sentences.add(at, [word], WORDS);
  }

  // Returns all rows by name.
  get byName() {
    this.named ??= [...this.rows].sort((a, b) => (a.name < b.name ? -1 : 1));
    return this.named;
  }

  // Takes over the places of words in texts that were fetched later.
  learn(places, inPairs) {
    this.sentences.learn(places, inPairs);
  }

  // Returns what the rows are worth in which a word is, by their numbers.
  scores(wanted) {
    const found = new Map();
    for (const places of wanted.labels ? [this.labels] : [this.labels, this.sentences]) {
      if (wanted.second) {
        raise(found, places.pairs.get(`${wanted.word} ${wanted.second}`), EXACT);
        if (places === this.labels) raise(found, this.layeredPairs(wanted), EXACT);
        continue;
      }
      for (const word of places.from(stem(wanted.word))) {
        const fits = fit(wanted, word, places === this.labels);
        if (fits) raise(found, places.words.get(word), fits);
      }
    }
    return found;
  }

  // Returns the places of a pair in names and tags of layers, which have no list of pairs.
  layeredPairs({ word, second }) {
    const found = [];
    const rows = this.layers.length ? this.labels.words.get(word) ?? [] : [];
    for (let at = 0; at < rows.length; at += 2) {
      const row = this.rows[rows[at]];
      const worth = row.layer?.pairWorth(row, word, second);
      if (worth) found.push(rows[at], worth);
    }
    return found;
  }
}

function raise(found, places = [], fits) {
  for (let at = 0; at < places.length; at += 2) {
    const score = places[at + 1] * fits;
    if (score > (found.get(places[at]) ?? 0)) found.set(places[at], score);
  }
}

// Returns the rows that match, best first, as { row, partial }: `partial` ones lack a word. `wanted`
// is what was looked for.
export function search(index, query, thesaurus) {
  const terms = termsOf(query, thesaurus.weak);
  if (!query.trim()) return { found: index.byName.map((row) => ({ row, partial: false })), wanted: [] };
  const totals = new Map();
  const wanted = [];
  const add = (each) => {
    wanted.push(...each.wanted);
    addScores(index, totals, each, terms.length);
  };
  for (const each of alternatives(terms, thesaurus)) add(each);
  const strong = [...terms.keys()].filter((at) => !terms[at].weak);
  const all = [...totals.values()];
  for (const at of strong.filter((number) => !all.some((scores) => scores[number]))) {
    const labels = [...index.labels.words.keys()];
    for (const each of guesses(terms, at, thesaurus, labels)) add(each);
  }
  const whole = terms.flatMap((term) => term.phrase ?? [term.word]).join("_");
  const ranked = [];
  for (const [at, scores] of totals) {
    const matched = strong.filter((number) => scores[number]).length;
    if (matched) ranked.push(rank(index.rows[at], scores, strong, matched, whole));
  }
  ranked.sort(
    (a, b) => b.matched - a.matched || b.score - a.score || (a.row.name < b.row.name ? -1 : 1),
  );
  return { found: ranked, wanted };
}

// Yields what a query looks for in texts, besides names and tags.
export function* wantedInTexts(query, thesaurus) {
  for (const { wanted } of alternatives(termsOf(query, thesaurus.weak), thesaurus)) {
    yield* wanted.filter(({ labels }) => !labels);
  }
}

// Leaves out partial matches that a long list does not need.
export function shortened(found) {
  const whole = found.filter(({ partial }) => !partial).length;
  return found.slice(0, Math.max(whole, MOST_PARTIAL));
}

function addScores(index, totals, { start, end, wanted, factor }, number) {
  let scores = index.scores(wanted[0]);
  for (const each of wanted.slice(1)) {
    if (!scores.size) return;
    const others = index.scores(each);
    const both = [...scores].filter(([row]) => others.has(row));
    scores = new Map(both.map(([row, score]) => [row, Math.min(score, others.get(row))]));
  }
  for (const [row, score] of scores) {
    let total = totals.get(row);
    if (total === undefined) totals.set(row, (total = new Array(number).fill(0)));
    for (let at = start; at < end; at += 1) total[at] = Math.max(total[at], score * factor);
  }
}

function rank(row, scores, strong, matched, whole) {
  const sum = strong.reduce((total, at) => total + scores[at], row.name === whole ? WHOLE_NAME : 0);
  const score = row.deprecated ? sum : sum * NOT_DEPRECATED;
  return { row, score, matched, partial: matched < strong.length };
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
