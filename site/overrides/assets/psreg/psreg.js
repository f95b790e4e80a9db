// What every page needs: buttons that copy, and the scripts of what else is on it. They come from the
// site's own origin. This is one file, because a page asks for each file by itself.

const SHOWN_MS = 2000;

const root = new URL("../../", import.meta.url);

nameThisSite();
guessWhatIsLost();
enableCopying();
enableColours();
openByKeys();
scrollByKeys();
load(".ps-fill", "./fill.js");
load(".ps-dependents", "./dependents.js");
load(".ps-compare, .ps-diff, .ps-audit", "./texts.js");
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
  const header = document.querySelector(".md-search__input");
  const box = document.querySelector(".ps-search");
  const first = box?.querySelector("input") ?? header;
  document.addEventListener("keydown", (event) => onSlash(event, first));
  const once = { once: true };
  header?.addEventListener("focus", () => load(".md-search__input", "./header.js"), once);
  if (!box) return;
  if (document.documentElement.classList.contains("ps-searching")) {
    load(".ps-search", "./search/search.js");
  } else {
    box.addEventListener("focusin", () => load(".ps-search", "./search/search.js"), once);
    box.classList.add("ps-ready");
  }
}

function onSlash(event, input) {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (!input || event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  // On small screens the search of the header is hidden until it is open.
  if (input.matches(".md-search__input")) document.querySelector("#__search").checked = true;
  input.focus();
}

// Menu and search of the header open with boxes that are checked, without scripts. This makes their
// labels work with keys, and lets the search follow the focus.
function openByKeys() {
  for (const label of document.querySelectorAll(".md-header label.md-icon")) {
    label.tabIndex = 0;
    label.role = "button";
  }
  document.addEventListener("keydown", (event) => {
    const label = event.target.closest?.("label[tabindex]");
    if (!label || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    label.click();
  });
  enableMenu();
  const open = document.querySelector("#__search");
  const input = document.querySelector(".md-search__input");
  if (!open || !input) return;
  // On small screens an arrow closes the open search; elsewhere it is a picture in the field.
  const arrow = document.querySelector(".md-search__icon[for=__search]");
  const small = matchMedia("(max-width: 59.984375em)");
  const set = (checked) => {
    open.checked = checked;
    arrow.tabIndex = checked && small.matches ? 0 : -1;
  };
  set(open.checked);
  open.addEventListener("change", () => {
    set(open.checked);
    if (open.checked) input.focus();
    else document.activeElement.blur();
  });
  document.addEventListener("focusin", ({ target }) => {
    if (target === input) set(true);
    else if (!target.closest(".md-search")) set(false);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !open.checked) return;
    set(false);
    document.activeElement.blur();
  });
}

// On small screens the menu lies above the page, and each part of it above the list it belongs to. The
// focus stays in what is open; when it leaves the menu, that closes.
function enableMenu() {
  const open = document.querySelector("#__drawer");
  const menu = document.querySelector(".md-sidebar--primary");
  if (!open || !menu) return;
  const label = document.querySelector(".md-header [for=__drawer]");
  for (const toggle of menu.querySelectorAll(".md-nav__toggle:has(~ .md-nav)")) nameParts(toggle);
  menu.addEventListener("change", ({ target }) => {
    const to = nameParts(target)[Number(target.checked)];
    if (!open.checked) return;
    to.tabIndex = 0;
    // It moves into the screen: nothing is to be scrolled to where it is now.
    to.focus({ preventScroll: true });
  });
  menu.addEventListener("click", ({ target }) => {
    if (target.closest("a")) open.checked = false;
  });
  document.addEventListener("focusin", ({ target }) => {
    if (!menu.contains(target) && target !== label) open.checked = false;
  });
  document.addEventListener("keydown", (event) => {
    if (!open.checked) return;
    if (event.key === "Escape") {
      label.focus();
      open.checked = false;
    }
    if (event.key !== "Tab" || event.shiftKey || event.target !== label) return;
    event.preventDefault();
    const parts = [...menu.querySelectorAll("a, [tabindex='0']")];
    parts.find((each) => each.checkVisibility({ visibilityProperty: true })).focus();
  });
}

// Returns the labels that open and close a part of the menu; the first has a picture in place of a name.
function nameParts(toggle) {
  const labels = toggle.parentElement.querySelectorAll(
    ":scope > label, :scope > div > label, :scope > nav > label");
  const [opens, closes] = labels;
  const name = closes.textContent.trim();
  opens.role = closes.role = "button";
  opens.ariaLabel = name;
  opens.ariaExpanded = toggle.checked;
  closes.ariaLabel = `Back from ${name}`;
  closes.tabIndex = 0;
  if (toggle.id === "__toc") opens.tabIndex = 0;
  return labels;
}

// The button that changes between light and dark colours.
function enableColours() {
  const button = document.querySelector(".ps-scheme");
  if (!button) return;
  const { dataset } = document.body;
  const name = () => {
    button.title = dataset.mdColorScheme === "slate" ? "Switch to light" : "Switch to dark";
  };
  new MutationObserver(name).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  button.addEventListener("click", () => {
    dataset.mdColorScheme = dataset.mdColorScheme === "slate" ? "default" : "slate";
    try {
      localStorage.setItem("psreg-scheme", dataset.mdColorScheme);
    } catch {
      // A browser may refuse to keep anything.
    }
  });
  name();
}

// Code and tables that are wider than the page can be scrolled with keys.
function scrollByKeys() {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      target.toggleAttribute("tabindex", target.scrollWidth > target.clientWidth);
      if (target.hasAttribute("tabindex")) target.tabIndex = 0;
    }
  });
  for (const wide of document.querySelectorAll("pre > code, .md-typeset table")) observer.observe(wide);
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

// Copy buttons. A file is fetched so that the clipboard gets its exact text.
function enableCopying() {
  const status = document.createElement("p");
  status.className = "ps-hidden";
  status.setAttribute("role", "status");
  document.body.append(status);
  for (const block of document.querySelectorAll(".md-typeset pre > code")) {
    if (!block.closest(".ps-source")) addButton(block, "code").classList.add("ps-corner");
  }
  for (const code of document.querySelectorAll(".ps-command > code")) addButton(code, "command");
  for (const code of document.querySelectorAll("aside .ps-digest")) {
    addButton(code, code.closest("div").firstChild.textContent);
  }
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".ps-copy");
    if (!button) return;
    if (button.href) event.preventDefault();
    const { copied, refused } = { ...listOf(button).dataset, ...button.dataset };
    if (refused) {
      tell(button, status, refused, false);
      return;
    }
    try {
      await write(await textOf(button));
      tell(button, status, copied ?? labelOf(button).replace("Copy", "Copied"), true);
      if (button.href) open(button.href, "_blank", "noopener,noreferrer");
    } catch {
      tell(button, status, "Could not copy", false);
    }
  });
}

function addButton(block, what) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "ps-copy";
  button.textContent = `Copy the ${what}`;
  block.after(button);
  return button;
}

// A list of links says for all of them what they copy.
function listOf(button) {
  return button.closest("ul[data-copied]") ?? button;
}

async function textOf(button) {
  const { copy, copyFilled, copyPage } = listOf(button).dataset;
  const { copyFile } = button.closest("[data-copy-file]")?.dataset ?? {};
  if (copy !== undefined) return copy;
  if (copyPage !== undefined) return location.href.split(/[?#]/)[0];
  if (copyFilled !== undefined) {
    return button.closest(".ps-fill").querySelector(".ps-fill__text").textContent;
  }
  if (copyFile === undefined) return button.previousElementSibling.textContent;
  const answer = await fetch(copyFile).catch(() => null);
  if (!answer?.ok) return shownText();
    // .text() would drop a byte order mark.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await answer.arrayBuffer());
}

// Without a network, what the page shows is the text, unless hidden characters are written out there.
function shownText() {
  const shown = document.querySelector(".ps-source code")?.textContent ?? "";
  if (!shown || shown.includes("⟨U+")) throw new Error("the text cannot be fetched");
  return shown;
}

async function write(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
    // Without https, browsers offer only execCommand.
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("copying was refused");
}

// What a button says, unless it tells what was done.
function labelOf(button) {
  return (button.dataset.label ??= button.textContent);
}

function tell(button, status, said, done) {
  const label = labelOf(button);
  button.textContent = said;
  button.classList.add(done ? "ps-copy--done" : "ps-copy--failed");
  status.textContent = button.textContent;
  clearTimeout(button.timer);
  button.timer = setTimeout(() => {
    button.textContent = label;
    button.classList.remove("ps-copy--done", "ps-copy--failed");
    status.textContent = "";
  }, SHOWN_MS);
}
