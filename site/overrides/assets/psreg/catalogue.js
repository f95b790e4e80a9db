// The catalogue in the browser: the signed segments that `psreg search` reads, scanned row by row. A
// site with drafts has one more, which is not signed.

import { folded, scoreOf, terms } from "./ranking.js";

export const root = new URL("../../", import.meta.url);

export const FACETS = ["class", "tag", "license", "tested", "protocol"];

let loading;

// Returns all rows, sorted by name; they are fetched only once.
export function catalogue() {
  loading ??= fetchRows();
  return loading;
}

async function fetchRows() {
  const index = await fetchJson("api/v1/index.json");
  return rowsOf(await Promise.all(index.segments.map((segment) => fetchJson(segment.path))));
}

async function fetchJson(path) {
  const answer = await fetch(new URL(path, root));
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

// Returns the rows of all segments by name; a newer segment replaces rows of older ones.
export function rowsOf(segments) {
  const rows = new Map();
  for (const segment of segments) {
    for (const row of rowsIn(segment)) rows.set(row.name, row);
    for (const name of segment.gone) rows.delete(name);
  }
  return [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function rowsIn(segment) {
  const values = (column, at) => column.rows[at].map((value) => column.values[value]);
  return segment.name.map((name, at) => {
    const [entryClass] = values(segment.class, at);
    const tags = values(segment.tags, at);
    const platforms = segment.platform.rows[at].length;
    return {
      name,
      version: segment.version[at],
      summary: segment.summary[at],
      tags,
      deprecated: segment.deprecated[at],
      draft: segment.draft?.[at] === true,
      facets: {
        class: [entryClass],
        tag: tags,
        license: values(segment.license, at),
        tested: [platforms >= 2 ? "two-or-more" : platforms === 1 ? "one" : "not-yet"],
        protocol: values(segment.protocol, at),
      },
      href: new URL(`${entryClass}/${name}/`, root).href,
      labels: tags.map(folded),
      purpose: folded(segment.summary[at]),
      useCase: folded(segment.use_case[at]),
    };
  });
}

// Returns the rows that match every term and every selected facet, best first, and for each facet
// the number of matching rows per value.
export function find(rows, query, chosen) {
  const wanted = terms(query);
  const counts = Object.fromEntries(FACETS.map((facet) => [facet, new Map()]));
  const found = [];
  for (const row of rows) {
    const score = scoreOf(row, wanted);
    if (score < 0) continue;
    const missed = FACETS.filter((f) => chosen[f] && !row.facets[f].includes(chosen[f]));
    if (!missed.length) found.push({ row, score });
    for (const facet of FACETS) {
      // The selection in a facet does not narrow the counts of that facet.
      if (missed.length && !(missed.length === 1 && missed[0] === facet)) continue;
      for (const value of row.facets[facet]) {
        counts[facet].set(value, (counts[facet].get(value) ?? 0) + 1);
      }
    }
  }
  if (wanted.length) found.sort((a, b) => b.score - a.score);
  return { rows: found.map(({ row }) => row), counts };
}
