// The signed catalogue in the browser: the shards that `psreg search` reads, scanned row by row.

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
  const shards = await Promise.all(index.shards.map((shard) => fetchJson(shard.path)));
  return rowsOf(shards);
}

async function fetchJson(path) {
  const answer = await fetch(new URL(path, root));
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

// Returns the rows of all shards, by name.
export function rowsOf(shards) {
  const key = (row) => `${row.name} ${row.facets.class[0]}`;
  return shards.flatMap(rowsIn).sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function rowsIn(shard) {
  return shard.name.map((name, at) => {
    const tags = shard.tags.rows[at].map((value) => shard.tags.values[value]);
    const platforms = shard.platform.rows[at].length;
    const protocols = shard.protocol?.rows[at].map((value) => shard.protocol.values[value]) ?? [];
    return {
      name,
      version: shard.version[at],
      summary: shard.summary[at],
      tags,
      deprecated: shard.deprecated[at],
      facets: {
        class: [shard.shard],
        tag: tags,
        license: [shard.license.values[shard.license.rows[at]]],
        tested: [platforms >= 2 ? "two-or-more" : platforms === 1 ? "one" : "not-yet"],
        protocol: protocols,
      },
      href: new URL(`${shard.shard}/${name}/`, root).href,
      labels: tags.map(folded),
      purpose: folded(shard.summary[at]),
      useCase: folded(shard.use_case[at]),
    };
  });
}

// Removes case and accents, so that "resume" finds "Résumé".
export function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

export function terms(query) {
  return folded(query).split(/[ \t-\r]+/).filter(Boolean);
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

// Tells how well a row matches; less than 0 if a term does not occur in it. `psreg search` ranks
// alike: registry/search.py, and tests/vectors/search.json for both.
function scoreOf(row, wanted) {
  // Names are spelled with `_`, whatever a person writes.
  const spelled = (term) => term.replaceAll("-", "_");
  let score = spelled(wanted.join("_")) === row.name ? 100 : 0;
  for (const term of wanted) {
    const name = spelled(term);
    if (row.name.includes(name)) score += row.name.startsWith(name) ? 50 : 30;
    else if (row.labels.includes(term)) score += 25;
    else if (row.labels.some((label) => label.includes(term))) score += 20;
    else if (row.purpose.includes(term)) score += 10;
    else if (row.useCase.includes(term)) score += 5;
    else return -1;
  }
  return row.deprecated === null ? score * 10 : score;
}
