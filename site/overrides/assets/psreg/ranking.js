// The ranking of the search: which rows of the catalogue match the terms of a query, and how well.
// `psreg search` ranks alike (registry/search.py); tests/vectors/search.json holds both to it.

// Removes case and accents, so that "resume" finds "Résumé".
export function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

export function terms(query) {
  return folded(query).split(/[ \t-\r]+/).filter(Boolean);
}

// Tells how well a row of the catalogue matches; less than 0 if a term does not occur in it.
export function scoreOf(row, wanted) {
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
