"""A catalogue that is read in layers finds the same as one that is read whole, with few requests."""

import gzip
import itertools
import json
from pathlib import PurePosixPath

import pytest

from psreg.catalogue.build import FixedParts, build_site
from psreg.catalogue.server import SiteServer
from psreg.catalogue.site_source import SiteSource
from psreg.cli.rules import all_rules
from psreg.registry.catalog_segments import read_segment, write_segment
from psreg.registry.search.layers import layer_files
from psreg.registry.search.ranking import search
from support.publishing import release
from support.search_cases import authored, made_up, queries, rows_of, segments_of

FIND = """async ([segments, queries]) => {
  const assets = document.baseURI + "assets/psreg/";
  const { catalogueOf, find } = await import(assets + "search/catalogue.js");
  const { Layers, MOST_FILES, fetchTexts } = await import(assets + "search/layers.js");
  const { wantedInTexts } = await import(assets + "search/ranking.js");
  const synonyms = await fetch(assets + "synonyms.txt").then((answer) => answer.text());
  const made = segments.map((files) => files["names.json"]
    ? new Layers(files["names.json"], async (name) => files[`${name}.json`], assets) : files);
  const catalogue = catalogueOf(made, synonyms);
  const found = [];
  for (const query of queries) {
    for (;;) {
      const wanted = [...wantedInTexts(query, catalogue.thesaurus)];
      const { came, left } = await fetchTexts(catalogue, wanted, MOST_FILES);
      if (came > MOST_FILES) throw new Error(`${query}: ${came} files at once`);
      if (!left) break;
    }
    const rows = find(catalogue, query, {}).found;
    found.push([false, true].map((some) =>
      rows.filter(({ partial }) => partial === some).map(({ row }) => row.name)));
  }
  return found;
}"""
"""What the site finds for each query once it has fetched all that the query needs."""


def layered(data):
    """Return the layers of a segment, cut into small blocks, by name."""
    return {name: json.loads(part) for name, part in layer_files(read_segment(data), 400)}


@pytest.mark.parametrize("entries", [made_up(), authored()], ids=["made up", "authored"])
@pytest.mark.parametrize("layers", [(True, True), (True, False), (False, True)])
def test_layers_rank_as_the_command_does(tab, entries, layers):
    segments = segments_of(entries)
    asked = queries((entry["summary"] for entry in entries), 200)
    catalogue = [*map(read_segment, segments)]
    told = []
    for query in asked:
        found = search(catalogue, [query])
        told.append([[e.name for e in found if e.partial is some] for some in (False, True)])
    shown = [layered(d) if cut else json.loads(d) for d, cut in zip(segments, layers, strict=True)]
    assert tab.open().evaluate(FIND, [shown, asked]) == told


CHOICES = """([whole, layered, queries, choices]) => {
  const assets = document.baseURI + "assets/psreg/";
  return Promise.all(["catalogue", "layers"].map((name) => import(`${assets}search/${name}.js`)))
    .then(([{ catalogueOf, find }, { Layers }]) => {
      const made = layered.map((files) => new Layers(files["names.json"], null, assets));
      const told = (segments) => {
        const catalogue = catalogueOf(segments, "");
        return queries.map((query) => choices.map((chosen) => {
          const { found, counts, total } = find(catalogue, query, chosen);
          const some = find(catalogue, query, chosen, 3);
          const values = Object.entries(counts).map(([facet, all]) => [facet, [...all].sort()]);
          const names = [found, some.found].map((rows) => rows.map(({ row }) => row.name));
          return [...names, some.total, total, values];
        }));
      };
      return [told(whole), told(made)];
    });
}"""
"""What is found with selections in facets and in other orders, in whole segments and in layers."""


def test_selections_and_orders_are_the_same_in_layers(tab):
    rows = rows_of([entry | {"summary": "", "use_case": "", "words": ""} for entry in made_up(200)])
    for n, row in enumerate(rows.values()):
        row |= {"date": f"2026-01-{n % 28 + 1:02}", "protocol": ["vpp"] * (n % 3 == 0)}
        row["platform"] = ["a", "b", "c"][: n % 4]
    old = {name: row | {"tags": ["stale"]} for name, row in [*rows.items()][::2]}
    new = dict([*rows.items()][: len(rows) // 2])
    segments = [write_segment({**rows, **old}), write_segment(new, [[*rows][-1]])]
    choices = [
        {},
        {"sort": "newest"},
        {"sort": "name", "class": "prompt"},
        {"tag": "code", "tested": "two-or-more"},
        {"tag": "stale", "sort": "newest"},
        {"protocol": "vpp", "license": "MIT"},
        {"tag": "nothing"},
    ]
    asked = ["", "code", "quiz review", "learn x2", "stale", "codde"]
    given = [[*map(json.loads, segments)], [*map(layered, segments)], asked, choices]
    whole, layers = tab.open().evaluate(CHOICES, given)
    assert layers == whole
    for found, some, total_of_some, total, _ in itertools.chain(*whole):
        assert some == found[:3]
        assert total_of_some == total == len(found)
    assert whole[0][1][0] != whole[0][0][0] == sorted(whole[0][0][0])
    assert len(whole[4][0][0]) > 10
    current = {**rows, **old, **new}
    del current[[*rows][-1]]
    both = [
        name for name, row in current.items() if "code" in row["tags"] and len(row["platform"]) > 1
    ]
    assert sorted(whole[0][3][0]) == sorted(both) != []


NUMBER = 300


def made_word(n):
    """Return the made-up word number `n`, of 8 letters."""
    return "".join(chr(ord("a") + (n * 7_919 + 3) // 26**place % 26) for place in range(8))


def entry(n):
    name = f"made_{n}"
    words = " ".join(made_word(n * 60 + each) for each in range(60))
    folder = PurePosixPath("pbes/prompt", name)
    toml = (
        f'summary = "Made entry {n} is for measuring."\nuse_case = "To read {words}."\n'
        'license = "MIT"\ntags = ["measure"]\nlanguages = ["en"]\n'
    )
    return {
        folder / "entry.toml": b"owners = []\n",
        folder / "1.0.0" / f"{name}.prompt": b"[METADATA]\n@dotprompt_format_version 0.0.1\n\n"
        b"[CONTENT]\nSay hello.\n",
        folder / "1.0.0/release.toml": toml.encode(),
    }


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """The address of the site of a registry that is too large to be read whole."""
    root = tmp_path_factory.mktemp("large")
    tree = {path: data for n in range(NUMBER) for path, data in entry(n).items()}
    for path, data in tree.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    release(root / "home", root / "registry", tree)
    source = SiteSource(checkout=root, registry=root / "registry")
    build_site(source, root / "site", "", FixedParts(rules=all_rules, scripts=dict))
    with SiteServer(root / "site", 0) as server, server.in_background():
        yield server.url


@pytest.fixture(params=["on the page", "in a worker"])
def large_tab(request, tab, large):
    """A tab for the large registry; in one of them, the registry says that it is much larger."""
    tab.site = large

    def claim(route):
        answer = route.fetch()
        index = answer.json()
        for segment in index["segments"]:
            segment["count"] += 2_000
        route.fulfill(response=answer, json=index)

    if request.param == "in a worker":
        tab.page.route("**/api/v1/index.json", claim)
    yield tab
    assert len(tab.page.workers) == (request.param == "in a worker")


def layers_in(tab):
    return [answer for answer in tab.answers if "/search/" in answer.url]


def shown(page):
    return page.locator(".ps-result h3").all_text_contents()


def status(text):
    return f"document.querySelector('.ps-search__status').textContent === {text!r}"


DESCRIBED = (
    "[...document.querySelectorAll('.ps-result > p:last-of-type')].every((p) => p.textContent)"
)


def test_names_are_found_at_once_and_texts_with_a_few_files(large_tab):
    page = large_tab.open()
    page.locator("#ps-q").fill("made_7")
    large_tab.until("document.querySelector('.ps-result h3')?.textContent === 'made_7'")
    large_tab.until("document.querySelector('.ps-result > p:last-of-type').textContent")
    page.locator("#ps-q").fill(made_word(60 * 123 + 5))
    large_tab.until(status("1 prompt"))
    assert shown(page) == ["made_123"]
    large_tab.until(DESCRIBED)
    assert "Made entry 123 is for" in page.locator(".ps-result").text_content()
    assert page.locator(".ps-result__meta").text_content() == "prompt template 1.0.0 "


def test_a_query_of_many_words_fetches_four_files_and_more_if_asked(large_tab):
    page = large_tab.open()
    page.locator("#ps-q").focus()
    large_tab.until("document.querySelector('.ps-facets:not([hidden])')")
    before = len(layers_in(large_tab))
    words = [made_word(60 * 50 + each) for each in range(12)]
    page.locator("#ps-q").fill(" ".join(words))
    rest = page.get_by_role("button", name="Search more texts")
    rest.wait_for()
    assert page.locator(".ps-search__status").text_content().endswith(" so far")
    came = layers_in(large_tab)[before:]
    blocks = [answer for answer in came if "documents.json" not in answer.url]
    assert len(blocks) == 4
    assert sum(len(gzip.compress(answer.body())) for answer in blocks) <= 100_000

    def all_came():
        # A click would wait for the button, which is gone when all have come.
        page.evaluate(
            "document.querySelector('.ps-search__status + button:not([hidden])')?.click()"
        )
        return page.evaluate(status("1 prompt"))

    large_tab.wait_for(all_came, "all texts came")
    assert shown(page)[0] == "made_50"


def test_a_text_is_found_that_an_earlier_query_has_asked_for(large_tab):
    held = []
    page = large_tab.open()
    page.route("**/search/*/w*.json", lambda route, _: held.append(route))
    word = made_word(60 * 77 + 3)
    with page.expect_request("**/search/*/w*.json"):
        page.locator("#ps-q").fill(word[:-1])
    page.locator("#ps-q").fill(word)
    page.wait_for_timeout(500)  # so that the second query is asked, too
    for route in held:
        route.continue_()
    large_tab.until(status("1 prompt"))
    assert shown(page) == ["made_77"]


def test_summaries_come_as_somebody_looks_on(large_tab):
    page = large_tab.open("?q=measure", ready=status("300 prompts"))
    page.get_by_role("button", name="Show more").click()
    page.mouse.move(300, 400)
    page.mouse.move(300, 500)
    large_tab.until(DESCRIBED)
    assert len(shown(page)) == 60


def test_the_header_reads_layers(large_tab):
    page = large_tab.open("rules/PBE006/")
    page.get_by_label("Search prompts and documentation").fill(made_word(60 * 200 + 7))
    large_tab.until("document.querySelector('.ps-found strong')?.textContent === 'made_200'")
    large_tab.until("document.querySelector('.ps-found a').textContent.includes('Made entry 200')")


def test_a_layer_that_does_not_come_is_told_and_fetched_again(large_tab):
    large_tab.foreseen = "Failed to load resource"
    page = large_tab.page
    page.route("**/search/*/w*.json", lambda route: route.abort())
    large_tab.open(f"?q={made_word(60 * 9)}", ready="true")
    large_tab.until(status("Part of the catalogue could not be loaded."))
    page.unroute("**/search/*/w*.json")
    page.locator("#ps-q").fill(made_word(60 * 9) + " ")
    large_tab.until(status("1 prompt"))
    assert shown(page) == ["made_9"]
    large_tab.failed.clear()


def test_what_is_nearly_a_name_is_offered(large_tab):
    page = large_tab.open("?q=maxde&tag=none", ready=status("No prompt matches."))
    assert "Did you mean made" in page.locator(".ps-advice").text_content()


def test_without_the_first_layer_the_page_says_so(large_tab):
    large_tab.foreseen = "Failed to load resource"
    large_tab.page.route("**/search/*/names.json", lambda route: route.abort())
    large_tab.open("?q=made", ready="true")
    large_tab.until("document.querySelector('.ps-search__status').textContent.includes('loaded')")
    large_tab.failed.clear()
