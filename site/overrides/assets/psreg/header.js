// The search in the header finds documentation; this adds the matching prompts above it.
import { catalogue, find, root } from "./catalogue.js";
import { matcher } from "./ranking.js";
import { element, marked } from "./search.js";

const MOST = 5;

export function start(input) {
  const output = document.querySelector(".md-search-result");
  if (!output) return;
  const box = element("div", "ps-found");
  box.hidden = true;
  output.before(box);
  const look = async () => {
    const query = input.value;
    const result = query.trim() ? find(await catalogue(), query, {}) : { found: [], wanted: [] };
    if (query === input.value) show(box, result, query);
  };
  input.addEventListener("input", look);
  look();
}

function show(box, { found, wanted }, query) {
  box.hidden = found.length === 0;
  const list = element("ul", "");
  list.append(...found.slice(0, MOST).map(({ row }) => item(row, matcher(wanted))));
  const all = new URL("./", root);
  all.searchParams.set("q", query.trim());
  const more = element("a", "", `Show all ${found.length} matching prompts`);
  more.href = all.href;
  box.replaceChildren(element("p", "", "Prompts"), list, ...(found.length > MOST ? [more] : []));
}

function item(row, wanted) {
  const link = element("a", "");
  link.href = row.href;
  link.append(marked(element("strong", ""), row.name, wanted), ` ${row.summary}`);
  const made = element("li", "");
  made.append(link);
  return made;
}
