// The search in the header: prompts first, then the documentation.
import { root } from "./search/catalogue.js";
import { documentList } from "./search/documents.js";
import { engine } from "./search/engine.js";
import { MOST_FILES } from "./search/layers.js";
import { matcher } from "./search/ranking.js";
import { changing, counted, element, marked, moved } from "./search/results.js";

const MOST = 5;

export function start(input) {
  const output = document.querySelector(".ps-found");
  const status = output.querySelector("[role=status]");
  const show = (...parts) => changing(output, input, () => output.replaceChildren(status, ...parts.flat()));
  const look = async () => {
    const query = input.value;
    if (!query.trim()) {
      status.textContent = "";
      show();
      return;
    }
    try {
      const all = await engine();
      let prompts = await all.find(query, {}, MOST);
      if (query !== input.value) return;
      show(promptList(prompts, query));
      const { came } = await all.texts(query, MOST_FILES);
      if (query !== input.value) return;
      if (came) prompts = await all.find(query, {}, MOST);
      const rows = await all.describe(prompts.found.map(({ row }) => row.name), MOST_FILES - came);
      const documents = await all.documents(query);
      if (query !== input.value) return;
      show(promptList({ ...prompts, found: rows.map((row) => ({ row })) }, query), documentList(documents));
      status.textContent = said(prompts.total, documents.found.length);
    } catch {
      if (query === input.value) status.textContent = "The search could not be loaded.";
    }
  };
  input.addEventListener("input", look);
  input.form.addEventListener("reset", () => setTimeout(look));
  document.addEventListener("keydown", (event) => moved(event, input, [...output.querySelectorAll("a")]));
  look();
}

function said(prompts, documents) {
  if (!prompts && !documents) return "Nothing matches.";
  return `${counted(prompts, "prompt", "prompts")}, ${counted(documents, "page", "pages")} of the documentation`;
}

function promptList({ found, total, wanted }, query) {
  if (!found.length) return [];
  const made = element("section", "");
  const list = element("ul", "");
  list.append(...found.map(({ row }) => item(row, matcher(wanted))));
  made.append(element("p", "", "Prompts"), list);
  if (total > MOST) made.append(more(total, query));
  return [made];
}

function more(number, query) {
  const all = new URL("./", root);
  all.searchParams.set("q", query.trim());
  const made = element("a", "ps-found__all", `Show all ${number} matching prompts`);
  made.href = all.href;
  return made;
}

function item(row, wanted) {
  const link = element("a", "");
  link.href = row.href;
  link.append(marked(element("strong", ""), row.name, wanted), ` ${row.summary ?? ""}`);
  const made = element("li", "");
  made.append(link);
  return made;
}
