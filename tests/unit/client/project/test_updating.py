"""What an update would change, and what is outdated."""

import pytest

from psreg.client.project.lockfile import Lock
from psreg.client.project.locking import relocked
from psreg.client.project.manifest import Manifest
from psreg.client.project.registries import Published
from psreg.client.project.updating import (
    Replacement,
    changes_between,
    described,
    newer_changes,
    outdated,
    replacement,
    to_json,
)
from psreg.client.resolve import release_id
from psreg.core.errors import UnavailableError
from psreg.registry.records import read_record
from support.shelves import Shelf, opener
from support.simulated_log import encode


def text(body):
    return f"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n{body}\n".encode()


@pytest.fixture
def shelf():
    made = Shelf().release("words", "1.0.0", text("Hello {name}"), release={"changes": "First."})
    made.release("words", "1.1.0", text("Hello {name}!"), release={"changes": "A mark."})
    made.release("words", "1.2.0-rc.1", text("no"), release={"changes": "A try."})
    made.release("words", "1.2.0", text("Hello {name} {other}"), release={"changes": "A name."})
    return made.release("words", "2.0.0", text("Bye"))


class Project:
    def __init__(self, shelf, ranges):
        self.shelf = shelf
        self.manifest = Manifest.read(f"[prompts]\n{ranges}\n".encode())
        self.published = Published(self.manifest, opener(usual=shelf).opens)

    def lock(self, before=None, **options):
        return relocked(self.manifest, before or Lock(), self.published, **options)

    def content(self, prompt):
        return self.shelf.signer.artifacts[str(prompt.release.artifact)]

    def changes(self, before, after):
        return [*changes_between(before, after, self.published, self.content)]


def test_notes_and_the_semantic_diff(shelf):
    before = Project(shelf, 'words = "1.0.0"').lock()
    project = Project(shelf, 'words = "^1"')
    (change,) = project.changes(before, project.lock(before, update=["words"]))
    assert change.notes == (("1.2.0", "A name."), ("1.1.0", "A mark."))
    assert to_json(change) == {
        "name": "words",
        "before": "1.0.0",
        "after": "1.2.0",
        "registry": None,
        "floor": "major",
        "behaviour": True,
        "notes": [{"version": "1.2.0", "text": "A name."}, {"version": "1.1.0", "text": "A mark."}],
    }
    (back,) = project.changes(project.lock(update=["words"]), before)
    assert back.notes == (("1.2.0", "A name."), ("1.1.0", "A mark."))


def test_what_is_new_or_gone_has_no_diff(shelf):
    project = Project(shelf, 'words = "1.0.0"')
    (new,) = project.changes(Lock(), project.lock())
    (gone,) = project.changes(project.lock(), Lock())
    assert (new.before, gone.after, new.diff, gone.diff) == (None, None, None, None)
    assert to_json(new)["before"] is None
    assert to_json(gone)["after"] is None
    assert project.changes(project.lock(), project.lock()) == []


def test_what_cannot_be_parsed_is_not_compared(shelf):
    shelf.release("odd", "1.0.0", b"\xff").release("odd", "1.1.0", b"\xfe")
    before = Project(shelf, 'odd = "1.0.0"').lock()
    project = Project(shelf, 'odd = "1.1.0"')
    (change,) = project.changes(before, project.lock())
    assert change.diff is None


def rows(shelf, ranges, before, **options):
    lock = Project(shelf, before).lock()
    project = Project(shelf, ranges)
    return [*outdated(project.manifest, lock, project.published)]


def row(current, wanted, latest, name="words"):
    return {"name": name, "current": current, "wanted": wanted, "latest": latest}


def test_current_wanted_and_latest(shelf):
    assert rows(shelf, 'words = "^1"', 'words = "1.0.0"') == [row("1.0.0", "1.2.0", "2.0.0")]
    assert rows(shelf, 'words = "*"', 'words = "2.0.0"') == []
    # An exact pin is not up to date because nothing else is wanted.
    assert rows(shelf, 'words = "1.0.0"', 'words = "1.0.0"') == [row("1.0.0", "1.0.0", "2.0.0")]
    assert rows(shelf, 'words = "^3"', 'words = "1.0.0"') == [row("1.0.0", None, "2.0.0")]


def test_what_requires_a_name_limits_what_is_wanted(shelf):
    shelf.release("quiz", requires={"words": "~1.1"})
    assert rows(shelf, 'quiz = "*"', 'quiz = "*"') == [row("1.1.0", "1.1.0", "2.0.0")]


def test_yanked_versions_are_not_wanted(shelf):
    shelf.signer.records["words"]["releases"][-1]["yanked"] = "bad"
    assert rows(shelf, 'words = "*"', 'words = "1.2.0"') == []


def test_a_prerelease_that_is_asked_for_is_wanted(shelf):
    shelf.release("words", "2.1.0-rc.1")
    (found,) = rows(shelf, 'words = "^2.1.0-rc.1"', 'words = "2.0.0"')
    assert found == row("2.0.0", "2.1.0-rc.1", "2.0.0")


def newer(shelf, ranges, before):
    lock = Project(shelf, before).lock()
    project = Project(shelf, ranges)
    rows = [*outdated(project.manifest, lock, project.published)]
    return [
        (change.name, change.before.version, change.after.version, str(change.diff.floor))
        for change in newer_changes(rows, lock, project.published, project.content)
    ]


def test_what_newer_releases_change(shelf):
    assert newer(shelf, 'words = "^1"', 'words = "1.0.0"') == [("words", "1.0.0", "1.2.0", "major")]
    # Where nothing newer is wanted, the latest is what somebody has to think about.
    assert newer(shelf, 'words = "1.2.0"', 'words = "1.2.0"') == [
        ("words", "1.2.0", "2.0.0", "major")
    ]
    assert newer(shelf, 'words = "=1.2.0-rc.1"', 'words = "=1.2.0-rc.1"') == [
        ("words", "1.2.0-rc.1", "2.0.0", "patch")
    ]


def test_nothing_older_is_suggested(shelf):
    shelf.release("words", "3.0.0-rc.1", text("Hi"))
    assert newer(shelf, 'words = "*"', 'words = "=3.0.0-rc.1"') == []


@pytest.mark.parametrize(("code", "left_out"), [("NOT_KEPT", True), ("NETWORK", False)])
def test_what_is_not_kept_is_left_out(shelf, code, left_out):
    lock = Project(shelf, 'words = "1.0.0"').lock()
    project = Project(shelf, 'words = "^1"')
    rows = [*outdated(project.manifest, lock, project.published)]

    def away(*_):
        raise UnavailableError(code, "it is away")

    project.published.verified = away
    found = newer_changes(rows, lock, project.published, project.content)
    if left_out:
        assert [*found] == []
        return
    with pytest.raises(UnavailableError, match="it is away"):
        list(found)


def replaced(shelf, before, after, damaged=False):
    record = read_record(encode(shelf.signer.records["words"]), "words")
    ids = [release_id(record, record.release(version)) for version in (before, after)]
    old, new = (shelf.signer.artifacts[str(each.artifact)] for each in ids)
    return replacement(ids[1], new, ids[0], None if damaged else old, record)


def test_what_replacing_an_installed_version_changes(shelf):
    found = replaced(shelf, "1.0.0", "1.2.0")
    assert described(found) == {
        "floor": "major",
        "behaviour": True,
        "major": True,  # a variable more, whatever its number says
        "notes": [{"version": "1.2.0", "text": "A name."}, {"version": "1.1.0", "text": "A mark."}],
    }
    assert not replaced(shelf, "1.0.0", "1.1.0").is_major
    assert replaced(shelf, "2.0.0", "1.2.0").is_major


def test_a_damaged_file_is_replaced_without_a_comparison(shelf):
    found = replaced(shelf, "1.0.0", "1.2.0", damaged=True)
    assert (found.diff, found.is_major) == (None, False)
    assert described(found)["floor"] is None


@pytest.mark.parametrize(
    ("before", "after", "major"),
    [
        ("1.0.0", "1.9.0", False),
        ("1.9.0", "2.0.0", True),
        ("0.1.0", "0.1.9", False),
        ("0.1.0", "0.2.0", True),
        ("0.9.0", "1.0.0", True),
        ("2.0.0", "1.0.0", True),
    ],
)
def test_which_steps_are_major(before, after, major):
    assert Replacement(name="words", before=before, after=after).is_major is major


def test_what_cannot_be_parsed_is_replaced_without_a_comparison(shelf):
    shelf.release("words", "2.1.0", b"\xff")
    assert replaced(shelf, "2.0.0", "2.1.0").diff is None
