// Words that mean the same, in several languages, from the file that `psreg search` reads
// (registry/search/thesaurus.py says how it is written).
import { folded, stem, wordsOf } from "./words.js";

export const LONGEST = 4;

export class Thesaurus {
  #words;

  constructor(text) {
    const lines = folded(text).split("\n").map((line) => line.trim());
    const used = lines.filter((line) => line && !line.startsWith("#"));
    this.weak = new Set(used.filter((line) => line.startsWith("!")).flatMap(wordsOf));
    this.lines = used.filter((line) => !line.startsWith("!"));
  }

  // The words that mean something, but for those of phrases.
  get words() {
    this.#words ??= new Set(this.lines.flatMap(phrases).flatMap((words) => (words.length === 1 ? words : [])));
    return this.#words;
  }

  // Returns the phrases that mean the same, and those that are related, as [phrase, related].
  meanings(phrase) {
    const wanted = stemsOf(phrase);
    // A stem is a beginning of its word.
    const lines = this.lines.filter((line) => line.includes(stem(phrase[0])));
    return lines.flatMap((line) => {
      const [same, related = ""] = line.split(/>(.*)/);
      const all = phrases(same);
      if (!all.some((each) => stemsOf(each) === wanted)) return [];
      return [
        ...all.filter((each) => stemsOf(each) !== wanted).map((each) => [each, false]),
        ...phrases(related).map((each) => [each, true]),
      ];
    });
  }
}

function phrases(text) {
  return text.split(/[,>]/).map(wordsOf).filter((words) => words.length);
}

function stemsOf(phrase) {
  return phrase.map(stem).join(" ");
}
