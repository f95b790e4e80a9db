// The search in the header finds documentation; this adds the matching prompts above it.
import { catalogue, find, root } from "./catalogue.js";
import { terms } from "./ranking.js";
import { element, marked } from "./search.js";

const MOST = 5;

export function start(input) {
  const output = document.querySelector(".md-search-result");
  if (!output) return;
  const box = element("div", "ps-found");
  box.hidden = true;
  output.before(box);
  input.addEventListener("input", async () => {
    const query = input.value;
    const rows = query.trim() ? find(await catalogue(), query, {}).rows : [];
    if (query === input.value) show(box, rows, query);
  });
}

function show(box, rows, query) {
  box.hidden = rows.length === 0;
  const list = element("ul", "");
  list.append(...rows.slice(0, MOST).map((row) => item(row, query)));
  const all = new URL("./", root);
  all.searchParams.set("q", query.trim());
  const more = element("a", "", `Show all ${rows.length} matching prompts`);
  more.href = all.href;
  box.replaceChildren(element("p", "", "Prompts"), list, ...(rows.length > MOST ? [more] : []));
}

function item(row, query) {
  const link = element("a", "");
  link.href = row.href;
  link.append(marked(element("strong", ""), row.name, terms(query)), ` ${row.summary}`);
  const made = element("li", "");
  made.append(link);
  return made;
}
