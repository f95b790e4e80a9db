// Finds a release of this registry by NAME@VERSION, and fetches its artifact.

const root = new URL("../../../", import.meta.url);

const WANTED = /^([a-z][a-z0-9]*(?:_[a-z0-9]+)*)(?:@([0-9A-Za-z.+-]+))?$/;

// Returns { name, version, kind, path, sha256, text, page, form, protocols, summary }. `kind` is the class and `page` the
// address of the page of the release. `form` is the element in which a `.prompt` with variables is filled in; without
// variables, `text` is what it makes.
export async function find(wanted) {
  const asked = WANTED.exec(wanted.trim());
  if (!asked) throw new Error(`\`${wanted}\` is not NAME or NAME@VERSION.`);
  const [, name, version] = asked;
  const found = (await drafted(name, version)) ?? (await released(name, version));
  if (!found) throw new Error(`This registry has no prompt \`${wanted.trim()}\`.`);
  if (found.kind === "persistent_service") {
    throw new Error(`${name} is a design document that nothing executes today.`);
  }
  const bytes = await (await fetched(found.path)).arrayBuffer();
  const sha256 = await digest(bytes);
  if (found.sha256 && found.sha256 !== sha256) {
    throw new Error(`${found.path} is not the file that was signed.`);
  }
  const text = decoded(bytes, found.path);
  if (found.kind !== "prompt" && !isObject(text)) {
    throw new Error(`${name} ${found.version} cannot be run: it is not a JSON object.`);
  }
  const page = new URL(`${found.kind}/${name}/${found.version}/`, root);
  const filled = found.kind === "prompt" ? await filledFrom(page) : { text };
  return { form: null, ...found, ...filled, name, sha256, page };
}

async function released(name, version) {
  const answer = await fetched(`api/v1/packages/${name}.json`, true);
  if (!answer) return null;
  const record = await answer.json();
  const rows = record.releases.filter((row) => row.path);
  const offered = rows.filter((row) => !row.yanked && !row.revoked);
  // They are in the order of versions.
  const row = version
    ? rows.find((each) => each.version === version)
    : offered.findLast((each) => !each.version.includes("-")) ?? offered.at(-1);
  if (!row) return null;
  if (row.revoked) throw new Error(`${name} ${row.version} was revoked: do not run it.`);
  const { summary = "", protocols = {} } = row.release;
  return { kind: record.class, version: row.version, path: row.path, sha256: row.sha256, summary, protocols };
}

// A preview has a list of drafts, which have no records.
async function drafted(name, version) {
  const { segments } = await (await fetched("api/v1/index.json")).json();
  for (const { path } of segments.filter((segment) => segment.signed === false)) {
    const rows = await (await fetched(path)).json();
    const at = rows.name.indexOf(name);
    if (!rows.draft[at] || (version && rows.version[at] !== version)) continue;
    const kind = rows.class.values[rows.class.rows[at][0]];
    const found = `${kind}/${name}/${rows.version[at]}/${name}${kind === "prompt" ? ".prompt" : ".pbe.txt"}`;
    return { kind, version: rows.version[at], path: `pbes/${found}`, summary: rows.summary[at], protocols: {} };
  }
  return null;
}

// psreg has split the text of a `.prompt` at its variables, in the page of the release; that of the newest one
// is in the page of the entry.
async function filledFrom(page) {
  for (const address of [page, new URL("..", page)]) {
    const html = await (await fetched(address.href)).text();
    const found = new DOMParser().parseFromString(html, "text/html");
    const form = found.querySelector(".ps-fill");
    const data = found.querySelector(".ps-fill__data");
    if (data) return { form, text: form ? "" : JSON.parse(data.textContent).parts.join("") };
  }
  throw new Error("The page of this prompt does not have its text.");
}

async function fetched(path, mayLack = false) {
  const answer = await fetch(new URL(path, root), { credentials: "omit" });
  if (mayLack && answer.status === 404) return null;
  if (!answer.ok) throw new Error(`${path} cannot be fetched: status ${answer.status}.`);
  return answer;
}

async function digest(bytes) {
  if (!crypto.subtle) {
    throw new Error("Browsers compute no digests on pages that came over plain http. Open this page over https.");
  }
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...found].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function decoded(bytes, path) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${path} is not UTF-8.`);
  }
}

function isObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
