// The documentation in the search: its pages, found as prompts are found.

import { fetched, once, root } from "./catalogue.js";
import { Index, matcher, ranked } from "./ranking.js";
import { element, marked } from "./results.js";
import { Rows } from "./rows.js";
import { selected } from "./selection.js";
import { wordsOf } from "./words.js";

const MOST = 5;
const MOST_HEADINGS = 2;

const documents = once(async () => {
  const pages = await fetched("search/documents.json").then((answer) => answer.json());
  return new Index([new Rows(pages.map(rowOf))]);
});

// Returns the pages that match all words of a query, or else those that match most, best first.
export async function findDocuments(query, thesaurus) {
  const index = await documents();
  const ranking = ranked(index, query, thesaurus);
  const nothing = [new Uint8Array(index.count)];
  const { found, whole } = selected(index, ranking, nothing, MOST);
  return { found: found.slice(0, whole || MOST), wanted: ranking.wanted };
}

function rowOf({ title, path, headings, summary, words }) {
  const tags = headings.map(([, text]) => text);
  const name = wordsOf(title).join("_");
  const href = new URL(path, root).href;
  return { name, title, href, headings, summary, tags, useCase: "", words: wordsOf(words), deprecated: false };
}

// Returns a section with what was found, or nothing.
export function documentList({ found, wanted }) {
  if (!found.length) return [];
  const made = element("section", "ps-documents");
  const list = element("ul", "");
  list.append(...found.map(({ row }) => item(row, matcher(wanted))));
  made.append(element("p", "ps-documents__head", "Documentation"), list);
  return [made];
}

function item(row, wanted) {
  const link = element("a", "");
  link.href = row.href;
  link.append(marked(element("strong", ""), row.title, wanted), ` ${row.summary}`);
  const made = element("li", "");
  made.append(link);
  for (const [id, text] of headingsWith(row, wanted)) {
    const part = marked(element("a", "ps-documents__part"), text, wanted);
    part.href = `${row.href.split("#")[0]}#${encodeURIComponent(id)}`;
    made.append(part);
  }
  return made;
}

// Returns the headings with most of the words, unless the title has as many.
function headingsWith(row, wanted) {
  const number = (text) => new Set(wordsOf(text).filter(wanted)).size;
  const least = number(row.title) + 1;
  const counted = row.headings.map((heading) => [number(heading[1]), heading]);
  const most = counted.filter(([count, [id]]) => id && count >= least).sort(([a], [b]) => b - a);
  return most.slice(0, MOST_HEADINGS).map(([, heading]) => heading);
}
