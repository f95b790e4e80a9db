// Highlights JSON and .prompt texts without changing a character.

const LARGEST = 300_000;

const JSON_TOKEN =
  /(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<text>"(?:[^"\\]|\\.)*")|(?<value>-?\d[\d.eE+-]*|true|false|null)/g;

const PROMPT_TOKEN =
  /(?<note>\(%[^]*?%\))|(?<head>^\[(?:METADATA|DEFAULTS|CONTENT)\][ \t]*$)|(?<key>^@[\w-]+)|(?<mark>\{[\w-]+\})/gm;

export function start(code) {
  const text = code.textContent;
  if (text.length > LARGEST) return;
  const token = code.classList.contains("language-prompt") ? PROMPT_TOKEN : JSON_TOKEN;
  const made = document.createDocumentFragment();
  let at = 0;
  for (const found of text.matchAll(token)) {
    const [kind] = Object.entries(found.groups).find(([, value]) => value !== undefined);
    const span = document.createElement("span");
    span.className = `ps-j-${kind}`;
    span.textContent = found[0];
    made.append(text.slice(at, found.index), span);
    at = found.index + found[0].length;
  }
  made.append(text.slice(at));
  code.replaceChildren(made);
}
