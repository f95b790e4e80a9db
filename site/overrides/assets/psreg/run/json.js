// Reads JSON as psreg does: a text in which an object has a key twice is refused, because two readers may
// understand two things.

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

// Returns the value; `reviver` is that of JSON.parse. Throws a SyntaxError.
export function parse(text, reviver) {
  const value = JSON.parse(text, reviver);
  const key = repeated(text);
  if (key !== null) throw new SyntaxError(`the key \`${key}\` occurs twice`);
  return value;
}

// Returns a key that occurs twice in an object of a valid JSON text, null if there is none.
function repeated(text) {
  const open = [];
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(null);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const key = JSON.parse(last);
      if (open.at(-1).has(key)) return key;
      open.at(-1).add(key);
    }
    last = token;
  }
  return null;
}
