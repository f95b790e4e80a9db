// Loads the scripts that a page needs; nothing is loaded from another origin.
import { enableCopying } from "./copy.js";

const root = new URL("../../", import.meta.url);

nameThisSite();
guessWhatIsLost();
enableCopying();
load(".ps-fill", "./fill.js");
load("code.language-json, code.language-prompt", "./highlight.js");
searchLater();

function load(selector, module) {
  const elements = [...document.querySelectorAll(selector)];
  if (elements.length) {
    import(module).then(({ start }) => elements.forEach(start));
  }
}

// Nothing of a search is fetched before somebody searches.
function searchLater() {
  const header = document.querySelector("[data-md-component=search-query]");
  const once = { once: true };
  header?.addEventListener("focus", () => load("[data-md-component=search-query]", "./header.js"), once);
  const box = document.querySelector(".ps-search");
  if (!box) return;
  document.addEventListener("keydown", (event) => onSlash(event, box.querySelector("input")));
  if (document.documentElement.classList.contains("ps-searching")) {
    load(".ps-search", "./search.js");
  } else {
    box.addEventListener("focusin", () => load(".ps-search", "./search.js"), once);
    box.classList.add("ps-ready");
  }
}

function onSlash(event, input) {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  // The theme listens for the same key; here it opens this search.
  event.stopPropagation();
  input.focus();
}

// What was asked for is the last part of an unknown address, as a rule.
function guessWhatIsLost() {
  const input = document.querySelector(".ps-lost input");
  if (input) input.value = location.pathname.split("/").findLast(Boolean)?.replace(/\W|_/g, " ") ?? "";
}

// A site built without --base-url takes its address from the browser.
function nameThisSite() {
  for (const code of document.querySelectorAll(".ps-command code")) {
    code.textContent = code.textContent.replace("URL_OF_THIS_SITE", root.href);
  }
}
