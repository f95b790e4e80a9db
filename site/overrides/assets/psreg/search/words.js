// Words of texts and queries as the search compares them: without case, accents and endings.
// `psreg search` does the same (registry/search/words.py).

const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", þ: "th", ı: "i" };
const UMLAUTS = { ä: "ae", ö: "oe", ü: "ue" };

// Of Chinese and Japanese, which have no blanks between words, a word is one character.
const WORD =
  /[\u3041-\u30ff\u3400-\u9fff]|(?:(?![\u3041-\u30ff\u3400-\u9fff])[\p{L}\p{N}])+/gu;
const ASCII = /^[\x00-\x7f]*$/;

// Endings of English, German, French and Spanish words, and how many letters must be left.
const ENDINGS = {
  3: "ed ing",
  4:
    "er or en em ings ion ione cion cione acion acione ation ator ate ated ating ment ement " +
    "able ible ness ous ful ly " +
    "ise ize iser izer isation ization isieren isierung ising izing ised ized ung ungen eln el " +
    "ern erin erinnen lich ieren ierung eur euse rice amiento imiento mente " +
    "ado ada ido iendo ando",
  5: "is ar ir",
};
const LEAST = new Map(
  Object.entries(ENDINGS).flatMap(([least, all]) => all.split(" ").map((e) => [e, Number(least)])),
);
const LONGEST_ENDING = Math.max(...[...LEAST.keys()].map((ending) => ending.length));
const PASSES = 2;
const SHORT = 4;
const VOWELS = "aeiouy";
const LAST_VOWELS = "eiy";

// Removes case and accents, so that "resume" finds "Résumé".
export function folded(text) {
  if (ASCII.test(text)) return text.toLowerCase();
  const letters = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return letters.replace(/[ßæœøđðłþı]/g, (letter) => LETTERS[letter]);
}

export function wordsOf(text) {
  return folded(text).match(WORD) ?? [];
}

// Returns the words of a text, each with its other spellings: "ä" may be "ae", and "ae" "a".
export function spellings(text) {
  const plain = text.normalize("NFC").toLowerCase();
  const long = wordsOf(plain.replace(/[äöü]/g, (letter) => UMLAUTS[letter]));
  return wordsOf(text).map((word, at) => [
    ...new Set([word, long[at], word.replace(/([aou])e/g, "$1")]),
  ]);
}

const stems = new Map();

// Returns a folded word without the ending of its form; it is a beginning of the word.
export function stem(word) {
  let found = stems.get(word);
  if (found === undefined) stems.set(word, (found = stemOf(word)));
  return found;
}

function stemOf(word) {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  let left = word.endsWith("s") && !"sui".includes(word.at(-2)) ? word.slice(0, -1) : word;
  for (let pass = 0; pass < PASSES; pass += 1) left = single(withoutEnding(left));
  while (left.length > SHORT && VOWELS.includes(left.at(-1))) left = left.slice(0, -1);
  if (left.length === SHORT && LAST_VOWELS.includes(left.at(-1))) left = left.slice(0, -1);
  return single(left);
}

function withoutEnding(word) {
  for (let length = LONGEST_ENDING; length > 1; length -= 1) {
    const least = LEAST.get(word.slice(-length));
    const left = word.slice(0, -length);
    if (least && left.length >= least && /[aeiouy]/.test(left)) return left;
  }
  return word;
}

function single(word) {
  const last = word.at(-1);
  const twice = word.length >= SHORT && last === word.at(-2) && !VOWELS.includes(last);
  return twice ? word.slice(0, -1) : word;
}

// Counts the typing errors between two words; `most` + 1 if there are more.
export function distance(word, known, most) {
  const one = [...word];
  const other = [...known];
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before = [];
  let row = [...other.keys(), other.length];
  for (let i = 1; i <= one.length; i += 1) {
    const now = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const differ = one[i - 1] === other[j - 1] ? 0 : 1;
      let least = Math.min(row[j] + 1, now[j - 1] + 1, row[j - 1] + differ);
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && other[j - 1] === one[i - 2];
      if (swapped) least = Math.min(least, before[j - 2] + 1);
      now.push(least);
    }
    if (Math.min(...now) > most) return most + 1;
    before = row;
    row = now;
  }
  return Math.min(row.at(-1), most + 1);
}

export function errorsAllowed(word) {
  const { length } = [...word];
  return (length >= 4 ? 1 : 0) + (length >= 8 ? 1 : 0);
}
