"""`llms.txt`: a title, a quotation, and lists of links by class (llmstxt.org)."""

import re
from dataclasses import replace

import pytest

from psreg.catalogue.pages.frame import Site
from psreg.catalogue.pages.listing import Row
from psreg.catalogue.texts.llms_text import llms_text
from support.catalogue import SCRIPT, opened, tree

SITE = Site(name="Reg <1>", registry_id="", mode="dev", root_sha256="")
ROWS = [Row.of(entry) for entry in opened(tree()).values()]
LINE = re.compile(r"- \[[^\]]+\]\([^)]+\): .+")


@pytest.mark.parametrize("base", ["", "https://example.org/p/"])
def test_every_entry_is_listed_below_its_class(base):
    text = llms_text(ROWS, replace(SITE, base_url=base))
    assert text.startswith("# Reg \\<1\\>\n\n> A registry of prompts: 5 entries, ")
    _, *parts = text.split("\n## ")
    assert [part.partition("\n")[0] for part in parts] == [
        *("Conversations", "Single tasks", "Forms to fill in", "Designs", "Optional"),
    ]
    assert all(LINE.fullmatch(line) for part in parts for line in part.strip().split("\n")[2:])
    listener = f"[listener]({base}interactive_engine/listener/index.md): Listens to you, "
    assert listener in parts[0]
    assert f"[greeter]({base}stateless_executor/greeter/index.md): " in parts[1]
    assert "(deprecated)\n" in parts[1]
    assert SCRIPT not in text


def test_classes_without_entries_are_left_out_and_drafts_are_marked():
    draft = replace(ROWS[0], entry_class="prompt", draft=True)
    text = llms_text([draft], SITE)
    assert re.findall("\n## (.*)", text) == ["Forms to fill in", "Optional"]
    assert "(draft)\n" in text


def test_long_lists_and_long_summaries_end():
    rows = [replace(ROWS[0], name=f"n{number}", summary="long " * 99) for number in range(501)]
    text = llms_text(rows, SITE)
    assert len(re.findall(r"- \[n\d+\]", text)) == 500
    assert ": the first 500 are listed here\n" in text
    assert max(map(len, text.splitlines())) < 500
