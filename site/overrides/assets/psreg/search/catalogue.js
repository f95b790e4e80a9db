// The catalogue in the browser: the signed segments that `psreg search` reads, scanned row by row. A
// site with drafts has one more, which is not signed.

import { Layers, TESTED } from "./layers.js";
import { Index, search, shortened } from "./ranking.js";
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

export function catalogueOf(segments, synonyms) {
  const layers = segments.filter((segment) => segment instanceof Layers);
  layers.sort((a, b) => b.count - a.count);
  return { index: new Index(rowsOf(segments), layers), thesaurus: new Thesaurus(synonyms), layers };
}

// Returns the rows of all segments, in no order; a newer segment replaces rows of older ones.
export function rowsOf(segments) {
  const found = [];
  const later = new Set();
  for (const segment of segments.toReversed()) {
    const layered = segment instanceof Layers;
    const rows = layered ? segment.rows : rowsIn(segment);
    for (const row of rows) if (!later.has(row.name)) found.push(row);
    // Nothing is older than the first one, which is the largest.
    if (segment === segments[0]) break;
    for (const { name } of rows) later.add(name);
    for (const name of (layered ? segment.names : segment).gone) later.add(name);
  }
  return found;
}

function rowsIn(segment) {
  const values = (column, at) => column.rows[at].map((value) => column.values[value]);
  return segment.name.map((name, at) => {
    const [entryClass] = values(segment.class, at);
    const tags = values(segment.tags, at);
    return {
      name,
      version: segment.version[at],
      date: segment.date[at],
      summary: segment.summary[at],
      tags,
      deprecated: segment.deprecated[at] !== null,
      draft: segment.draft?.[at] === true,
      facets: {
        class: [entryClass],
        tag: tags,
        license: values(segment.license, at),
        tested: [TESTED[Math.min(segment.platform.rows[at].length, TESTED.length - 1)]],
        protocol: values(segment.protocol, at),
      },
      href: `${root.href}${entryClass}/${name}/`,
      useCase: segment.use_case[at],
      words: wordsOf(segment.words?.[at] ?? ""),
    };
  });
}

// Returns the rows that match the query and every selected facet, best first, as { row, partial }; for
// each facet the number of matching rows per value; and the words that were looked for.
export function find({ index, thesaurus }, query, chosen) {
  const { found, wanted } = search(index, query, thesaurus);
  const counts = Object.fromEntries(FACETS.map((facet) => [facet, new Map()]));
  const whole = found.some(({ partial }) => !partial);
  const passing = [];
  for (const each of found) {
    const missed = FACETS.filter((f) => chosen[f] && !each.row.facets[f].includes(chosen[f]));
    if (!missed.length) passing.push(each);
    if (whole && each.partial) continue;
    for (const facet of FACETS) {
      // The selection in a facet does not narrow the counts of that facet.
      if (missed.length && !(missed.length === 1 && missed[0] === facet)) continue;
      for (const value of each.row.facets[facet]) {
        counts[facet].set(value, (counts[facet].get(value) ?? 0) + 1);
      }
    }
  }
  return { found: sorted(shortened(passing), chosen.sort), counts, wanted };
}

// Sorts by date or name; what matches only some words stays at the end.
function sorted(found, by) {
  if (!by) return found;
  const byName = (a, b) => (a.row.name < b.row.name ? -1 : 1);
  const byDate = (a, b) => (a.row.date > b.row.date ? -1 : a.row.date < b.row.date ? 1 : byName(a, b));
  const order = by === "newest" ? byDate : byName;
  return [...found].sort((a, b) => a.partial - b.partial || order(a, b));
}

const NEAR = 3;
const SIMILAR = 0.4;

// Returns words of names and tags that are spelled a little like words that found nothing.
export function nearest({ index }, query) {
  const near = [];
  for (const word of wordsOf(query)) {
    for (const label of index.labels.words.keys()) {
      const share = similarity(word, label);
      if (share >= SIMILAR) near.push([share, label]);
    }
  }
  near.sort(([a, one], [b, two]) => b - a || (one < two ? -1 : 1));
  return [...new Set(near.map(([, label]) => label))].slice(0, NEAR);
}

// Tells what share of the pairs of neighbouring letters two words have in common (Dice).
function similarity(one, other) {
  const pairs = (word) => new Set([...word].slice(1).map((letter, at) => [...word][at] + letter));
  const [a, b] = [pairs(one), pairs(other)];
  const common = [...a].filter((pair) => b.has(pair)).length;
  return a.size + b.size ? (2 * common) / (a.size + b.size) : 0;
}
