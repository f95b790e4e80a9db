// Copy buttons. A file is fetched so that the clipboard gets its exact text.

const SHOWN_MS = 2000;

export function enableCopying() {
  const status = document.createElement("p");
  status.className = "ps-hidden";
  status.setAttribute("role", "status");
  document.body.append(status);
  for (const block of document.querySelectorAll(".md-typeset pre > code")) {
    if (!block.closest(".ps-source")) addButton(block);
  }
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".ps-copy");
    if (!button) return;
    if (button.href) event.preventDefault();
    const { refused } = button.dataset;
    if (refused) {
      tell(button, status, refused, false);
      return;
    }
    try {
      await write(await textOf(button));
      tell(button, status, button.dataset.copied ?? "Copied", true);
      if (button.href) open(button.href, "_blank", "noopener,noreferrer");
    } catch {
      tell(button, status, "Could not copy", false);
    }
  });
}

function addButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "ps-copy ps-corner";
  button.textContent = "Copy";
  block.after(button);
}

async function textOf(button) {
  const { copy, copyFile, copyFilled, copyPage } = button.dataset;
  if (copy !== undefined) return copy;
  if (copyPage !== undefined) return location.href.split(/[?#]/)[0];
  if (copyFilled !== undefined) {
    return button.closest(".ps-fill").querySelector(".ps-fill__text").textContent;
  }
  if (copyFile === undefined) return button.previousElementSibling.textContent;
  const answer = await fetch(copyFile);
  if (!answer.ok) throw new Error(`${copyFile}: ${answer.status}`);
    // .text() would drop a byte order mark.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await answer.arrayBuffer());
}

async function write(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
    // Without https, browsers offer only execCommand.
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("copying was refused");
}

function tell(button, status, said, done) {
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  button.textContent = said;
  button.classList.add(done ? "ps-copy--done" : "ps-copy--failed");
  status.textContent = button.textContent;
  clearTimeout(button.timer);
  button.timer = setTimeout(() => {
    button.textContent = label;
    button.classList.remove("ps-copy--done", "ps-copy--failed");
    status.textContent = "";
  }, SHOWN_MS);
}
