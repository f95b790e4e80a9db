// The theme would use ?q= for its search of the documentation; here it belongs to the catalogue.
// search.js restores it once the theme has started.
(function () {
  const query = new URLSearchParams(location.search);
  if (!query.has("q")) return;
  document.documentElement.dataset.query = location.search;
  query.delete("q");
  const text = query.toString();
  history.replaceState(null, "", location.pathname + (text ? "?" + text : "") + location.hash);
})();
