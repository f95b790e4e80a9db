// Fills in a prompt template. psreg has split the text at its variables; this joins the parts.

export function start(box) {
  const data = JSON.parse(box.querySelector(".ps-fill__data").textContent);
  const fields = [...box.querySelectorAll("textarea")];
  const target = box.querySelector(".ps-fill__text");
  const open = box.querySelector(".ps-fill__open");
  const show = () => {
    const values = fields.map((field, at) => valueOf(field.value, data.required[at]));
    target.replaceChildren(...data.parts.map((part) => node(part, values, data.names)));
    const missing = data.names.filter((_, at) => values[at] === null);
    open.textContent = missing.length ? `Missing: ${missing.join(", ")}` : "All variables have a value";
  };
  box.addEventListener("input", show);
  box.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  show();
}

// An empty field is an empty value if it replaces a default, and a missing value otherwise.
function valueOf(text, required) {
  return required && text === "" ? null : text;
}

function node(part, values, names) {
  if (typeof part === "string") return document.createTextNode(part);
  const value = values[part];
  const made = document.createElement(value === null ? "span" : "mark");
  if (value === null) made.className = "ps-open";
  made.textContent = value ?? `{${names[part]}}`;
  return made;
}
