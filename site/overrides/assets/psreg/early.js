// What needs scripts is hidden without them.
document.documentElement.classList.replace("no-js", "js");

// The theme would fetch the search index of the documentation on every page. It gets it when
// somebody enters the search field.
(function () {
  const wanted = new Promise((resolve) => {
    document.addEventListener("focusin", (event) => {
      if (event.target.matches("[data-md-component=search-query]")) resolve();
    });
  });
  const { open, send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    this.psWaits = String(url).endsWith("/search/search_index.json");
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function (body) {
    if (this.psWaits) wanted.then(() => send.call(this, body));
    else send.call(this, body);
  };
})();

// The theme takes each alternate for a translation, and would fetch a sitemap beside it. Ours are
// feeds and other formats; with a second word in `rel` it does not find them.
for (const link of document.querySelectorAll("link[rel=alternate]")) link.relList.add("nofollow");

// The theme would use ?q= for its search of the documentation; here it belongs to the catalogue.
// search.js restores it once the theme has started.
(function () {
  const query = new URLSearchParams(location.search);
  const keys = ["q", "class", "tag", "license", "tested", "protocol", "sort"];
  document.documentElement.classList.toggle("ps-searching", keys.some((key) => query.get(key)));
  if (!query.has("q")) return;
  document.documentElement.dataset.query = location.search;
  query.delete("q");
  const text = query.toString();
  history.replaceState(null, "", location.pathname + (text ? "?" + text : "") + location.hash);
})();
