// Rows that are read whole: those of small segments, of drafts, and the pages of the documentation.

import { Lists, beginning } from "./columns.js";
import { EXACT, FIRST_WORD, NAME, SENTENCES, TAGS, fit } from "./query.js";
import { stem, wordsOf } from "./words.js";

const [SUMMARY, USE_CASE, WORDS] = SENTENCES;

// Where words, and pairs of neighbours, are: a list of rows, each followed by the greatest weight.
class Places {
  words = new Map();
  pairs = new Map();

  // Adds the words of a text; its first one may have another weight.
  add(at, words, weight, first = weight) {
    for (const [place, word] of words.entries()) {
      const worth = place ? weight : first;
      note(this.words, word, at, worth);
      if (place + 1 < words.length) note(this.pairs, `${word} ${words[place + 1]}`, at, worth);
    }
  }

  // Yields the places of what is wanted, each with how well it fits.
  *of(wanted, label) {
    if (wanted.second) {
      const places = this.pairs.get(`${wanted.word} ${wanted.second}`);
      if (places) yield [places, EXACT];
      return;
    }
    this.sorted ??= [...this.words.keys()].sort();
    for (const number of beginning(this.sorted, stem(wanted.word))) {
      const fits = fit(wanted, this.sorted[number], label);
      if (fits) yield [this.words.get(this.sorted[number]), fits];
    }
  }
}

// Rows come in their order, each several times in a row: the last one is enough to look at.
function note(places, key, at, weight) {
  const found = places.get(key);
  if (found === undefined) places.set(key, [at, weight]);
  else if (found.at(-2) !== at) found.push(at, weight);
  else if (found.at(-1) < weight) found[found.length - 1] = weight;
}

export class Rows {
  // The number of the first row in an index, which tells it.
  start = 0;
  #dates;
  #labels = new Places();
  #names;
  #sentences = new Places();

  // `facets` has a list of values for each row and facet.
  constructor(rows, facets = {}) {
    this.rows = rows;
    this.count = rows.length;
    const columns = Object.entries(facets).map(([facet, values]) => [facet, Lists.of(values)]);
    this.facets = Object.fromEntries(columns);
    this.deprecated = [...rows.keys()].filter((at) => rows[at].deprecated);
    for (const [at, row] of rows.entries()) this.#add(at, row);
  }

  #add(at, { name, tags, summary, useCase, words }) {
    this.#labels.add(at, name.split("_"), NAME, FIRST_WORD);
    for (const tag of tags) this.#labels.add(at, wordsOf(tag), TAGS);
    this.#sentences.add(at, wordsOf(summary), SUMMARY);
    this.#sentences.add(at, wordsOf(useCase), USE_CASE);
    // They are in no order, so that they have no neighbours.
    for (const word of words) this.#sentences.add(at, [word], WORDS);
  }

  name(at) {
    return this.rows[at].name;
  }

  row(at) {
    return this.rows[at];
  }

  // The numbers of dates are in their order.
  get dates() {
    return (this.#dates ??= Lists.of(this.rows.map(({ date }) => [date])));
  }

  // The order of their numbers is that of names.
  get names() {
    return (this.#names ??= Lists.of(this.rows.map(({ name }) => [name])));
  }

  // Returns the number of the row with a name, or -1.
  find(name) {
    return this.rows.findIndex((row) => row.name === name);
  }

  labelWords() {
    return this.#labels.words.keys();
  }

  // Raises the scores of the rows in which a word, or a pair, is; tells whether there are any.
  raise(wanted, factor, scores) {
    let any = false;
    for (const places of wanted.labels ? [this.#labels] : [this.#labels, this.#sentences]) {
      for (const [found, fits] of places.of(wanted, places === this.#labels)) {
        any = true;
        for (let n = 0; n < found.length; n += 2) {
          const score = found[n + 1] * fits * factor;
          if (scores[this.start + found[n]] < score) scores[this.start + found[n]] = score;
        }
      }
    }
    return any;
  }

  // All of it is here.
  fileFor() {}
}
