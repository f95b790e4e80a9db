// Texts as the pages show them.

// Characters that could hide or reorder text, and halves of characters.
const HIDDEN =
  /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff\p{Cs}\u{e0000}-\u{e007f}]/gu;

// Returns a text with such characters as `⟨U+202E⟩`.
export function visible(text) {
  const code = (found) => found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return text.replace(HIDDEN, (found) => `⟨U+${code(found)}⟩`);
}
