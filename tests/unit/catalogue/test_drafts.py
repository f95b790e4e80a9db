"""Drafts, as a library: what differs from what is signed, and what its pages say about it."""

from __future__ import annotations

import re
import shutil
from functools import partial
from pathlib import Path

import pytest

from psreg.catalogue.drafts import Draft, DraftCheck, Drafts, find_drafts
from psreg.catalogue.pages.draft_page import draft_list, draft_pages
from psreg.catalogue.pages.frame import Shells, Site
from psreg.catalogue.pages.json_api import draft_segment
from psreg.cli.rules import registry_rules
from psreg.git.work_tree import WorkTree
from psreg.registry.checkout import read_tree
from psreg.registry.journal import Seen
from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.reading import open_registry
from psreg.system.files import MAX_FILE
from support.catalogue import SCRIPT
from support.catalogue import tree as hostile_tree
from support.pipelines import git
from support.publishing import NOW, release
from support.registry_trees import RELEASE, entry, tree, version

SITE = Site(name="psreg", registry_id="", mode="", root_sha256="")
SHELLS = Shells(
    dict.fromkeys((2, 3, 4), "<!--psreg:title--><!--psreg:head--><!--psreg:body-->"), SITE
)
RIVER = Path("pbes/prompt/river_bank")


def put(root: Path, content: dict[str, str]) -> None:
    for path, text in content.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, errors="surrogateescape")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published registry of two entries."""
    root = tmp_path_factory.mktemp("registry")
    content = tree(entry("river_bank", "1.0.0", "1.1.0"), entry("night_owl"))
    put(root, {str(path): data.decode() for path, data in content.items()})
    release(root / "home", root / "registry", content)
    return root


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(made, tmp_path / "copy"))


def found(root: Path, seen: Seen | None = None) -> Drafts:
    read = RegistryFolder(root / "registry").read
    check = DraftCheck(rules=registry_rules, now=NOW, work_tree=WorkTree(root, "pbes"))
    tree_of = partial(read_tree, root, None, None)
    return find_drafts(tree_of, open_registry(read), read, check, seen)


def river(root: Path) -> Draft:
    return found(root).by_name["river_bank"]


def shown(draft: Draft) -> dict[str, str]:
    """Return the pages of a draft as they are written."""
    pages = {page.path: SHELLS.fill(page) for page in draft_pages(draft, SITE)}
    assert all(html.encode() for html in pages.values())
    return pages


def versions(draft: Draft) -> dict[str, bool]:
    """Return which of the versions that are shown are drafts."""
    releases = draft.entry.releases if draft.entry else ()
    return {each.record.version: each.draft for each in releases}


def bump(number: str, name: str = "river_bank") -> dict[str, str]:
    return version(name, number, release=f'{RELEASE}changes = "Is briefer."\n')


def test_what_is_published_is_no_draft(root: Path) -> None:
    assert found(root).by_name == {}
    toml = root / RIVER / "entry.toml"
    toml.write_text(f"# A remark.\n{toml.read_text()}")  # the folder differs, and no page does
    assert found(root) == Drafts({})


def test_what_was_seen_in_git_is_not_compared_again(root: Path) -> None:
    put(root, bump("1.2.0") | {"pbes/stray.txt": "x"})
    assert found(root).seen is None
    git("init", "--quiet", cwd=root)
    git("add", "pbes", cwd=root)
    git("commit", "--quiet", "-m", "All", cwd=root)
    first = found(root)
    assert first.seen is not None
    assert first.seen.places == ("pbes/prompt/river_bank", "pbes/stray.txt")
    assert found(root, first.seen) == first
    (root / "pbes/prompt/night_owl/1.0.0/README.md").write_text("Another.\n")
    again = found(root, first.seen)
    assert set(again.by_name) == {"night_owl", "river_bank"}
    assert again == found(root)
    assert Seen.from_json(first.seen.to_json()) == first.seen
    put(root, {"pbes/\udcff.txt": "x"})
    odd = found(root, first.seen)
    assert odd.seen is None
    assert "⟨U+DCFF⟩" in draft_list(odd.by_name.values(), odd.others)


def test_one_name_can_have_two_drafts(root: Path) -> None:
    put(root, bump("1.2.0") | bump("1.3.0"))
    draft = river(root)
    assert versions(draft) == {"1.3.0": True, "1.2.0": True, "1.1.0": False, "1.0.0": False}
    assert draft.entry is not None
    assert draft.entry.latest.record.version == "1.3.0"
    assert not draft.changed
    assert (draft.findings, draft.refusals) == ((), ())


def test_a_yank_that_is_not_published_is_shown_as_such(root: Path) -> None:
    toml = root / RIVER / "entry.toml"
    toml.write_text(toml.read_text() + '[yanked]\n"1.1.0" = "It was too long."\n')
    draft = river(root)
    assert versions(draft) == {"1.1.0": False, "1.0.0": False}
    page = shown(draft)["prompt/river_bank/"]
    assert "Not published." in page
    assert "It was too long." in page
    assert draft_segment({"river_bank": draft}).count(b'"draft": [\n    false\n  ]') == 1


def test_a_draft_of_a_yanked_name_is_the_version_to_take(root: Path) -> None:
    toml = root / RIVER / "entry.toml"
    both = '[yanked]\n"1.0.0" = "It was too long."\n"1.1.0" = "It was too long."\n'
    toml.write_text(toml.read_text() + both)
    put(root, bump("1.2.0"))
    draft = river(root)
    assert draft.entry is not None
    assert draft.entry.latest.draft
    assert draft.changed


@pytest.mark.parametrize("path", ["1.0.0/README.md", "1.0.0", ""])
def test_a_released_version_that_changed_is_an_error_and_no_draft(root: Path, path: str) -> None:
    place = root / RIVER / path
    if place.is_file():
        place.write_text("Another.\n")
    else:
        shutil.rmtree(place)
    put(root, bump("0.9.0", "night_owl"))
    drafts = found(root).by_name
    draft = drafts["river_bank"]
    assert draft.refusals
    assert all("; a released version never changes" in line for line in draft.refusals)
    assert "1.0.0" not in versions(draft)
    page = shown(draft)["prompt/river_bank/"]
    assert "this cannot be released yet" in page
    assert "1.0.0/README.md" in page
    assert "0.9.0" in versions(drafts["night_owl"])


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("x.html", "x.html"),
        ("evidence/x.SVG", "x.SVG"),
        ("\udcff.md", "⟨U+DCFF⟩"),
        ("\u202e.md", "⟨U+202E⟩"),
    ],
)
def test_a_file_that_a_site_should_not_have_is_told_and_left_out(
    root: Path, path: str, told: str
) -> None:
    put(root, bump("1.2.0") | {f"{RIVER}/1.2.0/{path}": SCRIPT})
    draft = river(root)
    assert draft.entry is not None
    assert draft.entry.latest.draft
    assert len(draft.entry.latest.files) == 3
    assert draft.count_errors()
    assert told in shown(draft)["prompt/river_bank/"]


def test_a_draft_whose_artifact_is_too_large_is_not_shown(root: Path) -> None:
    put(root, bump("1.2.0") | bump("1.3.0"))
    (root / RIVER / "1.3.0/river_bank.prompt").write_bytes(b"x" * MAX_FILE)
    draft = river(root)
    assert versions(draft) == {"1.2.0": True, "1.1.0": False, "1.0.0": False}
    assert any("4,194,304 bytes or more" in line for line in draft.refusals)


def test_a_link_is_told_and_not_followed(root: Path, tmp_path: Path) -> None:
    put(root, bump("1.2.0"))
    (tmp_path / "secret").write_text("A secret.")
    (root / RIVER / "1.2.0/evidence").symlink_to(tmp_path)
    (root / RIVER / "1.2.0/secret.md").symlink_to(tmp_path / "secret")
    draft = river(root)
    assert draft.count_errors()
    assert draft.entry is not None
    assert not any(b"A secret." in data for data in draft.entry.latest.files.values())


@pytest.mark.parametrize(("wanted", "refused"), [("^1.0", False), ("^9", True)])
def test_what_requires_another_entry_is_refused_as_by_publish(
    root: Path, wanted: str, refused: bool
) -> None:
    more = f'{RELEASE}changes = "x"\n[requires]\nnight_owl = "{wanted}"\n'
    put(root, version("river_bank", "1.2.0", release=more))
    draft = river(root)
    assert any("requires what cannot be installed" in line for line in draft.refusals) == refused
    assert versions(draft)["1.2.0"]


def test_a_name_in_a_second_class_leaves_the_released_one(root: Path) -> None:
    other = "pbes/stateless_executor/river_bank"
    put(root, {f"{other}/entry.toml": "owners = []\n", f"{other}/1.0.0/release.toml": RELEASE})
    draft = river(root)
    assert str(draft.id.folder) == "pbes/prompt/river_bank"
    assert versions(draft) == {"1.1.0": False, "1.0.0": False}
    assert draft.count_errors()


def test_an_entry_without_an_artifact_shows_its_errors(root: Path) -> None:
    put(root, {"pbes/prompt/apple_pie/1.0.0/release.toml": RELEASE})
    draft = found(root).by_name["apple_pie"]
    assert draft.entry is None
    (page,) = shown(draft).values()
    assert "<h1>apple_pie</h1>" in page
    assert "pbes/prompt/apple_pie/" in page


def test_findings_about_no_entry_are_listed_with_the_drafts(root: Path) -> None:
    put(root, {"pbes/prompt/Bad <b>/1.0.0/x.md": "x", "pbes/stray.txt": "x"})
    drafts = found(root)
    told = draft_list(drafts.by_name.values(), drafts.others)
    assert "pbes/stray.txt" in told
    assert "<b>" not in told
    assert "<root>" not in told
    assert 'href="rules/REG001/"' in told


def test_many_findings_are_folded(root: Path) -> None:
    put(root, version("apple_pie", release='summary = ""\nlicense = 1\ntags = 2\n'))
    page = shown(found(root).by_name["apple_pie"])["prompt/apple_pie/"]
    assert re.search(r"<details><summary><strong>\d+ errors", page)
    assert page.index("Draft: not released.") < page.index("<details>")


def test_many_drafts_are_folded(root: Path) -> None:
    for name in ("fig_jam", "ice_cream", "nut_bread", "rye_toast"):
        put(root, version(name))
    drafts = found(root)
    told = draft_list(drafts.by_name.values(), ())
    assert "<details>" in told
    number = told.count('<li><a href="prompt/')
    assert f"<summary><strong>{number} drafts</strong></summary>" in told
    put(root, {"pbes/stray.txt": "x"})
    others = found(root).others
    assert f"{number} drafts, {len(others)} other finding" in draft_list(
        drafts.by_name.values(), others
    )
    few = list(drafts.by_name.values())[:3]
    assert "<details>" not in draft_list(few, ())


def test_nothing_of_a_hostile_draft_becomes_markup(tmp_path: Path) -> None:
    files = {str(path): data for path, data in hostile_tree().items()}
    artifact = "pbes/interactive_engine/hostile/0.1.0-rc.1/hostile.pbe.txt"
    files[artifact] = files[artifact].replace(b'"bidi": "', b'"bidi": "\\ud800')
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    drafts = found(tmp_path)
    assert len(drafts.by_name) == 5
    pages = {path: html for each in drafts.by_name.values() for path, html in shown(each).items()}
    assert not any(SCRIPT in html or 'onmouseover="' in html for html in pages.values())
    assert "⟨U+D800⟩" in pages["interactive_engine/hostile/"]
    assert SCRIPT not in draft_list(drafts.by_name.values(), drafts.others)


def test_a_draft_has_another_digest_when_its_pages_differ(root: Path) -> None:
    put(root, bump("1.2.0"))
    digests = [found(root).digest]
    (root / RIVER / "1.2.0/README.md").write_text("# Another\n")
    digests += [found(root).digest, found(root).digest]
    assert digests[0] != digests[1] == digests[2]
