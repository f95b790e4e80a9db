// The first of many rows that match, without an order of all.
import { compare, firstOf, passingRows } from "./columns.js";

// The most results if those that match all words are fewer: some match a few words.
const BEST = 10;

const byName = (a, b) => compare(a.name, b.name);
const byRank = (a, b) => b.rank - a.rank || byName(a, b);
const byDate = (a, b) => compare(b.date(), a.date()) || byName(a, b);
const ORDERS = { name: byName, newest: byDate };

// What comes before the name in the order of a part.
const RANKS = { name: ({ count }) => new Int32Array(count), newest: ({ dates }) => dates.numbers };

// Returns the `most` first rows, each with whether it is partial; how many there are without partial
// matches that a long list does not need; and how many match all words. They are sorted by rank, or by
// "newest" or "name", and partial ones stay at the end; `ranks` and `whole` are as `ranked` returns them.
// `missed` has for each part what a row lacks besides: the row is left out if that is not 0.
export function selected(index, { ranks, whole }, missed, most, by) {
  const complete = first(index, ranks, [whole, Infinity], missed, most, by);
  const left = Math.max(BEST - complete.total, 0);
  const partial = first(index, ranks, [1, whole], missed, left);
  if (ORDERS[by]) partial.found.sort(ORDERS[by]);
  const found = [
    ...complete.found.map(({ row }) => ({ row, partial: false })),
    ...partial.found.map(({ row }) => ({ row, partial: true })),
  ];
  return {
    found: found.slice(0, most).map(({ row, partial: some }) => ({ row: index.row(row), partial: some })),
    total: complete.total + partial.found.length,
    whole: complete.total,
  };
}

// Returns the first rows that have such a rank, and how many there are.
function first(index, ranks, [least, below], missed, most, by) {
  const found = [];
  let total = 0;
  if (!most) return { found, total };
  for (const [number, part] of index.parts.entries()) {
    const own = ranks.subarray(part.start, part.start + part.count);
    const passing = passingRows(own, least, below, missed[number], 0);
    const { rows, all } = firstOf(passing, RANKS[by]?.(part) ?? own, part.names, most);
    total += all;
    for (const at of rows) {
      const date = () => part.dates.valuesOf(at)[0];
      found.push({ row: part.start + at, rank: own[at], name: part.name(at), date });
    }
  }
  return { found: found.sort(ORDERS[by] ?? byRank).slice(0, most), total };
}
