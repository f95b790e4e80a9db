"""`bump NAME auto`: the number follows from what changed, wherever the change lies."""

from pathlib import PurePosixPath

import pytest

from psreg.authoring.bump import bump_from, renumber
from psreg.cli.rules import all_rules
from psreg.core.errors import FindingsError, UnavailableError, UsageError
from support.registry_trees import PROMPT, entry, tree, update, version

HELLO = "pbes/prompt/hello"
READY = 'changes = "Is briefer."\n'


def draft(text=PROMPT, old="Say hello.", new="Say hello, briefly."):
    return text.replace(old, new).encode()


def paths(bump):
    return sorted(str(path) for path in bump.files)


@pytest.mark.parametrize(
    ("existing", "new", "number", "floor"),
    [
        (("1.0.0",), "Say hello, briefly.", "1.0.1", "patch"),
        (("1.0.0",), "Say hello to {name}.", "2.0.0", "major"),
        (("0.1.0",), "Say hello to {name}.", "0.2.0", "major"),
        (("1.0.0", "1.1.0"), "Say hello, briefly.", "1.1.1", "patch"),
        (("1.0.0", "1.1.0-rc.1"), "Say hello, briefly.", "1.1.0", "patch"),
        (("1.0.0", "1.1.0-rc.1"), "Say hello to {name}.", "2.0.0", "major"),
        (("1.0.0-rc.1",), "Say hello to {name}.", "1.0.0", "major"),
    ],
)
def test_a_changed_copy(existing, new, number, floor):
    made = bump_from(
        tree(entry("hello", *existing)), "hello", draft(new=new), "draft.prompt", all_rules()
    )
    assert made.release.version == number
    assert str(made.diff.floor) == floor
    assert made.files[made.release.artifact] == draft(new=new)
    assert made.replaces is None
    assert paths(made) == [
        f"{HELLO}/{number}/{name}" for name in ("README.md", "hello.prompt", "release.toml")
    ]
    assert "/changes" in {item.pointer for item in made.todo}


def test_the_version_in_the_copy_does_not_count():
    stated = PROMPT.replace("[CONTENT]", "@version 1.0.0\n[CONTENT]")
    files = tree(version(prompt=stated))
    with pytest.raises(FindingsError) as caught:
        bump_from(
            files, "hello", stated.replace("1.0.0", "9.9.9").encode(), "draft.prompt", all_rules()
        )
    assert caught.value.code == "NOTHING_CHANGED"
    made = bump_from(
        files, "hello", draft(stated.replace("1.0.0", "9.9.9")), "draft.prompt", all_rules()
    )
    assert made.files[made.release.artifact] == draft(stated.replace("1.0.0", "1.0.1"))


PBE = """{
  "pbe_name": "hello", "pbe_version": "1.0.0", "pbe_class": "stateless_executor",
  "install_instructions": "Run.",
  "execution": {"primary_goal": "Greet", "behavior": "Briefly", "termination_condition": "Once"}
}
"""


def test_another_class_is_another_entry():
    folder = "pbes/stateless_executor/hello/1.0.0"
    files = tree({f"{folder}/hello.pbe.txt": PBE, f"{folder}/release.toml": READY})
    other = PBE.replace("stateless_executor", "persistent_service").encode()
    with pytest.raises(UsageError) as caught:
        bump_from(files, "hello", other, "draft.pbe.txt", all_rules())
    assert caught.value.code == "CLASS_DIFFERS"
    moved = PBE.replace('"hello"', '"riddle"').replace("Briefly", "Loudly").encode()
    made = bump_from(files, "hello", moved, "draft.pbe.txt", all_rules())
    assert made.release.version == "1.0.1"
    assert b'"pbe_name": "hello"' in made.files[made.release.artifact]


def test_a_copy_that_is_none():
    files = tree(entry())
    with pytest.raises(FindingsError) as caught:
        bump_from(files, "hello", b"{", "draft.prompt", all_rules())
    assert caught.value.code == "UNREADABLE"
    with pytest.raises(UnavailableError):
        bump_from(files, "nobody", draft(), "draft.prompt", all_rules())


def test_golden_cases_come_along():
    golden = {f"{HELLO}/1.0.0/evidence/a.render.toml": 'text = "Say hello."\n'}
    runs = {f"{HELLO}/1.0.0/evidence/claude.jsonl": "{}\n"}
    made = bump_from(tree(entry(), golden, runs), "hello", draft(), "draft.prompt", all_rules())
    assert f"{HELLO}/2.0.0/evidence/a.render.toml" in paths(made)
    assert f"{HELLO}/2.0.0/evidence/claude.jsonl" not in paths(made)
    assert made.diff.differences[0].row == "GOLDEN-BROKEN"
    assert ("REG031", "/text") in {(item.code, item.pointer) for item in made.todo}


def test_a_folder_whose_number_is_too_small_is_moved():
    asks = PROMPT.replace("Say hello.", "Say hello to {name}.")
    more = {"evidence/claude.jsonl": "{}\n"}
    files = tree(
        entry(), update(prompt=asks.replace("[CONTENT]", "@version 1.0.1\n[CONTENT]"), **more)
    )
    made = renumber(files, "hello", all_rules())
    assert (made.release.version, made.previous) == ("2.0.0", "1.0.0")
    assert made.replaces == PurePosixPath(HELLO, "1.0.1")
    assert paths(made) == [
        f"{HELLO}/2.0.0/{name}"
        for name in ("README.md", "evidence/claude.jsonl", "hello.prompt", "release.toml")
    ]
    assert b"@version 2.0.0" in made.files[made.release.artifact]
    assert made.files[made.release.folder / "release.toml"].endswith(READY.encode())
    assert {item.code for item in made.todo} == {"REG027"}


@pytest.mark.parametrize(
    ("base", "new", "moved"),
    [
        ("1.0.0", "1.0.1-rc.1", "2.0.0-rc.1"),
        ("0.1.0", "0.1.1", "0.2.0"),
    ],
)
def test_a_candidate_stays_one_and_the_zero_is_kept(base, new, moved):
    asks = PROMPT.replace("Say hello.", "Say hello to {name}.")
    assert (
        renumber(
            tree(entry("hello", base), update(new, prompt=asks)), "hello", all_rules()
        ).release.version
        == moved
    )


@pytest.mark.parametrize("number", ["1.0.1", "1.1.0", "2.0.0"])
def test_a_number_that_will_do_stays(number):
    made = renumber(tree(entry(), update(number)), "hello", all_rules())
    assert (made.release.version, made.files, made.replaces) == (number, {}, None)
    assert str(made.diff.floor) == "patch"


def test_what_is_not_renumbered():
    with pytest.raises(UsageError) as caught:
        renumber(tree(entry()), "hello", all_rules())
    assert caught.value.code == "NOTHING_TO_COMPARE"
    asks = PROMPT.replace("Say hello.", "Say hello to {name}.")
    with pytest.raises(FindingsError) as caught:
        renumber(tree(entry(), update(prompt=asks)), "hello", all_rules(), {"1.0.0", "1.0.1"})
    assert caught.value.code == "RELEASED"
    assert "bump hello major" in caught.value.hint
