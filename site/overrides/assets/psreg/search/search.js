// Results as you type, with facets; the query stands in the address, so that it can be shared.
import { FACETS } from "./catalogue.js";
import { documentList } from "./documents.js";
import { engine } from "./engine.js";
import { MOST_FILES } from "./layers.js";
import { matcher } from "./ranking.js";
import { changing, counted, element, marked, moved } from "./results.js";

const PAGE = 30;
const PAUSE_MS = 150;
const SORTS = { "": "Best match", newest: "Newest", name: "Name" };

const LABELS = {
  class: "Any class",
  tag: "Any tag",
  license: "Any licence",
  tested: "Tested or not",
  protocol: "Any protocol",
};

const NAMES = {
  prompt: "prompt template",
  "two-or-more": "on two or more platforms",
  one: "on one platform",
  "not-yet": "not yet tested",
  vpp: "VPP",
  plsp: "PLSP",
  pb2s: "PB2S",
};

// An entry with more tags, or a longer summary, takes no more room than others.
const MOST_TAGS = 20;
const LONGEST = 500;
const SOME = "These match some of your words";

const RESERVED = "reserved class: a design document that nothing executes today";

export function start(box) {
  const input = box.querySelector("input");
  const list = box.querySelector(".ps-results");
  const state = {
    box,
    input,
    list,
    status: box.querySelector(".ps-search__status"),
    more: box.querySelector(".ps-search__more"),
    rest: restButton(box),
    facets: box.querySelector(".ps-facets"),
    first: [...list.children],
    fixed: box.dataset.class,
    chosen: {},
    shown: PAGE,
  };
  readAddress(state);
  writeAddress(state);
  box.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.focus();
  });
  document.addEventListener("keydown", (event) => onKey(event, state));
  input.addEventListener("input", () => changed(state));
  state.more.addEventListener("click", async () => {
    const next = state.shown;
    state.shown += PAGE;
    await show(state);
    list.querySelectorAll(".ps-result > a")[next]?.focus();
  });
  state.rest.addEventListener("click", () => complete(state));
  for (const sign of ["scroll", "pointermove", "focusin"]) {
    document.addEventListener(sign, () => describe(state, MOST_FILES), { passive: true });
  }
  searching(isActive(state));
  begin(state);
}

// The button for what is left to fetch if a query has many words.
function restButton(box) {
  const made = element("button", "ps-button", "Search more texts");
  made.type = "button";
  made.hidden = true;
  box.querySelector(".ps-search__status").after(made);
  return made;
}

async function begin(state) {
  state.begun = true;
  try {
    state.engine = await engine();
  } catch {
    state.begun = false;
    searching(false);
    state.status.textContent = "The catalogue could not be loaded; the class pages list everything.";
    return;
  }
  makeFacets(state);
  await show(state);
  state.box.classList.add("ps-ready");
}

function isActive({ input, chosen }) {
  return input.value.trim() !== "" || [...FACETS, "sort"].some((key) => chosen[key]);
}

function changed(state) {
  state.shown = PAGE;
  writeAddress(state);
  if (state.engine) show(state);
  else if (!state.begun) begin(state);
}

function makeFacets(state) {
  for (const facet of FACETS) {
    if (facet === "class" && state.fixed) continue;
    const select = document.createElement("select");
    select.name = facet;
    select.setAttribute("aria-label", LABELS[facet]);
    select.addEventListener("change", () => {
      state.chosen[facet] = select.value;
      changed(state);
    });
    state.facets.append(select);
  }
  const sort = document.createElement("select");
  sort.name = "sort";
  sort.setAttribute("aria-label", "Order");
  sort.append(...Object.entries(SORTS).map(([value, label]) => new Option(label, value)));
  sort.value = state.chosen.sort ?? "";
  sort.addEventListener("change", () => {
    state.chosen.sort = sort.value;
    changed(state);
  });
  const clear = document.createElement("button");
  clear.type = "button";
  clear.textContent = "Clear";
  clear.addEventListener("click", () => {
    state.chosen = {};
    sort.value = "";
    state.input.value = "";
    changed(state);
    state.input.focus();
  });
  state.facets.append(sort, clear);
}

// Shows what is known by now, and fetches what the query needs besides.
async function show(state) {
  state.left = 0;
  clearTimeout(state.pause);
  await render(state);
  if (state.engine.layered) state.pause = setTimeout(() => complete(state), PAUSE_MS);
}

// Fetches words of texts, and shows what they add; then summaries, so far as the query may fetch files.
async function complete(state) {
  const query = state.input.value;
  try {
    const { came, left } = await state.engine.texts(query, MOST_FILES);
    if (query !== state.input.value) return;
    state.left = left;
    if (came) await render(state);
    await describe(state, MOST_FILES - came);
  } catch {
    if (query === state.input.value) state.status.textContent = "Part of the catalogue could not be loaded.";
  }
}

// Fills in the summaries of the results that are shown.
async function describe({ engine: all, list }, most) {
  const items = [...list.children].filter((item) => item.row && item.row.summary === undefined);
  if (!items.length || !most) return;
  const rows = await all.describe(items.map(({ row }) => row.name), most);
  for (const [at, item] of items.entries()) item.describe(rows[at]);
}

async function render(state) {
  const { chosen, fixed, input, list } = state;
  const turn = (state.turn = {});
  const active = isActive(state);
  const facets = fixed ? { ...chosen, class: fixed } : chosen;
  const result = await state.engine.find(input.value, facets, state.shown);
  const lost = active && !result.total ? await advice(state) : null;
  // Somebody has typed on.
  if (turn !== state.turn) return;
  showFacets(state, result.counts, active);
  const now = active ? items(result.found, matcher(result.wanted)) : state.first;
  changing(list, input, () => list.replaceChildren(...now));
  // Once is enough; the page of the class itself says so at its top.
  const reserved = fixed ? null : list.querySelector(".ps-class--persistent_service");
  if (active) reserved?.after(" ", element("span", "ps-reserved", RESERVED));
  state.more.hidden = !active || result.total <= state.shown;
  state.status.textContent = active ? said(result) + (state.left ? " so far" : "") : "";
  state.rest.hidden = !active || !state.left;
  if (lost) list.append(lost);
  searching(active);
  showDocuments(state);
}

// Below the prompts of the whole catalogue comes what the documentation says.
async function showDocuments({ box, engine: all, fixed, input }) {
  const query = input.value;
  if (fixed) return;
  const result = query.trim() ? await all.documents(query) : { found: [] };
  if (query !== input.value) return;
  changing(box, input, () => {
    box.querySelector(".ps-documents")?.remove();
    box.append(...documentList(result));
  });
}

// While somebody searches, the page shows only what was found.
function searching(active) {
  document.documentElement.classList.toggle("ps-searching", active);
}

function items(found, wanted) {
  const made = [];
  for (const { row, partial } of found) {
    if (partial && !made.some((each) => each.className === "ps-some")) {
      const head = element("li", "ps-some");
      head.append(element("h2", "", SOME));
      made.push(head);
    }
    made.push(item(row, wanted));
  }
  return made;
}

function said({ total, whole }) {
  if (!total) return "No prompt matches.";
  if (whole) return counted(whole, "prompt", "prompts");
  const some = counted(total, "prompt matches", "prompts match");
  return `No prompt matches all words; ${some} some`;
}

// Says what to do if nothing was found: what is spelled a little like it, and where to ask.
async function advice({ engine: all, input }) {
  const made = element("li", "ps-advice");
  const near = await all.nearest(input.value);
  if (near.length) {
    const line = element("p", "", "Did you mean ");
    for (const [at, word] of near.entries()) {
      const link = element("a", "", word);
      link.href = `?${new URLSearchParams({ q: word })}`;
      line.append(at ? ", " : "", link);
    }
    line.append("?");
    made.append(line);
  } else made.append(element("p", "", "Try other words, or another filter."));
  const ask = document.querySelector("meta[name=psreg-ask]");
  if (ask && input.value.trim()) {
    const link = element("a", "", "Ask for this prompt");
    link.href = ask.content + encodeURIComponent(`Prompt wanted: ${input.value.trim()}`);
    const line = element("p", "");
    line.append(link);
    made.append(line);
  }
  return made;
}

function showFacets(state, counts, active) {
  for (const select of state.facets.querySelectorAll("select:not([name=sort])")) {
    const facet = select.name;
    const chosen = state.chosen[facet] ?? "";
    const values = [...counts[facet]].sort(([a], [b]) => (a < b ? -1 : 1));
    if (chosen && !counts[facet].has(chosen)) values.push([chosen, 0]);
    const options = values.map(([value, n]) => new Option(`${named(facet, value)} (${n})`, value));
    select.replaceChildren(new Option(LABELS[facet], ""), ...options);
    select.value = chosen;
    select.hidden = values.length < 2 && !chosen;
    select.classList.toggle("ps-chosen", chosen !== "");
  }
  state.facets.querySelector("button").hidden = !active;
  state.facets.hidden = false;
}

function named(facet, value) {
  return NAMES[value] ?? (facet === "class" ? value.replaceAll("_", " ") : value);
}

function item(row, wanted) {
  const meta = element("p", "ps-result__meta");
  const { kind } = row;
  const version = new Text();
  meta.append(element("span", `ps-class ps-class--${kind}`, named("class", kind)), version);
  if (row.deprecated) {
    meta.append(element("span", "ps-state ps-state--yanked", "deprecated"));
  }
  if (row.draft) meta.append(element("span", "ps-state ps-state--draft", "draft"));
  const link = element("a", "");
  link.href = row.href;
  link.append(marked(element("h3", ""), row.name, wanted));
  const chips = element("ul", "ps-chips");
  chips.append(...row.tags.slice(0, MOST_TAGS).map((tag) => marked(element("li", ""), tag, wanted)));
  const summary = element("p", "");
  const result = element("li", "ps-result");
  result.append(link, meta, summary, chips);
  result.describe = (now) => {
    result.row = now;
    version.data = ` ${now.version ?? ""} `;
    summary.replaceChildren();
    marked(summary, (now.summary ?? "").slice(0, LONGEST), wanted);
  };
  result.describe(row);
  return result;
}

function onKey(event, { box, input, list }) {
  if (moved(event, input, [...box.querySelectorAll(".ps-result > a, .ps-documents a")])) return;
  if (event.key !== "Escape" || !list.contains(document.activeElement)) return;
  event.preventDefault();
  input.focus();
}

function readAddress(state) {
  const query = new URLSearchParams(location.search);
  // Somebody may have typed while this was fetched.
  state.input.value = query.get("q") ?? state.input.value;
  for (const key of [...FACETS, "sort"]) {
    if (query.get(key)) state.chosen[key] = query.get(key);
  }
  if (!(state.chosen.sort in SORTS)) delete state.chosen.sort;
}

function writeAddress(state) {
  const query = new URLSearchParams();
  if (state.input.value.trim()) query.set("q", state.input.value.trim());
  for (const key of [...FACETS, "sort"]) {
    if (state.chosen[key]) query.set(key, state.chosen[key]);
  }
  const text = query.toString();
  history.replaceState(null, "", location.pathname + (text ? `?${text}` : ""));
}
