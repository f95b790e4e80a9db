// Lists the prompts that require the one on the page, when somebody looks.

export function start(box) {
  const look = () => box.open && !box.dataset.state && list(box);
  box.addEventListener("toggle", look);
  // Somebody may have opened it while this was fetched.
  look();
}

async function list(box) {
  const { file, name, root } = box.dataset;
  box.dataset.state = "begun";
  const made = document.createElement("ul");
  try {
    const answer = await fetch(file);
    const { dependents } = await answer.json();
    const found = Object.hasOwn(dependents, name) ? dependents[name] : [];
    made.append(...found.map((each) => item(each, root)));
    box.append(found.length ? made : "No prompt requires it.");
  } catch {
    box.append("This could not be loaded.");
  }
}

function item(dependent, root) {
  const made = document.createElement("li");
  const link = document.createElement("a");
  link.href = `${root}${dependent.class}/${dependent.name}/`;
  link.textContent = dependent.name;
  made.append(link, ` ${dependent.version} requires ${dependent.range}`);
  return made;
}
