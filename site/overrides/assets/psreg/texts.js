// The texts of versions: two compared word by word, or one as a list of its instructions. And the form
// that leads to the comparison of two versions.

import { visible } from "./visible.js";

// More differences between two parts are not told apart: one replaced the other.
const MOST_EDITS = 600;

// Unchanged lines that are shown before and after a change.
const CONTEXT = 3;

const WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+|\s+|./gsu;

const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;

const ADDRESS = /(\b(?:https?|ftp|wss?):\/\/[^\s<>"'`\\^|]+)/i;

export function start(box) {
  if (box.matches("form")) {
    const told = paragraph("");
    told.setAttribute("role", "status");
    box.append(told);
    box.addEventListener("submit", (event) => lead(event, box, told));
    box.classList.add("ps-ready");
    return;
  }
  // Somebody may have opened it while this was fetched.
  if (box.open) read(box);
  box.addEventListener("toggle", () => box.open && read(box));
  addEventListener("hashchange", () => reveal(box));
  reveal(box);
}

// An address may name a comparison or the audit, which is opened then.
function reveal(box) {
  const around = box.parentElement;
  if (location.hash !== `#${around.id}`) return;
  around.open = true;
  box.open = true;
  around.scrollIntoView();
}

// The newest version is the first one; its page has the comparisons with all before it.
function lead(event, form, told) {
  event.preventDefault();
  const fields = ["before", "after"].map((name) => form.elements[name]);
  const [after, before] = fields.sort((a, b) => a.selectedIndex - b.selectedIndex);
  const same = after.value === before.value;
  told.textContent = same ? "Choose two different versions." : "";
  if (same) return;
  location.assign(`${form.dataset.home}${encodeURIComponent(after.value)}/#since-${before.value}`);
}

async function read(box) {
  if (box.dataset.state) return;
  box.dataset.state = "begun";
  try {
    await (box.matches(".ps-audit") ? listInstructions(box) : compareTexts(box));
  } catch {
    box.append(paragraph("This could not be loaded."));
  }
}

async function compareTexts(box) {
  const { before, after } = box.dataset;
  const texts = await Promise.all([before, after].map(bytesAt));
  show(box, diff(...texts.map(decoded)));
}

function paragraph(text) {
  const made = document.createElement("p");
  made.textContent = text;
  return made;
}

async function bytesAt(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.arrayBuffer();
}

// A byte order mark stays: it is part of the text.
function decoded(bytes) {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function show(box, parts) {
  const words = (kind) =>
    parts.filter(([each]) => each === kind).reduce((sum, [, text]) => sum + wordsIn(text), 0);
  const told = paragraph(`Word by word: ${words("del")} removed, ${words("ins")} added.`);
  told.setAttribute("role", "status");
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.append(
    ...parts.flatMap(([kind, text], at) =>
      kind === "same" ? unchanged(text, at === 0, at === parts.length - 1) : [marked(kind, text)],
    ),
  );
  box.append(told, pre);
}

function wordsIn(text) {
  return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).length;
}

async function listInstructions(box) {
  const bytes = await bytesAt(box.dataset.file);
  const text = decoded(bytes);
  const list = document.createElement("ol");
  list.append(...instructions(text).map(instruction));
  box.append(paragraph(await compared(bytes, box.dataset.sha256)), list);
}

// Browsers compute digests for pages from https and from this machine alone.
async function compared(bytes, sha256) {
  if (!crypto.subtle) return "This browser cannot compute the digest of these bytes here.";
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const found = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return found === sha256
    ? "Your browser computed the digest of these bytes: it is the one above."
    : `These are other bytes: their SHA-256 is ${found}.`;
}

function instruction({ line, place, text }) {
  const item = document.createElement("li");
  const where = paragraph(`line ${line}`);
  const code = document.createElement("code");
  code.textContent = visible(place);
  if (place) where.prepend(code, " ");
  const words = document.createElement("div");
  words.className = "ps-words";
  words.dir = "auto";
  words.append(...visible(text).split(ADDRESS).map((part, at) => (at % 2 ? marked("mark", part) : part)));
  item.append(where, words);
  return item;
}

// Returns what a text says, in order, each with its line: the paragraphs, or of JSON each value with its
// JSON pointer. The text is not parsed, so that a value with the same name as another is listed, too.
export function instructions(text) {
  return text.trimStart().startsWith("{") ? valuesOf(text) : paragraphsOf(text);
}

function paragraphsOf(text) {
  const found = [];
  let [at, inside] = [0, false];
  for (const line of text.split("\n")) {
    if (inside && line.trim()) found.at(-1).text += `\n${line}`;
    else if (line.trim()) found.push({ at, place: "", text: line });
    inside = Boolean(line.trim());
    at += line.length + 1;
  }
  return counted(found, text);
}

function valuesOf(text) {
  const found = [];
  const path = []; // of each object the name of its member, of each list the number of its item
  let name = "";
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const inner = path.at(-1);
    if (token === "{" || token === "[") path.push(token === "[" ? 0 : null);
    else if (token === "}" || token === "]") path.pop();
    else if (token === ",") path.push(typeof inner === "number" ? path.pop() + 1 : (path.pop(), null));
    else if (token === ":") path.splice(-1, 1, name);
    else if (inner === null) name = spoken(token);
    else found.push({ at: index, place: pointer(path), text: spoken(token) });
  }
  return counted(found, text);
}

// Numbers are shown as they are written, and so is a text that is cut within an escape.
function spoken(token) {
  try {
    return token.startsWith('"') ? JSON.parse(token) : token;
  } catch {
    return token;
  }
}

function pointer(path) {
  return path.map((each) => `/${String(each).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function counted(found, text) {
  let [line, last] = [1, 0];
  return found.map(({ at, ...rest }) => {
    line += text.slice(last, at).split("\n").length - 1;
    last = at;
    return { line, ...rest };
  });
}

function marked(kind, text) {
  const made = document.createElement(kind);
  made.textContent = visible(text);
  return made;
}

// The lines of an unchanged text that are next to a change.
function unchanged(text, first, last) {
  const lines = visible(text).split("\n");
  const head = first ? 0 : CONTEXT;
  const tail = last ? 0 : CONTEXT;
  if (lines.length <= head + tail + 1) return [lines.join("\n")];
  const gap = document.createElement("span");
  gap.className = "ps-diff__gap";
  gap.textContent = `${lines.length - head - tail} unchanged lines`;
  const before = lines.slice(0, head).map((line) => `${line}\n`);
  const after = lines.slice(lines.length - tail);
  return [before.join(""), gap, after.join("\n")];
}

// Returns ["same" | "del" | "ins", text] pairs. Without "ins" they are the text before, without "del"
// the text after. Lines are compared first, then the words of those that changed.
export function diff(before, after) {
  const found = [];
  for (const [kind, removed, added] of changes(linesOf(before), linesOf(after))) {
    if (kind === "same") {
      found.push(["same", removed]);
    } else {
      for (const [inner, old, young] of changes(removed.match(WORDS) ?? [], added.match(WORDS) ?? [])) {
        if (inner === "same") found.push(["same", old]);
        if (inner !== "same" && old) found.push(["del", old]);
        if (inner !== "same" && young) found.push(["ins", young]);
      }
    }
  }
  return joined(found);
}

function linesOf(text) {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function joined(parts) {
  const found = [];
  for (const [kind, text] of parts) {
    if (found.at(-1)?.[0] === kind) found.at(-1)[1] += text;
    else found.push([kind, text]);
  }
  return found;
}

// Yields ["same", text] and ["changed", removed, added] of two lists of texts.
function* changes(before, after) {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const stop = [before.length - end, after.length - end];
  if (start) yield ["same", before.slice(0, start).join("")];
  let [x, y] = [start, start];
  for (const [a, b, length] of [...common(before, after, start, stop), [...stop, 0]]) {
    if (a > x || b > y) yield ["changed", before.slice(x, a).join(""), after.slice(y, b).join("")];
    if (length) yield ["same", before.slice(a, a + length).join("")];
    [x, y] = [a + length, b + length];
  }
  if (end) yield ["same", before.slice(before.length - end).join("")];
}

// Returns the runs [at before, at after, length] that two lists have in common between `start` and
// `stop` (Myers, "An O(ND) difference algorithm", 1986); none if they differ too much.
function common(before, after, start, stop) {
  const [width, height] = stop.map((end) => end - start);
  const most = Math.min(width + height, MOST_EDITS);
  const middle = most + 1;
  const furthest = new Int32Array(2 * middle + 1);
  const traces = [];
  for (let edits = 0; edits <= most; edits += 1) {
    traces.push(furthest.slice(middle - edits - 1, middle + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && furthest[middle + k - 1] < furthest[middle + k + 1]);
      let x = down ? furthest[middle + k + 1] : furthest[middle + k - 1] + 1;
      while (x < width && x - k < height && before[start + x] === after[start + x - k]) x += 1;
      furthest[middle + k] = x;
      if (x >= width && x - k >= height) return runs(traces, width, height, start);
    }
  }
  return [];
}

// Follows the traces back from the end.
function runs(traces, width, height, start) {
  const found = [];
  let [x, y] = [width, height];
  for (let edits = traces.length - 1; edits >= 0; edits -= 1) {
    const at = (k) => traces[edits][k + edits + 1];
    const k = x - y;
    const down = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
    const from = edits ? (down ? at(k + 1) : at(k - 1) + 1) : 0;
    if (x > from) found.push([start + from, start + from - k, x - from]);
    [x, y] = edits ? (down ? [from, from - k - 1] : [from - 1, from - k]) : [0, 0];
  }
  return found.reverse();
}
