// Fills in a prompt template. psreg has split the text at its variables; this joins the parts.

const IN_LINK = "#fill?";

// Longer addresses are cut by programs that pass them on.
const LONGEST_LINK = 4000;

export function start(box) {
  const data = JSON.parse(box.querySelector(".ps-fill__data").textContent);
  const fields = [...box.querySelectorAll("textarea")];
  const target = box.querySelector(".ps-fill__text");
  const open = box.querySelector(".ps-fill__open");
  const copies = [...box.querySelectorAll("[data-copy-filled]")];
  const share = box.querySelector("[data-copy-link]");
  const valueAt = (at) => valueOf(fields[at].value, data.required[at]);
  const show = () => {
    const values = fields.map((_, at) => valueAt(at));
    target.replaceChildren(...data.parts.map((part) => node(part, values, data.names)));
    const missing = data.names.filter((_, at) => values[at] === null);
    const said = `Missing: ${missing.join(", ")}`;
    open.textContent = missing.length ? said : "All variables have a value";
    for (const copy of copies) copy.dataset.refused = missing.length ? said : "";
    share.dataset.copy = linkWith(fields, new URL(box.dataset.page, location.href.split(/[?#]/)[0]));
    share.dataset.refused = share.dataset.copy.length > LONGEST_LINK ? "Too long for a link" : "";
  };
  const take = () => {
    if (!location.hash.startsWith(IN_LINK)) return;
    const given = new URLSearchParams(location.hash.slice(IN_LINK.length));
    for (const field of fields) field.value = given.get(field.name) ?? field.defaultValue;
    show();
    box.closest("section").scrollIntoView();
  };
  box.addEventListener("input", show);
  box.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  const goToMissing = () => fields.find((_, at) => valueAt(at) === null)?.focus();
  for (const copy of copies) copy.addEventListener("click", goToMissing);
  addEventListener("hashchange", take);
  show();
  take();
  box.classList.add("ps-ready");
}

// The part after # is not sent to any server. It has what is not the default.
function linkWith(fields, page) {
  const changed = fields.filter((field) => field.value !== field.defaultValue);
  const values = new URLSearchParams(changed.map((field) => [field.name, field.value]));
  return `${page.href}${IN_LINK}${values}`;
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
