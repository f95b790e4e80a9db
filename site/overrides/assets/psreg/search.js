// Results as you type, with facets; the query stands in the address, so that it can be shared.
import { FACETS, catalogue, find } from "./catalogue.js";
import { folded, terms } from "./ranking.js";

const PAGE = 30;

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

const RESERVED = "reserved class: a design document that nothing executes today";

export async function start(box) {
  const input = box.querySelector("input");
  const list = box.querySelector(".ps-results");
  const state = {
    box,
    input,
    list,
    status: box.querySelector(".ps-search__status"),
    more: box.querySelector(".ps-search__more"),
    facets: box.querySelector(".ps-facets"),
    home: document.querySelector(".ps-home"),
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
  try {
    state.rows = await catalogue();
  } catch {
    state.status.textContent = "The catalogue could not be loaded; the class pages list everything.";
    return;
  }
  makeFacets(state);
  input.addEventListener("input", () => changed(state));
  state.more.addEventListener("click", () => {
    const next = state.shown;
    state.shown += PAGE;
    show(state);
    list.children[next]?.querySelector("a").focus();
  });
  show(state);
}

function changed(state) {
  state.shown = PAGE;
  writeAddress(state);
  show(state);
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
  const clear = document.createElement("button");
  clear.type = "button";
  clear.textContent = "Clear";
  clear.addEventListener("click", () => {
    state.chosen = {};
    state.input.value = "";
    changed(state);
    state.input.focus();
  });
  state.facets.append(clear);
  state.facets.hidden = false;
}

function show(state) {
  const { chosen, fixed, input, rows } = state;
  const active = input.value.trim() !== "" || FACETS.some((facet) => chosen[facet]);
  const result = find(rows, input.value, fixed ? { ...chosen, class: fixed } : chosen);
  showFacets(state, result.counts, active);
  const found = result.rows.slice(0, state.shown);
  const items = active ? found.map((row) => item(row, terms(input.value))) : state.first;
  state.list.replaceChildren(...items);
  // Once is enough; the page of the class itself says so at its top.
  const reserved = fixed ? null : state.list.querySelector(".ps-class--persistent_service");
  if (active) reserved?.after(" ", element("span", "ps-reserved", RESERVED));
  state.more.hidden = !active || result.rows.length <= state.shown;
  state.status.textContent = active ? said(result.rows.length) : "";
  if (state.home) state.home.hidden = active;
}

function said(number) {
  if (number === 0) return "No prompt matches. Try fewer words, or another filter.";
  return number === 1 ? "1 prompt" : `${number} prompts`;
}

function showFacets(state, counts, active) {
  for (const select of state.facets.querySelectorAll("select")) {
    const facet = select.name;
    const chosen = state.chosen[facet] ?? "";
    const values = [...counts[facet]].sort(([a], [b]) => (a < b ? -1 : 1));
    if (chosen && !counts[facet].has(chosen)) values.push([chosen, 0]);
    const options = values.map(([value, n]) => new Option(`${named(facet, value)} (${n})`, value));
    select.replaceChildren(new Option(LABELS[facet], ""), ...options);
    select.value = chosen;
    select.hidden = values.length === 0;
    select.classList.toggle("ps-chosen", chosen !== "");
  }
  state.facets.querySelector("button").hidden = !active;
}

function named(facet, value) {
  return NAMES[value] ?? (facet === "class" ? value.replaceAll("_", " ") : value);
}

function item(row, wanted) {
  const meta = element("p", "ps-result__meta");
  const kind = row.facets.class[0];
  meta.append(element("span", `ps-class ps-class--${kind}`, named("class", kind)), ` ${row.version} `);
  if (row.deprecated !== null) {
    meta.append(element("span", "ps-state ps-state--yanked", "deprecated"));
  }
  if (row.draft) meta.append(element("span", "ps-state ps-state--draft", "draft"));
  const link = element("a", "");
  link.href = row.href;
  link.append(marked(element("h3", ""), row.name, wanted));
  const chips = element("ul", "ps-chips");
  chips.append(...row.tags.map((tag) => marked(element("li", ""), tag, wanted)));
  const result = element("li", "ps-result");
  result.append(link, meta, marked(element("p", ""), row.summary, wanted), chips);
  return result;
}

export function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// Fills `target` with `text`, the terms marked. Folding may change lengths; then nothing is marked.
export function marked(target, text, wanted) {
  const plain = folded(text);
  const places = plain.length === text.length ? wanted.map((t) => [plain.indexOf(t), t.length]) : [];
  let at = 0;
  for (const [start, length] of places.filter(([p]) => p >= 0).sort(([a], [b]) => a - b)) {
    if (start < at) continue;
    target.append(text.slice(at, start), element("mark", "", text.slice(start, start + length)));
    at = start + length;
  }
  target.append(text.slice(at));
  return target;
}

function onKey(event, state) {
  const { input, list } = state;
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    // The theme listens for the same key; here it opens this search.
    event.stopPropagation();
    input.focus();
    return;
  }
  const links = [...list.querySelectorAll(".ps-result > a")];
  const at = links.indexOf(document.activeElement);
  if (at < 0 && document.activeElement !== input) return;
  if (event.key === "ArrowDown") links[at + 1]?.focus();
  else if (event.key === "ArrowUp") (links[at - 1] ?? input).focus();
  else if (event.key === "Escape" && at >= 0) input.focus();
  else return;
  event.preventDefault();
}

function readAddress(state) {
  const query = new URLSearchParams(document.documentElement.dataset.query ?? location.search);
  state.input.value = query.get("q") ?? "";
  for (const facet of FACETS) {
    if (query.get(facet)) state.chosen[facet] = query.get(facet);
  }
}

function writeAddress(state) {
  const query = new URLSearchParams();
  if (state.input.value.trim()) query.set("q", state.input.value.trim());
  for (const facet of FACETS) {
    if (state.chosen[facet]) query.set(facet, state.chosen[facet]);
  }
  const text = query.toString();
  history.replaceState(null, "", location.pathname + (text ? `?${text}` : ""));
}
