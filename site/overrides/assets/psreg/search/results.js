// What the searches of a page have in common.

import { wordsOf } from "./words.js";

export function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// Fills `target` with `text`, and marks the words that `wanted` accepts.
export function marked(target, text, wanted) {
  let at = 0;
  for (const found of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (!wordsOf(found[0]).some(wanted)) continue;
    target.append(text.slice(at, found.index), element("mark", "", found[0]));
    at = found.index + found[0].length;
  }
  target.append(text.slice(at));
  return target;
}

// Moves the focus with the arrow keys, from the field to the links and back; tells whether it did.
export function moved(event, input, links) {
  const at = links.indexOf(document.activeElement);
  if (at < 0 && document.activeElement !== input) return false;
  if (event.key === "ArrowDown") links[at + 1]?.focus();
  else if (event.key === "ArrowUp") (links[at - 1] ?? input).focus();
  else return false;
  event.preventDefault();
  return true;
}

// Changes what `box` shows; the link that has the focus keeps it, and if it is gone, the field gets it.
export function changing(box, input, change) {
  const { href } = box.contains(document.activeElement) ? document.activeElement : {};
  change();
  if (!href || box.contains(document.activeElement)) return;
  const same = [...box.querySelectorAll("a")].find((link) => link.href === href);
  (same ?? input).focus({ preventScroll: true });
}

export function counted(number, one, more) {
  return `${number} ${number === 1 ? one : more}`;
}
