// What the words of a query mean: what to look for, and how much each way of saying it counts.
// `psreg search` reads queries alike (registry/search/query.py).
import { LONGEST } from "./thesaurus.js";
import { distance, errorsAllowed, spellings, stem } from "./words.js";

const [TYPED, SPELLED, JOINED, SAME, MISTYPED, RELATED, INSIDE] = [10, 9, 8, 7, 5, 4, 3];
const MOST_TERMS = 12;
const [SHORTEST_PART, SHORTEST_INSIDE] = [3, 4];
const QUOTES = /["\u201c\u201d\u201e\u00ab\u00bb]/;

export function termsOf(query, weak) {
  let parts = query.split(QUOTES);
  if (parts.length % 2 === 0) {
    // A quotation mark is still open.
    const [one, two] = parts.splice(-2);
    parts = [...parts, `${one} ${two}`];
  }
  const all = parts.flatMap((part, number) => {
    const found = spellings(part);
    if (number % 2 && found.length) return [{ word: "", phrase: found.map(([word]) => word) }];
    return found.map((each) => ({ word: each[0], spellings: each }));
  });
  const terms = all.slice(0, MOST_TERMS);
  const some = terms.some((term) => !weak.has(term.word));
  return terms.map((term) => ({ ...term, weak: some && weak.has(term.word) }));
}

// Yields ways of saying terms, as { start, end, wanted, factor }: words that all must be there.
export function* alternatives(terms, thesaurus) {
  for (const [at, term] of terms.entries()) {
    if (term.phrase) {
      yield { start: at, end: at + 1, wanted: neighbours(term.phrase), factor: TYPED };
      continue;
    }
    if (!term.weak) yield* said(term, at);
    const words = wordsFrom(terms, at);
    if (words.length > 1) {
      const wanted = [{ word: words[0] + words[1], forms: true }];
      yield { start: at, end: at + 2, wanted, factor: JOINED };
    }
    for (let length = term.weak ? 2 : 1; length <= Math.min(LONGEST, words.length); length += 1) {
      const found = length > 1 ? [words.slice(0, length)] : term.spellings.map((each) => [each]);
      for (const phrase of found) {
        yield* meanings(phrase, at, at + length, thesaurus, SAME, RELATED);
      }
    }
  }
}

function* said(term, at) {
  for (const [number, word] of term.spellings.entries()) {
    yield one(at, { word, forms: true, beginnings: true }, number ? SPELLED : TYPED);
  }
  for (const [word, second] of divided(term.word)) {
    yield one(at, { word, second, labels: true }, JOINED);
  }
}

// Yields what a term that nothing has may mean: a typing error, two words, a part of a word.
export function* guesses(terms, at, thesaurus, labels) {
  const { word } = terms[at];
  for (const [found, errors] of misspelt(word, labels, thesaurus.words)) {
    yield one(at, { word: found, forms: true, labels: true }, MISTYPED - errors + 1);
    yield* meanings([found], at, at + 1, thesaurus, RELATED, INSIDE);
  }
  for (const both of divided(word)) {
    const wanted = both.map((each) => ({ word: each, forms: true, labels: true }));
    yield { start: at, end: at + 1, wanted, factor: RELATED };
  }
  if ([...word].length < SHORTEST_INSIDE) return;
  for (const label of labels) {
    if (label.includes(word)) yield one(at, { word: label, labels: true }, INSIDE);
  }
}

// Returns the known words with the fewest errors, each with their number.
function misspelt(word, ...known) {
  const most = errorsAllowed(word);
  const found = new Map();
  const [first, second = first] = word;
  if (!first) return found;
  const beginnings = [first.charCodeAt(0), second.charCodeAt(0)];
  for (const words of known) {
    for (const each of words) {
      const beginning = each.charCodeAt(0);
      if (beginning !== beginnings[0] && beginning !== beginnings[1]) continue;
      // The first letters are right, but for their order.
      if (!each.startsWith(first) && !each.startsWith(second + first)) continue;
      const errors = distance(word, each, most);
      if (errors <= most) found.set(each, errors);
    }
  }
  const least = Math.min(...found.values());
  return [...found].filter(([, errors]) => errors === least);
}

function one(at, wanted, factor) {
  return { start: at, end: at + 1, wanted: [wanted], factor };
}

function neighbours(phrase) {
  if (phrase.length === 1) return [{ word: phrase[0] }];
  return phrase.slice(1).map((second, at) => ({ word: phrase[at], second }));
}

function divided(word) {
  const letters = [...word];
  const pairs = [];
  for (let at = SHORTEST_PART; at <= letters.length - SHORTEST_PART; at += 1) {
    pairs.push([letters.slice(0, at).join(""), letters.slice(at).join("")]);
  }
  return pairs;
}

function wordsFrom(terms, at) {
  const end = terms.findIndex((term, number) => number >= at && term.phrase);
  return terms.slice(at, end < 0 ? undefined : end).map((term) => term.word);
}

function* meanings(phrase, start, end, thesaurus, same, related) {
  for (const [found, isRelated] of thesaurus.meanings(phrase)) {
    const wanted = found.map((word) => ({ word, forms: true, labels: true }));
    yield { start, end, wanted, factor: isRelated ? related : same };
  }
}

// The weights of the first word of a name, of its others, of tags, and of summary, use case and other
// words of a text.
export const [FIRST_WORD, NAME, TAGS] = [44, 40, 32];
export const SENTENCES = [18, 12, 6];

export const EXACT = 10;
const [FORM, BEGINNING] = [9, 7];
const SHORTEST_BEGINNING = 3;

// Tells how well a word of a text fits; 0 if it is another one.
export function fit(wanted, word, label) {
  if (word === wanted.word) return EXACT;
  if (wanted.forms && stem(word) === stem(wanted.word)) return FORM;
  const long = label || [...wanted.word].length >= SHORTEST_BEGINNING;
  return wanted.beginnings && long && word.startsWith(wanted.word) ? BEGINNING : 0;
}
