// Words that mean the same, in several languages, from the file that `psreg search` reads
// (registry/search/thesaurus.py says how it is written).
import { folded, stem, wordsOf } from "./words.js";

export const LONGEST = 4;

export class Thesaurus {
  #lines;
  #read;
  #words;

  constructor(text) {
    const lines = folded(text).split("\n").map((line) => line.trim());
    const used = lines.filter((line) => line && !line.startsWith("#"));
    this.weak = new Set(used.filter((line) => line.startsWith("!")).flatMap(wordsOf));
    this.#lines = used.filter((line) => !line.startsWith("!"));
  }

  // For each line, the phrases that mean the same, and those that are related.
  get #meanings() {
    return (this.#read ??= this.#lines.map((line) => {
      const [same, related = ""] = line.split(/>(.*)/);
      return [phrases(same), phrases(related)];
    }));
  }

  // The words that mean something, but for those of phrases.
  get words() {
    return (this.#words ??= new Set(this.#meanings.flat(2).filter((words) => words.length === 1).flat()));
  }

  // Returns the phrases that mean the same, and those that are related, as [phrase, related].
  meanings(phrase) {
    const stems = phrase.map(stem);
    // A stem is a beginning of its word.
    const fits = (word, at) => word.startsWith(stems[at]) && stem(word) === stems[at];
    const wanted = (words) => words.length === stems.length && words.every(fits);
    return this.#meanings.flatMap(([same, related]) => {
      if (!same.some(wanted)) return [];
      return [
        ...same.filter((words) => !wanted(words)).map((words) => [words, false]),
        ...related.map((words) => [words, true]),
      ];
    });
  }
}

function phrases(text) {
  return text.split(/[,>]/).map(wordsOf).filter((words) => words.length);
}
