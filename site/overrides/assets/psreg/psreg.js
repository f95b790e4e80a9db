// Loads the scripts that a page needs; nothing is loaded from another origin.
import { enableCopying } from "./copy.js";

const root = new URL("../../", import.meta.url);

nameThisSite();
guessWhatIsLost();
enableCopying();
load(".ps-search", "./search.js");
load(".ps-fill", "./fill.js");
load("code.language-json, code.language-prompt", "./highlight.js");
load("[data-md-component=search-query]", "./header.js");

function load(selector, module) {
  const elements = [...document.querySelectorAll(selector)];
  if (elements.length) {
    import(module).then(({ start }) => elements.forEach(start));
  }
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
