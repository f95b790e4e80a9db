// Keeps the reasoning that many models write first apart from their answer, as `psreg try` does.

const TAGS = "think|thinking|reasoning";
const LONGEST_LEAD = 1000;
const OPEN = new RegExp(`^\\s{0,${LONGEST_LEAD}}<(${TAGS})>`, "i");
const OPENS = TAGS.split("|").map((tag) => `<${tag}>`);
const ANY_OPEN = new RegExp(`<(?:${TAGS})>`, "i");
const CLOSED = new RegExp(`^([^]*?\\n)[ \\t]*</(?:${TAGS})>[ \\t]*(?:\\n|$)`, "i");

// Takes a text in pieces and passes on the answer; `reasoning` is what was kept back.
export class ReasoningFilter {
  #parts = [];
  #held = "";
  #close = "";
  #closed = false;
  #answering = false;

  get reasoning() {
    return this.#parts.join("").trim();
  }

  // Returns the part of the answer that is known after the next piece of the text.
  answer(piece) {
    if (this.#answering) return piece;
    this.#held += piece;
    while (this.#close || this.#begun()) {
      if (!this.#close) {
        this.#answering = true;
        return this.#closed ? this.#rest().trimStart() : this.#rest();
      }
      if (!this.#collect()) return "";
    }
    return "";
  }

  // Returns the rest of the answer at the end of the text.
  end() {
    if (this.#close) this.#parts.push(this.#rest());
    return this.#closed ? this.#rest().trimStart() : this.#rest();
  }

  // Tells whether it is known if the text goes on with reasoning.
  #begun() {
    const opened = OPEN.exec(this.#held);
    if (opened) {
      this.#close = `</${opened[1].toLowerCase()}>`;
      this.#held = this.#held.slice(opened[0].length);
      return true;
    }
    const start = this.#held.trimStart().toLowerCase();
    return this.#held.length >= LONGEST_LEAD || !OPENS.some((tag) => tag.startsWith(start));
  }

  // Moves reasoning from what is held to the parts; tells whether its closing tag came.
  #collect() {
    const end = this.#held.toLowerCase().indexOf(this.#close);
    if (end >= 0) {
      this.#parts.push(`${this.#held.slice(0, end)}\n\n`);
      this.#held = this.#held.slice(end + this.#close.length).trimStart();
      this.#close = "";
      this.#closed = true;
      return true;
    }
    // A part of the closing tag may be at the end.
    const kept = this.#close.length - 1;
    this.#parts.push(this.#held.slice(0, -kept));
    this.#held = this.#held.slice(-kept);
    return false;
  }

  #rest() {
    const held = this.#held;
    this.#held = "";
    return held;
  }
}

// Returns the reasoning at the start of `text` that only a closing tag ends, and the answer.
export function splitReasoning(text) {
  const found = CLOSED.exec(text);
  if (!found || ANY_OPEN.test(found[1])) return ["", text];
  return [found[1].trim(), text.slice(found[0].length).trimStart()];
}
