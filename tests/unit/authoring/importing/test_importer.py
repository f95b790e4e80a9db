"""What becomes of prompts: entries that keep their text, new versions, and nothing invented."""

import re
import tomllib
from pathlib import PurePosixPath

import pytest

from psreg.authoring.importing.entries import Origin
from psreg.authoring.importing.found import Found, Refused
from psreg.authoring.importing.importer import Importer, Status
from psreg.cli.rules import registry_rules
from psreg.core.diagnostics import ERROR
from psreg.formats import dotprompt
from psreg.lint.registry_walk import check_tree

ADDRESS = "https://example.org/prompts"
SENTENCE = "I want you to act as a linux terminal."


def of(title="Linux Terminal", text=f"{SENTENCE} Answer {{x}}.", *, path="", **facts):
    path = path or f"a.csv#{title}"
    return Found(
        path=path, title=title, text=text, sha256=f"{abs(hash((text, *facts))):064x}", **facts
    )


def imported(
    *parts,
    tree=None,
    revision="",
    license_="",
    names=None,
    claimed="",
    covers=lambda _: True,
    language="",
    skipped=(),
):
    origin = Origin(
        address=ADDRESS, revision=revision, day="2026-11-28", license=license_, language=claimed
    )
    importer = Importer(tree or {}, origin, registry_rules(), names or {}, lambda _: language)
    return list(importer.all(parts, covers, skipped.__contains__))


def merged(tree, rows):
    return {**tree, **{path: data for row in rows for path, data in row.files.items()}}


def file_of(row, name):
    (path,) = (path for path in row.files if path.name == name)
    return row.files[path].decode()


def test_an_entry_keeps_the_text_and_says_where_it_is_from():
    (row,) = imported(
        of(license="MIT", tags=("Dev Ops", "linux"), languages=("en",)), revision="abc"
    )
    assert (row.status, row.name, row.version) == (Status.TAKEN, "linux_terminal", "0.1.0")
    assert row.folder == PurePosixPath("pbes/prompt/linux_terminal")
    prompt = dotprompt.read(file_of(row, "linux_terminal.prompt").encode())
    assert dotprompt.render(prompt, {}).text == f"{SENTENCE} Answer {{x}}."
    assert prompt.variables == ()
    release = tomllib.loads(file_of(row, "release.toml"))
    assert release["origin"] == {
        "address": ADDRESS,
        "revision": "abc",
        "path": "a.csv#Linux Terminal",
        "sha256": of(license="MIT", tags=(), languages=()).sha256,
        "license": "MIT",
        "license_found_in": "a.csv#Linux Terminal",
        "imported": "2026-11-28",
    }
    assert (release["license"], release["tags"]) == ("MIT", ["dev-ops", "linux"])
    assert (release["languages"], release["use_case"]) == (["en"], "")


def test_what_is_imported_has_no_errors_but_what_a_person_must_write():
    rows = imported(of(license="MIT", tags=("linux",), languages=("en",)))
    errors = {d.code for d in check_tree(merged({}, rows), registry_rules()) if d.severity is ERROR}
    assert errors <= {"REG008", "REG011", "REG017"}


@pytest.mark.parametrize(
    ("summary", "text", "said", "marked"),
    [
        ("Does what you ask, briefly.", "Text.", "Does what you ask, briefly.", False),
        ("Does what you ask, briefly. " + "x" * 160, "Text.", "Does what you ask, briefly.", False),
        ("", f"# Heading\n\n- item\n{SENTENCE} More.", SENTENCE, True),
        ("", "Short. Too.", "", False),
        ("", "# Only a heading that is long enough", "", False),
        ("x" * 200, "y" * 200, "", False),
    ],
)
def test_a_summary_is_the_sources_or_the_first_sentence_which_is_marked(
    summary, text, said, marked
):
    (row,) = imported(of(text=text, summary=summary))
    assert tomllib.loads(file_of(row, "release.toml"))["summary"] == said
    readme = file_of(row, "README.md")
    assert ("is the first sentence of the text" in readme) is marked
    assert (f"> {summary}\n" in readme) is (summary not in ("", said))


def test_a_licence_is_the_sources_or_a_claim_that_is_marked():
    claimed, stated, odd = imported(
        of("A b c"),
        of("D e f", license="MIT"),
        of("G h i", license="See LICENSE"),
        license_="CC0-1.0",
    )
    found = [tomllib.loads(file_of(row, "release.toml")) for row in (claimed, stated, odd)]
    assert [release["license"] for release in found] == ["CC0-1.0", "MIT", "CC0-1.0"]
    assert "license" not in found[0]["origin"]
    assert found[2]["origin"]["license"] == "See LICENSE"
    assert "That it is CC0-1.0 is what the person" in file_of(claimed, "README.md")
    assert "is what the person" not in file_of(stated, "README.md")
    assert odd.notes == ("not an SPDX licence: `See LICENSE`",)
    assert odd.questions == ("its source does not state CC0-1.0, but `See LICENSE`",)
    assert (claimed.questions, stated.questions) == ((), ())
    (unclaimed,) = imported(of(license="See LICENSE"))
    assert unclaimed.questions == ()


def test_a_licence_that_another_file_grants_names_that_file():
    (row,) = imported(of(license="MIT", license_in="LICENSE"))
    release = tomllib.loads(file_of(row, "release.toml"))
    assert release["license"] == "MIT"
    assert release["origin"]["license_found_in"] == "LICENSE"


def test_what_is_lost_or_different_is_told():
    (row,) = imported(
        of(
            text="Dear {name} {{{",
            variables={"name": "you"},
            as_text=("globs",),
            lost=tuple("abcdefg"),
            tags=("ok", "日本"),
            languages=("English (US)",),
        )
    )
    assert row.status is Status.CHANGED
    assert row.notes == (
        "variables: `name`",
        "read as text, because it is not valid YAML: `globs`",
        "left out: `a`, `b`, `c`, `d`, `e`, and 2 more",
        "not usable as tags: `日本`",
        "not tags of languages: `English (US)`",
    )


@pytest.mark.parametrize(
    ("roles", "notes"),
    [
        ((), ()),
        (("user",), ()),
        (("tool",), ("left out: the role `tool`",)),
        (("user", "user"), ("its 2 messages are one text: `user`, `user`",)),
    ],
)
def test_roles_that_are_lost_are_told(roles, notes):
    (row,) = imported(of(roles=roles))
    assert row.notes == notes
    assert "@messages" not in file_of(row, f"{row.name}.prompt")


@pytest.mark.parametrize(
    ("roles", "text", "notes"),
    [
        (("system",), "Be kind.", ()),
        (
            ("system", "user"),
            "system:\nBe kind.\n\nuser:\nHi.",
            ("its 2 messages begin with their roles: `system`, `user`",),
        ),
    ],
)
def test_roles_that_are_held_are_in_the_metadata(roles, text, notes):
    (row,) = imported(of(roles=roles, text=text))
    assert row.notes == notes
    assert f"@messages {', '.join(roles)}\n" in file_of(row, f"{row.name}.prompt")


def test_an_opened_comment_in_a_description_is_told():
    (row,) = imported(of(summary="Writes (% of all)."))
    assert row.notes == ("`(%` in its title or description is now `( %`",)
    text = file_of(row, f"{row.name}.prompt")
    assert "@description Writes ( % of all).\n" in text


def test_braces_that_become_a_variable_are_told():
    (row,) = imported(of(text="Open {{x} and {y}."))
    assert row.status is Status.CHANGED
    assert row.notes == ("these are variables now: `x`",)


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        (Refused(path="b", reason="why"), "why"),
        (of(text=""), "it has no text"),
        (of(text="a (% b %) c"), "it contains `(% … %)`"),
        (of(path="a/../b.md"), "its origin cannot be recorded: it is not a path relative"),
        (of(path="a\u0007.md"), "its origin cannot be recorded: it contains a character"),
    ],
)
def test_what_cannot_be_taken_is_refused(part, reason):
    refused, taken = imported(part, of("Other"))
    assert (refused.status, refused.files) == (Status.REFUSED, {})
    assert reason in refused.notes[0]
    assert taken.name == "other"


def test_a_name_that_is_taken_gets_the_folder_of_the_file():
    rows = imported(
        of("Basic", path="qa/map/basic.json"),
        of("Basic", path="qa/reduce/basic.json"),
        of("Basic", path="qa-2/reduce/basic.json"),
        of("Basic", path="qa/reduce/中文/basic.json"),
        of("Basic", path="qa/reduce/basic.yaml"),
        of("Basic", path="basic.json"),
        of("Basic", path="qa/map.csv#Basic"),
        of("pdf", path="a/pdf/SKILL.md"),
        of("pdf", path="b/pdf/SKILL.md"),
        of("pdf", path="c/pdf/SKILL.md"),
    )
    assert [row.name for row in rows] == [
        *("basic", "reduce_basic", "qa_2_reduce_basic", "qa_reduce_basic", "basic_2", "basic_3"),
        *("basic_4", "pdf", "b_pdf", "c_pdf"),
    ]
    (long,) = imported(
        of("x" * 40, path=f"{'y' * 40}/a.md"),
        tree={PurePosixPath(f"pbes/prompt/{'x' * 40}/entry.toml"): b""},
    )
    assert long.name == f"{'x' * 40}_2"


def test_names_are_free_and_told_by_title_file_or_digest():
    tree = {PurePosixPath("pbes/prompt/linux_terminal/entry.toml"): b'aliases = ["other"]\n'}
    rows = imported(
        of(),
        of(path="b.csv#x"),
        of("Other"),
        of("CON"),
        of("翻译"),
        of("翻译", path="deep/My File.prompt.md"),
        of(" ".join(["word"] * 40)),
        of("x" * 90),
        tree=tree,
    )
    names = [row.name for row in rows]
    assert names[:4] == ["linux_terminal_2", "linux_terminal_3", "other_2", "con_2"]
    assert names[4].startswith("prompt_")
    assert names[5:] == ["my_file", "_".join(["word"] * 9), "x" * 48]


def test_a_user_chooses_names():
    names = {"a.csv#A": "chosen", "a.csv#B": "Not a name", "a.csv#C": "chosen"}
    one, two, three = imported(of("A"), of("B"), of("C"), names=names)
    assert one.name == "chosen"
    assert two.notes == ("`Not a name` is not a name, or is taken",)
    assert three.notes == ("`chosen` is not a name, or is taken",)


def test_a_second_import_takes_what_changed():
    first = [
        of("A", "Say one thing."),
        of("B", "Say {x}."),
        of("C", "Say it."),
        of("D", "Go.", tags=("d",)),
    ]
    tree = merged({}, imported(*first))
    assert [row.status for row in imported(*first, tree=tree)] == [Status.UNCHANGED] * 4
    again = imported(
        of("A", "Say one thing, slowly."),
        of("B", "Say {x}.", path="moved.csv#B"),
        of("C", "Say it (% now %)."),
        of("D", "Go.", license="MIT"),
        tree=tree,
        revision="abc",
    )
    assert [row.status for row in again] == [
        Status.UPDATED, Status.UNCHANGED, Status.REFUSED, Status.UPDATED,
    ]  # fmt: skip
    assert (again[0].name, again[0].version) == ("a", "0.1.1")
    assert again[0].notes[0] == "was 0.1.0"
    assert again[1].notes == ("it was at `a.csv#B`",)
    release = tomllib.loads(file_of(again[0], "release.toml"))
    assert release["changes"] == f"The text is that of {ADDRESS} at abc on 2026-11-28."
    assert release["origin"]["revision"] == "abc"
    assert (again[3].name, again[3].version) == ("d", "0.1.1")
    newest = merged(tree, again)
    assert imported(of("A", "Say one thing, slowly."), tree=newest)[0].status is Status.UNCHANGED


def test_what_breaks_the_promise_of_a_version_is_a_larger_step():
    one = of("A", "Dear {name}, welcome.", variables={"name": None})
    two = of("A", "Dear {first}, welcome.", variables={"first": None})
    tree = merged({}, imported(one))
    (row,) = imported(two, tree=tree)
    assert (row.status, row.version) == (Status.UPDATED, "0.2.0")


def test_a_version_that_cannot_be_copied_is_refused():
    tree = merged({}, imported(of("A", "Say it.")))
    tree[PurePosixPath("pbes/prompt/a/0.1.0/a.prompt")] = b"[CONTENT]\nno metadata\n"
    (row,) = imported(of("A", "Say that."), tree=tree)
    assert row.status is Status.REFUSED
    assert "cannot be parsed" in row.notes[0]


LONG = " ".join(f"Word number {number} of a text." for number in range(60))


def test_protocols_that_a_text_names_are_told_until_they_are_declared():
    text = f"{SENTENCE} Answer as VPP 1.4 says."
    (row,) = imported(of("A", text))
    note = "names the protocol VPP 1.4: declare it if an assistant is to follow it"
    assert (row.status, row.notes, row.questions) == (Status.TAKEN, (), (note,))
    tree = merged({}, [row])
    assert imported(of("A", f"{text} Now."), tree=tree)[0].questions == (note,)
    release = PurePosixPath("pbes/prompt/a/0.1.0/release.toml")
    tree[release] += b'[protocols]\nvpp = "1.4"\n'
    assert imported(of("A", f"{text} Now."), tree=tree)[0].questions == ()


def test_a_row_has_the_facts_and_the_beginning_of_the_text():
    short, long = imported(of(license="MIT", languages=("en", "?")), of("Long", "x" * 5000))
    assert (short.license, short.languages, short.text) == ("MIT", ("en",), of().text)
    assert (long.license, long.languages) == ("", ())
    assert long.text == "x" * 1000 + "…"
    (claimed,) = imported(of(license="My own"), license_="CC0-1.0")
    assert claimed.license == "CC0-1.0"


@pytest.mark.parametrize(
    ("stated", "seems", "notes", "questions"),
    [
        ((), "", (), ()),
        ((), "de", ("its text seems to be in `de`",), ()),
        (("en",), "", (), ()),
        (("en", "pt-BR"), "pt", (), ()),
        (("en", "fr"), "de", (), ("its text seems to be in `de`, not in `en`, `fr`",)),
    ],
)
def test_the_language_of_a_text_is_told_and_never_recorded(stated, seems, notes, questions):
    (row,) = imported(of("A", languages=stated), language=seems)
    assert (row.status, row.notes, row.questions) == (Status.TAKEN, notes, questions)
    assert (row.languages, row.license) == (stated, "")
    assert tomllib.loads(file_of(row, "release.toml"))["languages"] == list(stated)
    tree = merged({}, [row])
    (again,) = imported(of("A", "Now.", languages=stated), tree=tree, language=seems)
    assert (again.notes, again.questions) == (("was 0.1.0", *notes), questions)


def test_a_claimed_language_is_for_what_the_source_does_not_state():
    texts = of("A"), of("B", languages=("pt",)), of("C", languages=("Portuguese",))
    rows = imported(*texts, claimed="en")
    assert [row.languages for row in rows] == [("en",), ("pt",), ("en",)]
    claim = "That it is `en` is what the person who imported it says."
    assert [claim in file_of(row, "README.md") for row in rows] == [True, False, True]
    assert tomllib.loads(file_of(rows[0], "release.toml"))["languages"] == ["en"]
    (row,) = imported(of("A"), claimed="en", language="de")
    assert (row.notes, row.questions) == ((), ("its text seems to be in `de`, not in `en`",))


def test_what_a_person_skips_is_not_imported():
    tree = merged({}, imported(of("A", path="a.md"), of("B", path="b.md")))
    parts = of("A", "Now.", path="a.md"), of("C", path="c.md"), Refused(path="d.md", reason="why")
    rows = imported(*parts, tree=tree, skipped=("a.md", "c.md", "d.md", "e.md"))
    assert [(row.path, row.status, row.name) for row in rows] == [
        ("a.md", Status.SKIPPED, ""),
        ("c.md", Status.SKIPPED, ""),
        ("d.md", Status.SKIPPED, ""),
        ("b.md", Status.VANISHED, "b"),
    ]
    assert not any(row.files for row in rows)


def test_near_copies_are_told():
    tree = merged({}, imported(of("Old one", LONG)))
    rows = imported(
        of("New one", f"{LONG} And this.", path="b.csv#New one"),
        of("Newer one", f"Before: {LONG} And this.", path="b.csv#Newer one"),
        of("Another", " ".join(f"Another {number} is different." for number in range(60))),
        of("Short", "Word number 1."),
        tree=tree,
    )
    assert [row.status for row in rows[:4]] == [Status.TAKEN] * 4
    (new,), (newer,), *others = [row.questions for row in rows[:4]]
    assert re.fullmatch("9[0-9]% the text of `old_one`", new)
    assert re.fullmatch("(9[0-9]|100)% the text of `new_one`", newer)
    assert others == [(), ()]


def test_many_copies_are_each_told():
    rows = imported(*(of(f"Copy {letter}", LONG) for letter in "lkjihgfedcba"))
    assert [row.questions for row in rows[:2]] == [(), ("100% the text of `copy_l`",)]
    assert all(row.questions[0].startswith("100% the text of `copy_") for row in rows[2:])


def clusters(*parts, tree=None):
    origin = Origin(address=ADDRESS, revision="", day="2026-11-28")
    importer = Importer(tree or {}, origin, registry_rules(), {}, str)
    assert list(importer.all(parts, lambda _: True, lambda _: False))
    return importer.clusters()


def test_near_copies_are_clusters_with_their_best_candidate():
    tree = merged({}, imported(of("Old one", LONG)))
    other = " ".join(f"Another {number} is different." for number in range(60))
    third = " ".join(f"A third {number}, in other words." for number in range(60))
    parts = [
        of("Short copy", other, path="b.csv#1"),
        of("New one", f"{LONG} And this.", path="b.csv#2"),
        of("Long copy", f"{other} And this.", path="b.csv#3"),
        of("One", third, path="b.csv#4"),
        of("Newer one", f"Before: {LONG} And this.", path="b.csv#5"),
        of("Two", third, path="b.csv#6"),
        of("Both", f"{third} {third[:9]}", path="b.csv#7"),
        of("Single", "Say it in a single sentence, please.", path="b.csv#8"),
    ]
    assert clusters(*parts, tree=tree) == [
        (["both", "one", "two"], "it is the longest"),
        (["long_copy", "short_copy"], "it is the longest"),
        (["old_one", "newer_one", "new_one"], "the registry has it"),
    ]


def test_of_equal_copies_the_first_is_the_best():
    parts = (of(f"Copy {letter}", LONG) for letter in "ba")
    assert clusters(*parts) == [(["copy_b", "copy_a"], "it comes first")]


def test_a_copy_of_two_that_are_not_alike_makes_one_cluster_of_them():
    spans = {"One": range(100, 140), "Two": range(120, 160), "Both": range(107, 153)}
    parts = [
        of(title, " ".join(f"Word number {number} of a text." for number in span))
        for title, span in spans.items()
    ]
    assert [bool(row.questions) for row in imported(*parts)] == [False, False, True]
    assert clusters(*parts) == [(["both", "one", "two"], "it is the longest")]


def test_an_origin_that_a_person_wrote_is_not_an_import():
    toml = f'[origin]\naddress = "{ADDRESS}"\nsha256 = "{of("B").sha256}"\n'
    tree = {
        PurePosixPath("pbes/prompt/a/1.0.0/release.toml"): toml.encode(),
        PurePosixPath("pbes/stateless_executor/c/1.0.0/release.toml"): f'{toml}path = "c"'.encode(),
        PurePosixPath("pbes/prompt/d/entry.toml"): b"",
    }
    rows = imported(of("B"), of("C", path="c"), tree=tree)
    assert [(row.status, row.name) for row in rows] == [(Status.TAKEN, "b"), (Status.TAKEN, "c_2")]


def test_what_vanished_is_named_where_it_was_looked_for():
    tree = merged({}, imported(of("A", path="a.md"), of("B", path="b.md"), of("C", path="b.csv#C")))
    other = PurePosixPath("pbes/prompt/empty/entry.toml")
    rows = imported(
        Refused(path="b.csv", reason="why"),
        tree={**tree, other: b""},
        covers=lambda path: path != "b.md",
    )
    assert [(row.status, row.path, row.name) for row in rows[1:]] == [
        (Status.VANISHED, "a.md", "a")
    ]
