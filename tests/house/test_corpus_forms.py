"""The short forms of the corpus say whole trees: every path, every byte."""

import re

from hypothesis import given
from hypothesis import strategies as st

from psreg.catalogue.rule_examples import parse_tree
from support.corpus_cases import CORPUS, ORDINARY
from support.registry_trees import OWNED, README, change_said, entry, update

PATHS = st.from_regex(r"[a-z]{1,3}(/[a-z]{1,3}){0,2}\.(md|toml)", fullmatch=True)
LINES = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]))
TEXTS = st.lists(LINES.filter(lambda line: not re.search("^-- .* --$", line, re.MULTILINE))).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


def said(tree, ordinary):
    """Write a tree as a `.tree` file has it."""
    gone = [path for path in ordinary if path not in tree]
    blocks = (f"-- {path} --\n{text}" for path, text in tree.items() if ordinary.get(path) != text)
    return f"gone: {' '.join(gone)}\n" + "".join(blocks)


@given(tree=st.dictionaries(PATHS, TEXTS), ordinary=st.dictionaries(PATHS, TEXTS))
def test_every_tree_of_texts_can_be_said(tree, ordinary):
    before = {path: text.encode() for path, text in ordinary.items()}
    assert parse_tree(said(tree, ordinary), before) == {p: t.encode() for p, t in tree.items()}


def test_a_tree_differs_from_the_ordinary_one():
    folder = "pbes/prompt/hello/1.0.0"
    text = (
        f"gone: {folder}/README.md\n-- {folder}/notes.md --\n# Notes\n\n-- end\n-- {folder}/e --\n"
    )
    wanted = dict(ORDINARY)
    del wanted[f"{folder}/README.md"]
    wanted |= {f"{folder}/notes.md": b"# Notes\n\n-- end\n", f"{folder}/e": b""}
    assert parse_tree(text, ORDINARY) == wanted
    assert parse_tree("", ORDINARY) == ORDINARY
    assert parse_tree("gone: pbes/ registry/\n", ORDINARY) == {}


def test_no_tree_repeats_the_ordinary_one():
    for path in CORPUS.glob("*/*.tree"):
        named = parse_tree(path.read_text())
        assert not [name for name, data in named.items() if ORDINARY.get(name) == data], path
        head = path.read_text().partition("-- ")[0]
        assert re.fullmatch(r"(gone:( \S+)+\n)?", head), path


def test_a_change_is_of_an_entry_of_somebody():
    text = "author: github 7\nreleased: 1.0.0\nrelease: 1.0.1\ngone: pbes/prompt/hello/1.0.0/R\n"
    text += "-- after: pbes/prompt/hello/1.0.1/notes.md --\nNew.\n-- before: old.md --\nOld.\n"
    change = change_said(text)
    policy = {"registry/policy.toml": change["base"]["registry/policy.toml"]}
    base = policy | entry("hello", "1.0.0", toml=OWNED) | {"old.md": "Old.\n"}
    head = base | update("1.0.1") | {"pbes/prompt/hello/1.0.1/notes.md": "New.\n"}
    assert head.pop("pbes/prompt/hello/1.0.0/README.md") == README
    assert change == {"base": base, "head": head, "author": ("github", 7)}
    assert change_said("author: nobody knows\nreleased: none\n")["author"] is None
