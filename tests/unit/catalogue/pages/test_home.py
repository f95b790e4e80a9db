"""The home page: picks, a form that is alive, kinds with names for people, the newest releases."""

from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from psreg.catalogue.pages.class_texts import RESERVED
from psreg.catalogue.pages.frame import Site
from psreg.catalogue.pages.home import home_parts, picked
from psreg.catalogue.pages.listing import Row
from psreg.core.errors import FindingsError
from support.catalogue import ATTRIBUTE, SCRIPT, opened, tree

SITE = Site(name="psreg", registry_id="ab" * 16, mode="dev", root_sha256="cd" * 32)
TREE = tree()
ENTRIES = opened(TREE)
ROWS = {name: Row.of(entry) for name, entry in ENTRIES.items()}
EVERY = tuple(ROWS.values())
NAMES = sorted(ROWS)


def home(rows=EVERY, site=SITE, picks=()):
    return home_parts(rows, site, picks, lambda path: TREE[PurePosixPath(path)])


def names(rows):
    return [row.name for row in rows]


def test_it_counts_what_there_is():
    parts = home()
    assert "Search 5 prompts" in parts["search"]
    assert "<h3>Conversations</h3>" in parts["classes"]
    assert "2 interactive engines" in parts["classes"]
    assert SITE.add_command in parts["add"]
    assert (parts["picks"], parts["form"]) == ("", "")


def test_it_says_what_the_policy_says():
    assert home()["lead"].startswith('<p class="ps-lead">Each one is reviewed')
    site = replace(SITE, text=f"For nurses {SCRIPT}")
    assert home(site=site)["lead"].startswith('<p class="ps-lead">For nurses &lt;script')


def test_the_reserved_class_says_so_once_and_is_not_news():
    parts = home()
    assert "".join(parts.values()).count(RESERVED) == 1
    assert "watcher" not in parts["newest"]


def test_the_newest_releases_are_those_of_the_last_days():
    entry = ENTRIES["listener"]
    latest, fixed = entry.releases
    record = replace(fixed.record, date="2099-01-01T00:00:00Z", yanked=None)
    fixed = replace(fixed, record=record)
    rows = [Row.of(replace(entry, releases=(latest, fixed)))]
    rows += [Row.of(other) for name, other in ENTRIES.items() if name != "listener"]
    newest = home(rows)["newest"]
    first = newest[: newest.index("</li>")]
    assert 'href="interactive_engine/listener/1.0.0/"' in first
    assert "1 Jan 2099" in first
    yanked = replace(fixed, record=replace(fixed.record, yanked="It loops."))
    row = Row.of(replace(entry, releases=(latest, yanked)))
    assert (row.newest, row.newest_path) == ("1.1.0", "interactive_engine/listener/")


def test_an_empty_registry_has_a_home():
    parts = home([])
    assert "There are no releases yet." in parts["newest"]
    assert "psreg install NAME" in parts["install"]


def test_a_registry_that_was_never_published_has_a_home_without_a_command_to_add_it():
    parts = home([], replace(SITE, registry_id="", mode="", root_sha256=""))
    assert "psreg registry add" not in "".join(parts.values())
    assert "has not been published yet" in parts["add"]


def test_picks_are_shown_in_their_order_and_once():
    rows = picked(["river_letter", "listener", "river_letter"], EVERY, NAMES)
    assert names(rows) == ["river_letter", "listener"]
    parts = home(picks=rows)
    shown = parts["picks"]
    assert shown.index('href="prompt/river_letter/"') < shown.index("<h3>Listener</h3>")
    assert "psreg install river_letter" in parts["install"]


def test_what_nobody_should_begin_with_is_not_picked():
    rows = [*EVERY, replace(ROWS["listener"], name="looping", withdrawn=True)]
    everything = [*names(rows), "hidden"]
    assert names(picked(everything, rows, everything)) == ["hostile", "listener", "river_letter"]


@pytest.mark.parametrize("state", ["yanked", "revoked"])
def test_a_row_knows_that_its_release_is_withdrawn(state):
    entry = ENTRIES["greeter"]
    release = replace(entry.latest, record=replace(entry.latest.record, **{state: "It loops."}))
    assert not ROWS["greeter"].withdrawn
    assert Row.of(replace(entry, latest=release)).withdrawn


def test_a_name_that_does_not_exist_is_an_error():
    with pytest.raises(FindingsError) as raised:
        picked(["listner", "listener", "zzz"], EVERY, NAMES)
    assert raised.value.code == "UNKNOWN_PICK"
    assert raised.value.details == ("`listner`; did you mean `listener`?", "`zzz`")


def test_the_first_pick_with_variables_is_a_form():
    parts = home(picks=[ROWS["listener"], ROWS["river_letter"]])
    assert '<a href="prompt/river_letter/">River letter</a>' in parts["form"]
    assert 'data-page="prompt/river_letter/"' in parts["form"]
    assert parts["form"].count("<textarea") == 4


@pytest.mark.parametrize(
    "text", [b"no sections", b"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nHi!\n"]
)
def test_a_prompt_without_variables_is_not_a_form(text):
    assert home_parts([], SITE, [ROWS["river_letter"]], lambda _: text)["form"] == ""


def test_no_markup_of_a_hostile_entry_reaches_it():
    parts = home(picks=[ROWS["hostile"]])
    for part in parts.values():
        assert SCRIPT not in part
        assert ATTRIBUTE not in part
    assert "<h3>Hostile</h3>" in parts["picks"]
