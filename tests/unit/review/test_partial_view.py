"""The part of a registry that is read says of a change what the whole would say, and is small."""

import random
from itertools import pairwise
from pathlib import PurePosixPath

import pytest

from psreg.cli.rules import all_rules
from psreg.formats.layout import Irregular
from psreg.git.repository import open_repository
from psreg.lint.registry_walk import check_tree
from psreg.review.change import ChangeSet
from psreg.review.git_change import read_change
from psreg.review.judge import check_change
from support.bare import DELETED, EXECUTABLE, LINK, Bare
from support.changes import changes_between
from support.registry_trees import POLICY, RELEASE, entry, version
from support.walks import sampled

NAMES = ("quiz_master", "quizmaster", "quiz_maste", "trip_packer", "pub_quiz", "packer", "glossary")
FRESH = (
    "quiz_rnaster",
    "quiz_master_official",
    "trip_paker",
    "glosary",
    "the_packer",
    "a_b",
    "abcd",
)
OUTSIDE = (
    "readme.md",
    "docs/guide/notes.md",
    "docs/guide/other.md",
    "docs/GUIDE",
    "DOCS/index.md",
    "docs/X/y.md",
    "docs/x/Y/z.md",
    "PBES/x.md",
    "Registry/x.md",
)
CHANCES = range(200)
FIRST, OTHERS = CHANCES[:8], sampled(CHANCES[8:], 16)


def owners(number):
    return f'owners = [{{forge = "github", id = {number}, login = "x"}}]\n'


def registry():
    """A registry in which names are near each other, entries require entries and have aliases."""
    files = {"registry/policy.toml": POLICY, "README.md": "# Hello\n"}
    files |= dict.fromkeys(("docs/guide/Notes.md", "docs/index.md", "docs/x/y/z.md"), "x\n")
    for number, name in enumerate(NAMES):
        files |= entry(name, "1.0.0", "1.1.0", toml=owners(number))
    files |= entry("called", toml=owners(50) + 'aliases = ["alias_of_it", "tip_packer"]\n')
    files |= entry("escaped", toml=owners(51) + '"ali\\u0061ses" = [\n"quiz_host"]\n')
    files |= entry(
        "gone_soon", toml=owners(52) + '[deprecated]\nreason = "x"\nreplacement = "glossary"\n'
    )
    files |= version("caller", release=RELEASE + '[requires]\nglossary = "^1"\npacker = "~1.1"\n')
    return {path: text.encode() for path, text in files.items()} | {
        "pbes/prompt/caller/entry.toml": owners(53).encode(),
        "pbes/prompt/trip_packer/1.1.0/odd.sh": (EXECUTABLE, b"#!/bin/sh\n"),
    }


def step(pick, files):
    """Return one thing that a change might do."""
    name, other = pick.choice(NAMES), pick.choice((*FRESH, *NAMES, "tip_packer", "called"))
    folder = f"pbes/prompt/{name}"
    aliases = f'aliases = ["{pick.choice((*FRESH, *NAMES, "alias_of_it", "quiz_hots"))}"]\n'
    requires = f'changes = "x"\n[requires]\n{other} = "{pick.choice(("^1", "^2", "x"))}"\n'
    number = pick.choice(("1.0.1", "1.2.0", "2.0.0-rc.1", "1.1.0+x"))
    whole = {path: DELETED for path in files if path.startswith(f"{folder}/")}
    replaced = f'[deprecated]\nreason = "x"\nreplacement = "{other}"\n'
    waiver = f'[[waiver]]\ncode = "NAME003"\nnames = ["{other}"]\nreason = "x"\n'
    return pick.choice(
        (
            lambda: entry(pick.choice(FRESH), toml=owners(pick.choice((0, 99)))),
            lambda: entry(pick.choice(FRESH), toml=owners(98) + aliases),
            lambda: {f"{folder}/entry.toml": owners(pick.choice((7, 97))) + aliases},
            lambda: {f"{folder}/entry.toml": owners(1) + replaced},
            lambda: version(name, number, release=RELEASE + requires),
            lambda: version(name, number, release=RELEASE, **{"A.md": "", "a.md": "", "x.sh": ""}),
            lambda: whole,
            lambda: {path: DELETED for path in whole if "/1.1.0/" in path},
            lambda: (
                whole
                | {path.replace("prompt/", "stateless_executor/", 1): files[path] for path in whole}
            ),
            lambda: {f"{folder}/1.0.0/README.md": (LINK, b"../1.1.0/README.md")},
            lambda: {f"{folder}/1.0.0/README.md": (EXECUTABLE, b"x")},
            lambda: {
                f"pbes/prompt/{other}.prompt": "[METADATA]\n",
                f"{folder}/{other}.prompt": "x",
            },
            lambda: {f"pbes/prompts/{other}/1.0.0/x.md": "", f"pbes/prompt/{name}/v1/x.md": "x"},
            lambda: {"registry/policy.toml": POLICY + waiver, "README.md": "x"},
            lambda: {f"{folder}/entry.toml": DELETED},
            lambda: {pick.choice(OUTSIDE): f"{name}\n"},
            lambda: {pick.choice(OUTSIDE): "x\n", "docs/x/y/z.md": DELETED},
        )
    )()


def change(seed, files):
    pick = random.Random(seed)
    found = {}
    for _ in range(pick.choice((1, 1, 2, 4))):
        found |= step(pick, files)
    return {path: data.encode() if isinstance(data, str) else data for path, data in found.items()}


KINDS = {EXECUTABLE: Irregular.EXECUTABLE, LINK: Irregular.LINK}


def plain(files, change):
    """Return what the files are after a change, and what is irregular about them."""
    after = {path: data for path, data in {**files, **change}.items() if data is not DELETED}
    odd = {PurePosixPath(p): KINDS[d[0]] for p, d in after.items() if isinstance(d, tuple)}
    tree = {PurePosixPath(p): d[1] if isinstance(d, tuple) else d for p, d in after.items()}
    return {path: data for path, data in tree.items() if odd.get(path) is not Irregular.LINK}, odd


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    made = Bare(tmp_path_factory.mktemp("view") / "prompts.git")
    files = registry()
    made.commit("main", files, parent=None)
    for seed in [*FIRST, *OTHERS]:
        made.commit(f"change_{seed}", change(seed, files))
    made.write()
    return made


@pytest.fixture(scope="module")
def repository(bare):
    with open_repository(bare.path) as opened:
        yield opened


@pytest.mark.parametrize(
    "seed", [*FIRST, *(pytest.param(seed, marks=pytest.mark.unmeasured) for seed in OTHERS)]
)
def test_the_part_says_of_a_change_what_the_whole_says(repository, seed):
    files = registry()
    compare(repository, f"change_{seed}", files, change(seed, files))


MANY_NEW = {path: text for at in range(51) for path, text in entry(f"new_one_{at}").items()}
MANY_MOVED = {f"docs/many/{at}.md": "x\n" for at in range(1_000)}
NO_ENTRY_FILE = version("quiz_mastr", "1.0.0")


@pytest.mark.parametrize(
    ("more", "changed"),
    [
        pytest.param(NO_ENTRY_FILE, entry("quiz_mast3r"), id="a similar name without entry.toml"),
        pytest.param({}, MANY_NEW, id="more new names than are compared"),
        pytest.param({}, {"pbes/stray.prompt": "[METADATA]\n"}, id="a stray file of no class"),
        pytest.param(
            MANY_MOVED,
            {**dict.fromkeys(MANY_MOVED, DELETED), "docs/MANY/0.md": "x\n"},
            id="a folder replaced by one in other letter case",
        ),
        pytest.param(
            {"docs/few/0.md": "x\n"},
            {"docs/few/0.md": DELETED, "docs/FEW/0.md": "x\n"},
            id="a small folder replaced by one in other letter case",
        ),
    ],
)
def test_so_it_does_in_rare_cases(tmp_path, more, changed):
    files = registry() | {path: text.encode() for path, text in more.items()}
    changed = {path: text and text.encode() for path, text in changed.items()}
    made = Bare(tmp_path / "prompts.git")
    made.commit("main", files, parent=None)
    made.commit("rare", changed)
    made.write()
    with open_repository(made.path) as opened:
        compare(opened, "rare", files, changed)


def compare(repository, branch, files, change):
    """Judge what `branch` makes of `files` by the part that is read, and by the whole."""
    (before, _), (after, odd) = plain(files, {}), plain(files, change)
    found = read_change(repository, "main", branch).change
    assert {f.path for f in found.files} == {
        PurePosixPath(path) for path, data in change.items() if files.get(path) != data
    }

    head = found.head
    part = check_tree(head.files, all_rules(), irregular=head.irregular)
    whole = check_tree(after, all_rules(), irregular=odd)
    assert about(part, found) == about(whole, found)

    known = {path: kind for path, kind in odd.items() if found.touched(path)}
    expected = changes_between(before, after, irregular=known)
    assert {(f.path, f.touch) for f in found.files} == {(f.path, f.touch) for f in expected.files}
    # Only Git says what was moved, by rules of its own about what is nearly the same.
    expected = ChangeSet(expected.base, expected.head, found.files)
    assert said(check_change(found, all_rules())) == said(check_change(expected, all_rules()))


def about(diagnostics, change):
    return said(d for d in diagnostics if change.touched(PurePosixPath(d.path)))


def said(diagnostics):
    return sorted((d.path, d.code, d.pointer, d.message, d.hint, d.waived) for d in diagnostics)


@pytest.mark.parametrize("key", ["yanked", '"y\\u0061nked"'])
def test_entries_that_require_a_yanked_version_are_seen(tmp_path, key):
    files = registry()
    yanked = owners(1) + f'[{key}]\n"1.0.0" = "x"\n"1.1.0" = "x"\n'
    made = Bare(tmp_path / "prompts.git")
    made.commit("main", files, parent=None)
    made.commit("change", {"pbes/prompt/glossary/entry.toml": yanked.encode()})
    made.write()
    with open_repository(made.path) as opened:
        codes = {
            d.code for d in check_change(read_change(opened, "main", "change").change, all_rules())
        }
    assert "CHG031" in codes


def test_a_cycle_of_requirements_is_seen_however_long(tmp_path):
    chain = ["north", "east", "south", "west"]
    files = registry() | {
        path: text.encode()
        for name, other in pairwise(chain)
        for path, text in version(name, release=f'{RELEASE}[requires]\n{other} = "^1"\n').items()
    }
    files |= {path: text.encode() for path, text in entry("west", "1.0.0").items()}
    closing = version(
        "west", "1.1.0", release=f'{RELEASE}changes = "x"\n[requires]\nnorth = "^1"\n'
    )
    made = Bare(tmp_path / "prompts.git")
    made.commit("main", files, parent=None)
    made.commit("change", {path: text.encode() for path, text in closing.items()})
    made.write()
    with open_repository(made.path) as opened:
        change = read_change(opened, "main", "change").change
    (found,) = [d for d in check_change(change, all_rules()) if d.code == "REG042"]
    assert found.path == "pbes/prompt/west/1.1.0/release.toml"
    assert found.message.endswith(
        "west 1.1.0 requires north 1.0.0 requires east 1.0.0 requires south 1.0.0 requires west"
    )
