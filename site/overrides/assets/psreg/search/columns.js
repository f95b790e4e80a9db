// Columns of a catalogue as arrays of numbers. Work of many rows is done here in plain loops, without
// an object or a function call for each of 50,000 rows.

// The digits in which a column of a layer is written, and the sign that ends a row of several numbers
// (registry/search/layers.py).
const [DIGITS, FIRST_DIGIT, LEFT_OUT, END] = [90, 35, 92, 33];

// For each row, numbers of values.
export class Lists {
  // The numbers of row `at` are those in `numbers` from starts[at] to before starts[at + 1].
  constructor(values, starts, numbers) {
    this.values = values;
    this.starts = starts;
    this.numbers = numbers;
  }

  // Returns the column with these values in each row.
  static of(rows) {
    const values = [...new Set(rows.flat())];
    const number = new Map(values.map((value, at) => [value, at]));
    const starts = new Uint32Array(rows.length + 1);
    for (const [at, row] of rows.entries()) starts[at + 1] = starts[at] + row.length;
    return new Lists(values, starts, Uint32Array.from(rows.flat(), (value) => number.get(value)));
  }

  // Reads a column of a layer with several numbers in a row.
  static read({ values, rows }, count) {
    const width = widthOf(values.length);
    const starts = new Uint32Array(count + 1);
    const signs = new TextEncoder().encode(rows);
    const digits = new Uint8Array(signs.length - count);
    let at = 0;
    let row = 0;
    for (let place = 0; place < signs.length; place += 1) {
      if (signs[place] !== END) digits[at++] = signs[place];
      else starts[++row] = at / width;
    }
    return new Lists(values, starts, numbersOf(digits, width));
  }

  // Reads a column of a layer with one number in a row.
  static readSingle({ values, rows }) {
    const numbers = numbersOf(new TextEncoder().encode(rows), widthOf(values.length));
    return new Lists(values, upTo(numbers.length + 1), numbers);
  }

  valuesOf(at) {
    const found = [];
    for (let n = this.starts[at]; n < this.starts[at + 1]; n += 1) found.push(this.values[this.numbers[n]]);
    return found;
  }

  // Returns how often each number is in rows.
  counts(rows) {
    const { starts, numbers } = this;
    const found = new Uint32Array(this.values.length);
    for (let each = 0; each < rows.length; each += 1) {
      const end = starts[rows[each] + 1];
      for (let n = starts[rows[each]]; n < end; n += 1) found[numbers[n]] += 1;
    }
    return found;
  }

  // Notes which rows lack a number: sets `bit` in `missed`.
  miss(number, missed, bit) {
    const { starts, numbers } = this;
    for (let at = 0; at < missed.length; at += 1) {
      let has = false;
      for (let n = starts[at]; n < starts[at + 1]; n += 1) if (numbers[n] === number) has = true;
      if (!has) missed[at] |= bit;
    }
  }

  // Returns the rows in which each number is, as rows `rows` from starts[n] to before starts[n + 1],
  // without those that are `replaced`.
  inverse(replaced) {
    const { starts, numbers } = this;
    const count = starts.length - 1;
    const ends = new Uint32Array(this.values.length + 1);
    for (let at = 0; at < count; at += 1) {
      if (replaced[at]) continue;
      for (let n = starts[at]; n < starts[at + 1]; n += 1) ends[numbers[n] + 1] += 1;
    }
    for (let n = 1; n < ends.length; n += 1) ends[n] += ends[n - 1];
    const from = ends.slice();
    const rows = new Uint32Array(ends[ends.length - 1]);
    for (let at = 0; at < count; at += 1) {
      if (replaced[at]) continue;
      for (let n = starts[at]; n < starts[at + 1]; n += 1) rows[ends[numbers[n]]++] = at;
    }
    return { starts: from, rows };
  }

  // Returns the rows in the order of their lists; those that are equal stay as they are in `rows`.
  sorted(rows = upTo(this.starts.length - 1)) {
    const { starts, numbers, values } = this;
    let longest = 0;
    for (let at = 0; at < rows.length; at += 1) longest = Math.max(longest, starts[at + 1] - starts[at]);
    let now = rows;
    // The last number first: rows that are equal in it stay in their order.
    for (let place = longest - 1; place >= 0; place -= 1) {
      const ends = new Uint32Array(values.length + 2);
      for (let each = 0; each < now.length; each += 1) {
        const n = starts[now[each]] + place;
        ends[n < starts[now[each] + 1] ? numbers[n] + 2 : 1] += 1;
      }
      for (let n = 1; n < ends.length; n += 1) ends[n] += ends[n - 1];
      const next = new Uint32Array(now.length);
      for (let each = 0; each < now.length; each += 1) {
        const n = starts[now[each]] + place;
        next[ends[n < starts[now[each] + 1] ? numbers[n] + 1 : 0]++] = now[each];
      }
      now = next;
    }
    return now;
  }
}

function widthOf(number) {
  let width = 1;
  for (let most = DIGITS; most < number; most *= DIGITS) width += 1;
  return width;
}

function numbersOf(signs, width) {
  const numbers = new Uint32Array(signs.length / width);
  let place = 0;
  for (let at = 0; at < numbers.length; at += 1) {
    let number = 0;
    for (let end = place + width; place < end; place += 1) {
      const sign = signs[place];
      number = number * DIGITS + sign - FIRST_DIGIT - (sign > LEFT_OUT ? 1 : 0);
    }
    numbers[at] = number;
  }
  return numbers;
}

// Returns the rows with such a rank that miss nothing, or only what is in `but`; those are bits.
export function rowsBetween(ranks, least, below, missed, but) {
  const found = new Uint32Array(ranks.length);
  let number = 0;
  for (let at = 0; at < ranks.length; at += 1) {
    if (ranks[at] >= least && ranks[at] < below && !(missed[at] & ~but)) found[number++] = at;
  }
  return found.subarray(0, number);
}

// Returns the numbers from 0 to before `end`.
function upTo(end) {
  const numbers = new Uint32Array(end);
  for (let at = 0; at < end; at += 1) numbers[at] = at;
  return numbers;
}

// Returns the greatest of numbers.
export function greatest(numbers) {
  let most = 0;
  for (let at = 0; at < numbers.length; at += 1) if (numbers[at] > most) most = numbers[at];
  return most;
}

// Returns the place of each row in an order.
export function placesIn(order) {
  const places = new Uint32Array(order.length);
  for (let place = 0; place < order.length; place += 1) places[order[place]] = place;
  return places;
}

// Returns the first `most` of rows: those with the greatest rank, then with the first place.
export function firstOf(rows, ranks, places, most) {
  const before = (a, b) => ranks[b] - ranks[a] || places[a] - places[b];
  let kept = [];
  let rank = -1;
  let place = Infinity;
  for (let each = 0; each < rows.length; each += 1) {
    const row = rows[each];
    if (ranks[row] < rank || (ranks[row] === rank && places[row] > place)) continue;
    kept.push(row);
    if (kept.length < 2 * most) continue;
    kept = kept.sort(before).slice(0, most);
    rank = ranks[kept.at(-1)];
    place = places[kept.at(-1)];
  }
  return kept.sort(before).slice(0, most);
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
