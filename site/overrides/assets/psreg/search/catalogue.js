// The catalogue in the browser: the signed segments that `psreg search` reads, scanned row by row. A
// site with drafts has one more, which is not signed.

import { compare, passingRows } from "./columns.js";
import { Layers, TESTED } from "./layers.js";
import { Index, ranked } from "./ranking.js";
import { Rows } from "./rows.js";
import { selected } from "./selection.js";
import { Thesaurus } from "./thesaurus.js";
import { wordsOf } from "./words.js";

export const root = new URL("../../../", import.meta.url);

export const FACETS = ["class", "tag", "license", "tested", "protocol"];

// Fetches the catalogue of a site with this index.
export async function catalogueOfSite({ segments }) {
  const [synonyms, ...found] = await Promise.all([
    fetched("assets/psreg/synonyms.txt").then((answer) => answer.text()),
    ...segments.map(segmentAt),
  ]);
  return catalogueOf(found, synonyms);
}

async function segmentAt({ path, search: folder }) {
  const read = (file) => fetched(file).then((answer) => answer.json());
  if (!folder) return read(path);
  const names = await read(`${folder}names.json`);
  return new Layers(names, (name) => read(`${folder}${name}.json`), root.href);
}

export async function fetched(path) {
  const answer = await fetch(new URL(path, root));
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer;
}

// Returns a function that calls another one once and keeps its promise; what failed is tried again.
export function once(make) {
  let made;
  return () =>
    (made ??= make().catch((error) => {
      made = undefined;
      throw error;
    }));
}

// Reads segments, the oldest first; a newer one replaces rows of older ones.
export function catalogueOf(segments, synonyms) {
  const parts = [];
  const later = new Set();
  for (const segment of segments.toReversed()) {
    const part = segment instanceof Layers ? segment : rowsOf(segment, later);
    if (part === segment && later.size) part.replace(later);
    parts.push(part);
    // Nothing is older than the first one, which is the largest.
    if (segment === segments[0]) break;
    for (let at = 0; at < part.count; at += 1) later.add(part.name(at));
    for (const name of segment.gone) later.add(name);
  }
  const layers = parts.filter((part) => part instanceof Layers);
  return { index: new Index(parts.reverse()), thesaurus: new Thesaurus(synonyms), layers };
}

// Returns the rows of a segment but for those with one of these names.
function rowsOf(segment, later) {
  const kept = [...segment.name.keys()].filter((at) => !later.has(segment.name[at]));
  const values = (key) => kept.map((at) => segment[key].rows[at].map((n) => segment[key].values[n]));
  const facets = {
    class: values("class"),
    tag: values("tags"),
    license: values("license"),
    tested: kept.map((at) => [TESTED[Math.min(segment.platform.rows[at].length, TESTED.length - 1)]]),
    protocol: values("protocol"),
  };
  const rows = kept.map((at, place) => {
    const name = segment.name[at];
    const [kind] = facets.class[place];
    return {
      name,
      kind,
      version: segment.version[at],
      date: segment.date[at],
      summary: segment.summary[at],
      tags: facets.tag[place],
      deprecated: segment.deprecated[at] !== null,
      draft: segment.draft?.[at] === true,
      href: `${root.href}${kind}/${name}/`,
      useCase: segment.use_case[at],
      words: wordsOf(segment.words?.[at] ?? ""),
    };
  });
  return new Rows(rows, facets);
}

// Returns the first rows that match the query and every selected facet, best first, as { row, partial };
// how many there are, and how many of them match all words; for each facet the number of matching rows
// per value; and the words that were looked for.
export function find({ index, thesaurus }, query, chosen, most = Infinity) {
  const ranking = ranked(index, query, thesaurus);
  const missed = index.parts.map((part) => missedIn(part, chosen));
  const counts = countsIn(index, ranking, missed, chosen);
  return { ...selected(index, ranking, missed, most, chosen.sort), counts, wanted: ranking.wanted };
}

// Returns for each row the facets in which it lacks what was selected, each as a bit.
function missedIn({ count, facets }, chosen) {
  const missed = new Uint8Array(count);
  for (const [number, facet] of FACETS.entries()) {
    const { values } = facets[facet];
    if (chosen[facet]) facets[facet].miss(values.indexOf(chosen[facet]), missed, 1 << number);
  }
  return missed;
}

function countsIn({ parts }, { ranks, whole }, missed, chosen) {
  const counts = Object.fromEntries(FACETS.map((facet) => [facet, new Map()]));
  // What matches only some words counts if nothing matches all.
  const least = ranks.some((rank) => rank >= whole) ? whole : 1;
  for (const [each, part] of parts.entries()) {
    const own = ranks.subarray(part.start, part.start + part.count);
    const passing = passingRows(own, least, Infinity, missed[each], 0);
    for (const [number, facet] of FACETS.entries()) {
      // The selection in a facet does not narrow the counts of that facet.
      const rows = chosen[facet] ? passingRows(own, least, Infinity, missed[each], 1 << number) : passing;
      const { values } = part.facets[facet];
      for (const [value, more] of part.facets[facet].counts(rows).entries()) {
        if (more) counts[facet].set(values[value], (counts[facet].get(values[value]) ?? 0) + more);
      }
    }
  }
  return counts;
}

const NEAR = 3;
const SIMILAR = 0.4;

// Returns words of names and tags that are spelled a little like words that found nothing.
export function nearest({ index }, query) {
  const near = new Map();
  for (const word of wordsOf(query)) {
    const pairs = pairsOf(word);
    for (const label of index.labels) {
      const share = similarity(pairs, label);
      if (share >= SIMILAR) near.set(label, Math.max(share, near.get(label) ?? 0));
    }
  }
  const sorted = [...near].sort(([one, a], [two, b]) => b - a || compare(one, two));
  return sorted.slice(0, NEAR).map(([label]) => label);
}

function pairsOf(word) {
  const letters = [...word];
  return new Set(letters.slice(1).map((letter, at) => letters[at] + letter));
}

// Tells what share of its pairs of neighbouring letters a word has in common with another (Dice).
function similarity(pairs, word) {
  const others = pairsOf(word);
  const common = [...others].filter((pair) => pairs.has(pair)).length;
  return common && (2 * common) / (pairs.size + others.size);
}
