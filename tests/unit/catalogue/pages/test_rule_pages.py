from psreg.catalogue.pages.rule_pages import example_html, rule_pages
from psreg.catalogue.rule_examples import examples
from psreg.cli.rules import all_rules

RULES = all_rules()


def test_two_files_are_shown_whole():
    html = example_html(({"bad-1.prompt": b"<b>no</b>"}, {"good-1.prompt": b"yes"}))
    assert html.index("Reported") < html.index("&lt;b&gt;no&lt;/b&gt;") < html.index("Accepted")
    assert "<code>good-1.prompt</code>" in html
    assert "more file" not in html


def test_of_two_folders_only_what_differs_is_shown():
    same = {"README.md": b"same", "entry.toml": b"same"}
    html = example_html(({**same, "a": b"one"}, {**same, "a": b"other"}))
    assert "same" not in html
    assert html.count("And 2 more files, as in any entry.") == 2


def test_what_nobody_would_see_is_written_out():
    html = example_html(({"a": "x\u200by\ufeff\u202e\n".encode()}, {"a": b"\xff"}))
    assert "x⟨U+200B⟩y⟨U+FEFF⟩⟨U+202E⟩\n" in html
    assert r"\xff" in html


def test_long_files_are_cut():
    html = example_html(({"a": b"y" * 5_000}, {"b": b""}))
    assert "y" * 2_000 + "…" in html
    assert "y" * 2_001 not in html


def test_the_corpus_is_found_and_shown():
    found = examples()
    assert len(found) > len(RULES) * 0.8
    pages = {page.title.split()[0]: page.body for page in rule_pages(RULES, found)}
    assert "Reported" in pages["PBE004"]
    assert "Accepted" in pages["REG013"]
    assert "<code>bad-empty.toml</code>" in pages["PROTO001"]
    assert "<code>good-labels.txt</code>" in pages["PROTO001"]
    assert all(("Reported" in body) == (code in found) for code, body in pages.items())
