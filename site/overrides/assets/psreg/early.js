// What must be right before a page is painted; it runs at the beginning of the body.

// What needs scripts is hidden without them, and in a file that was saved: browsers load no modules
// from there. Such a page can be read, and its text be selected.
if (location.protocol !== "file:") document.documentElement.classList.replace("no-js", "js");

// While somebody searches, the page shows only what was found.
(function () {
  const query = new URLSearchParams(location.search);
  const keys = ["q", "class", "tag", "license", "tested", "protocol", "sort"];
  document.documentElement.classList.toggle("ps-searching", keys.some((key) => query.get(key)));
})();

// The colours are those that were chosen here, or those of the system.
(function () {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const show = () => {
    const chosen = remembered() ?? (dark.matches ? "slate" : "default");
    document.body.dataset.mdColorScheme = chosen;
  };
  function remembered() {
    try {
      return localStorage.getItem("psreg-scheme");
    } catch {
      return null;  // a browser may refuse to keep anything
    }
  }
  dark.addEventListener("change", show);
  show();
})();
