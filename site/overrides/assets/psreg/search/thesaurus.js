// Words that mean the same, in several languages, from the file that `psreg search` reads
// (registry/search/thesaurus.py says how it is written).
import { folded, stem, wordsOf } from "./words.js";

export const LONGEST = 4;

export class Thesaurus {
  constructor(text) {
    const lines = folded(text).split("\n").map((line) => line.trim());
    const used = lines.filter((line) => line && !line.startsWith("#"));
    this.weak = new Set(used.filter((line) => line.startsWith("!")).flatMap(wordsOf));
    this.lines = used
      .filter((line) => !line.startsWith("!"))
      .map((line) => {
        const [same, related = ""] = line.split(/>(.*)/);
        return { same: phrases(same), related: phrases(related) };
      });
    const all = this.lines.flatMap((line) => [...line.same, ...line.related]);
    this.words = new Set(all.filter((phrase) => phrase.length === 1).map(([word]) => word));
    this.places = new Map();
    for (const line of this.lines) {
      for (const key of new Set(line.same.map(stemsOf))) {
        this.places.set(key, [...(this.places.get(key) ?? []), line]);
      }
    }
  }

  // Returns the phrases that mean the same, and those that are related, as [phrase, related].
  meanings(phrase) {
    const wanted = stemsOf(phrase);
    return (this.places.get(wanted) ?? []).flatMap(({ same, related }) => [
      ...same.filter((each) => stemsOf(each) !== wanted).map((each) => [each, false]),
      ...related.map((each) => [each, true]),
    ]);
  }
}

function phrases(text) {
  return text.split(/[,>]/).map(wordsOf).filter((words) => words.length);
}

function stemsOf(phrase) {
  return phrase.map(stem).join(" ");
}
