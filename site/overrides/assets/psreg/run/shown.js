// Texts from prompts and endpoints as a page may show them, and what to do when a request failed.

const HIDDEN = /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]|[\u{e0000}-\u{e007f}]/gu;
const MOST_SHOWN = 200_000;

// Returns a text with the characters that could hide or reorder it as `⟨U+202E⟩`, and a very long one cut.
export function visible(text) {
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  const code = (found) => found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return shown.replace(HIDDEN, (found) => `⟨U+${code(found)}⟩`);
}

// Shows an error with what to do about it, and the part of the page that explains it for this server.
export function explain(place, error, server) {
  place.replaceChildren();
  if (!error) return;
  const said = make("p", visible(error.message));
  if (error.hint) said.append(`. ${error.hint}`);
  place.append(said);
  const anchor = error.help === "cors" ? server || "other-server" : error.help;
  let part = document.getElementById(anchor);
  if (!part) return;
  place.append(make("h3", part.firstChild.textContent.trim()));
  for (part = part.nextElementSibling; part && !/^H[23]$/.test(part.tagName); part = part.nextElementSibling) {
    place.append(part.cloneNode(true));
  }
}

export function make(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

export function button(text, className = "ps-button") {
  return Object.assign(make("button", text, className), { type: "button" });
}

// Saves a text as a file on the person's machine.
export function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
