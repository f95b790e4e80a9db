// The search in the header: prompts first, then the documentation.
import { catalogue, find, root } from "./catalogue.js";
import { documentList, findDocuments } from "./documents.js";
import { MOST_FILES, fetchSummaries, fetchTexts } from "./layers.js";
import { matcher, wantedInTexts } from "./ranking.js";
import { counted, element, marked, moved } from "./results.js";

const MOST = 5;

export function start(input) {
  const output = document.querySelector(".ps-found");
  const status = output.querySelector("[role=status]");
  const show = (...parts) => output.replaceChildren(status, ...parts.flat());
  const look = async () => {
    const query = input.value;
    if (!query.trim()) {
      status.textContent = "";
      show();
      return;
    }
    try {
      const all = await catalogue();
      if (query !== input.value) return;
      let prompts = find(all, query, {});
      show(promptList(prompts, query));
      const { came } = await fetchTexts(all, wantedInTexts(query, all.thesaurus), MOST_FILES);
      if (query !== input.value) return;
      if (came) prompts = find(all, query, {});
      await fetchSummaries(prompts.found.slice(0, MOST).map(({ row }) => row), MOST_FILES - came);
      const documents = await findDocuments(query, all.thesaurus);
      if (query !== input.value) return;
      show(promptList(prompts, query), documentList(documents));
      status.textContent = said(prompts.found.length, documents.found.length);
    } catch {
      status.textContent = "The search could not be loaded.";
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

function promptList({ found, wanted }, query) {
  if (!found.length) return [];
  const made = element("section", "");
  const list = element("ul", "");
  list.append(...found.slice(0, MOST).map(({ row }) => item(row, matcher(wanted))));
  made.append(element("p", "", "Prompts"), list);
  if (found.length > MOST) made.append(more(found.length, query));
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
