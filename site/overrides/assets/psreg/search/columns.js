// Columns of a catalogue as arrays of numbers. Work of many rows is done here in plain loops, without
// an object or a function call for each of 50,000 rows.

// The digits in which a column of a layer is written, and the sign that ends a row of several numbers
// (registry/search/layers.py).
const [DIGITS, FIRST_DIGIT, LEFT_OUT, END] = [90, 35, 92, 33];

// For each row, numbers of values.
export class Lists {
  #inverse;

  // The numbers of row `at` are those in `numbers` from starts[at] to before starts[at + 1]. The inverse
  // leaves out the rows that are `replaced`.
  constructor(values, starts, numbers, replaced = new Uint8Array(starts.length - 1)) {
    this.values = values;
    this.starts = starts;
    this.numbers = numbers;
    this.replaced = replaced;
  }

  // Returns the column with these values in each row.
  static of(rows) {
    const values = [...new Set(rows.flat())].sort();
    const number = new Map(values.map((value, at) => [value, at]));
    const starts = new Uint32Array(rows.length + 1);
    for (const [at, row] of rows.entries()) starts[at + 1] = starts[at] + row.length;
    return new Lists(values, starts, Uint32Array.from(rows.flat(), (value) => number.get(value)));
  }

  // Reads a column of a layer; it has either one number in each row, or the end of each row.
  static read({ values, rows }, replaced) {
    const width = widthOf(values.length);
    const ended = rows.includes(String.fromCharCode(END));
    const numbers = new Uint32Array((rows.length - (ended ? replaced.length : 0)) / width);
    const starts = new Uint32Array(replaced.length + 1);
    let [at, row, number, left] = [0, 0, 0, width];
    for (let place = 0; place < rows.length; place += 1) {
      const sign = rows.charCodeAt(place);
      if (sign !== END) {
        number = number * DIGITS + sign - FIRST_DIGIT - (sign > LEFT_OUT ? 1 : 0);
        left -= 1;
        if (left > 0) continue;
        numbers[at++] = number;
        number = 0;
        left = width;
        if (ended) continue;
      }
      starts[++row] = at;
    }
    return new Lists(values, starts, numbers, replaced);
  }

  valuesOf(at) {
    const found = [];
    for (let n = this.starts[at]; n < this.starts[at + 1]; n += 1) found.push(this.values[this.numbers[n]]);
    return found;
  }

  // The rows in which each number is: those in `rows` from starts[number] to before ends[number].
  get inverse() {
    return (this.#inverse ??= inverted(this));
  }

  // Returns how often each number is in rows that pass.
  counts(passing) {
    const { starts, ends, rows } = this.inverse;
    const found = new Uint32Array(ends.length);
    for (let number = 0; number < ends.length; number += 1) {
      const end = ends[number];
      let count = 0;
      for (let n = starts[number]; n < end; n += 1) count += passing[rows[n]];
      found[number] = count;
    }
    return found;
  }

  // Notes which rows lack a number: sets `bit` in `missed`. All lack -1, the number of an unknown value.
  miss(number, missed, bit) {
    const { starts, ends, rows } = this.inverse;
    for (let at = 0; at < missed.length; at += 1) missed[at] |= bit;
    for (let n = starts[number]; n < ends[number]; n += 1) missed[rows[n]] &= ~bit;
  }

  // Compares the lists of two rows; they are equal, or neither is a beginning of the other.
  compare(one, other) {
    const { starts, numbers } = this;
    const end = starts[one + 1];
    let m = starts[one];
    let n = starts[other];
    while (m < end && numbers[m] === numbers[n]) {
      m += 1;
      n += 1;
    }
    return m < end ? numbers[m] - numbers[n] : 0;
  }
}

function inverted({ values, starts: firsts, numbers, replaced }) {
  const starts = new Uint32Array(values.length + 1);
  for (let n = 0; n < numbers.length; n += 1) starts[numbers[n] + 1] += 1;
  for (let number = 1; number < starts.length; number += 1) starts[number] += starts[number - 1];
  const ends = starts.slice(0, -1);
  const rows = new Uint32Array(numbers.length);
  for (let at = 0; at < replaced.length; at += 1) {
    if (replaced[at]) continue;
    const end = firsts[at + 1];
    for (let n = firsts[at]; n < end; n += 1) rows[ends[numbers[n]]++] = at;
  }
  return { starts, ends, rows };
}

function widthOf(number) {
  let width = 1;
  for (let most = DIGITS; most < number; most *= DIGITS) width += 1;
  return width;
}

// Returns for each row 1 if it has such a rank and misses nothing, or only what is in `but`, else 0. What
// it misses is in bits.
export function passingRows(ranks, least, below, missed, but) {
  const passing = new Uint8Array(ranks.length);
  for (let at = 0; at < ranks.length; at += 1) {
    if (ranks[at] >= least && ranks[at] < below && !(missed[at] & ~but)) passing[at] = 1;
  }
  return passing;
}

// Returns the first `most` of rows that pass, those with the greatest rank, then with the first name; and
// how many rows pass.
export function firstOf(passing, ranks, names, most) {
  const before = (a, b) => ranks[b] - ranks[a] || names.compare(a, b);
  let kept = [];
  let all = 0;
  let last = -1;
  for (let row = 0; row < passing.length; row += 1) {
    if (!passing[row]) continue;
    all += 1;
    if (last >= 0 && before(row, last) > 0) continue;
    kept.push(row);
    if (kept.length < 2 * most) continue;
    kept = kept.sort(before).slice(0, most);
    last = kept.at(-1);
  }
  return { rows: kept.sort(before).slice(0, most), all };
}

// Yields the numbers of the texts that begin with `start`; they are in their order.
export function* beginning(texts, start) {
  for (let at = placeOf(texts, start); at < texts.length && texts[at].startsWith(start); at += 1) yield at;
}

// Returns the number of a text, or -1.
export function numberOf(texts, text) {
  const at = placeOf(texts, text);
  return texts[at] === text ? at : -1;
}

function placeOf(texts, start) {
  let [low, high] = [0, texts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (texts[middle] < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
