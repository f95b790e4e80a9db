"""A release that is nearly a copy of another is found by what is signed, not by reading all texts."""

import pytest

from psreg.authoring.missing_files import missing_files
from psreg.cli.rules import all_rules
from psreg.core.identity import Author
from psreg.formats.tree import Tree
from psreg.git.repository import open_repository
from psreg.lint.entries.tree_rules import ReleaseSketch
from psreg.registry.difference import signed_names
from psreg.registry.store_folder import RegistryFolder
from psreg.review.comment import review_markdown
from psreg.review.git_change import read_change
from psreg.review.judge import check_change
from psreg.review.review import review
from support.bare import Bare
from support.publishing import release
from support.registry_trees import RELEASE, entry, tree, version

HEAD = "[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\n"
WORDS = [
    "apple",
    "boat",
    "cloud",
    "dance",
    "eagle",
    "forest",
    "garden",
    "harbour",
    "island",
    "jungle",
    "kettle",
    "lemon",
]
OWNER = 'owners = [{{forge = "github", id = {}, login = "u"}}]\n'


def prompt(*numbers):
    """Return a prompt with a sentence of eight words for each number."""
    said = (" ".join(f"{WORDS[(n * k) % 12]}{n}" for k in range(1, 9)) for n in numbers)
    return HEAD + "".join(f"Say {text}.\n" for text in said)


ONE, TWO = prompt(*range(12)), prompt(*range(20, 32))
LIKE_ONE = prompt(*range(10), 50, 51)


def owned(name, owner, text, *, more="", number="1.0.0"):
    return entry(name, toml=OWNER.format(owner)) | version(
        name, number, prompt=text, release=RELEASE + more
    )


def texts(files):
    return {
        path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()
    }


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Return the files of a published registry, as a commit has them, by path."""
    folder = tmp_path_factory.mktemp("published")
    files = tree(owned("first_words", 1, ONE), owned("other_words", 2, TWO), entry("hello"))
    release(folder / "home", folder / "registry", files)
    published = {
        f"registry/{path.relative_to(folder / 'registry').as_posix()}": path.read_bytes()
        for path in (folder / "registry").rglob("*")
        if path.is_file()
    }
    return {str(path): data for path, data in files.items()} | published


@pytest.fixture
def found(tmp_path, base):
    """Return what a review finds about copies in a change of the published registry."""

    def judge(added, author=9, base=base, lost=(), *, as_comment=False):
        bare = Bare(tmp_path / "registry.git")
        bare.git("config", "fastimport.unpackLimit", "10000")  # one file for each object
        bare.commit("main", base, parent=None)
        bare.commit("new", texts(added))
        bare.write()
        for path in lost:
            name = bare.git("rev-parse", f"main:{path}")
            (bare.path / "objects" / name[:2] / name[2:]).unlink()
        with open_repository(bare.path) as repository:
            change = read_change(repository, "main", "new", Author(forge="github", id=author))
            if as_comment:
                reviewed = review(change.change, all_rules(), missing_files=missing_files)
                return review_markdown(reviewed)
            told = list(check_change(change.change, all_rules()))
        return [(d.code, d.message) for d in told if d.code in ("REG037", "REG038")]

    return judge


COPY = owned("made_over", 9, LIKE_ONE)
FOUND = ("REG037", "`made_over` 1.0.0 is nearly a copy of `first_words` (61%)")


def test_a_new_entry_that_copies_another_owners(found):
    assert found(COPY) == [FOUND]


def test_the_comment_asks_who_wrote_a_copy(found):
    comment = found(COPY, as_comment=True)
    assert "say who wrote the text of" in comment
    assert "then a maintainer approves both entries" in comment
    own = owned("made_over", 1, LIKE_ONE)
    assert "who wrote" not in found(own, author=1, as_comment=True)


def test_the_texts_of_other_entries_are_not_read(found, base):
    lost = [path for path in base if path.endswith(".prompt")]
    assert len(lost) == 3
    assert found(COPY, lost=lost) == [FOUND]


def test_a_new_entry_of_its_own_words(found):
    assert found(owned("made_over", 9, prompt(*range(60, 72)))) == []


def test_a_copy_of_an_own_entry_is_noted(found):
    assert found(owned("made_over", 1, LIKE_ONE), author=1) == [
        ("REG038", f"{FOUND[1]}, which has the same owner")
    ]


def test_an_owner_that_only_the_change_claims_excuses_no_copy(found):
    assert found(owned("made_over", 1, LIKE_ONE), author=9) == [FOUND]


def test_a_copy_whose_origin_names_the_other_entry_is_noted(found):
    address = '[origin]\naddress = "https://prompts.example.org"\nlicense = "MIT"\n'
    for path, expected in (
        (
            "first_words/1.0.0/first_words.prompt",
            ("REG038", f"{FOUND[1]}, as its `[origin]` states"),
        ),
        ("first_words_too/prompt.md", FOUND),
    ):
        stated = owned("made_over", 9, LIKE_ONE, more=f'{address}path = "{path}"\n')
        assert found(stated) == [expected]


def test_a_version_is_reported_when_it_becomes_a_copy_and_not_again(found, base):
    newer = 'changes = "Other words."\n'
    later = version("other_words", "1.0.1", prompt=LIKE_ONE, release=RELEASE + newer)
    ((code, message),) = found(later, author=2)
    assert (code, message) == ("REG037", FOUND[1].replace("made_over` 1.0.0", "other_words` 1.0.1"))
    merged = base | texts(owned("made_over", 9, LIKE_ONE))
    again = version("made_over", "1.0.1", prompt=ONE, release=RELEASE + newer)
    assert found(again, base=merged) == []


def test_the_entries_of_one_change_are_compared_with_each_other(found):
    text = prompt(*range(70, 82))
    both = owned("made_over", 9, text) | owned("over_made", 9, text)
    told = found(both)
    assert [code for code, _ in told] == ["REG038", "REG038"]


def test_a_signed_state_that_is_missing_or_broken_is_not_compared(found, base):
    """Publishing reports what is wrong with it; a review of other files need not stop."""
    head = next(path for path in base if path.startswith("registry/targets/catalog/"))
    (segment,) = (path for path in base if path.startswith("registry/targets/segments/"))
    time = "registry/metadata/timestamp.json"
    for changed in ({time: b"{}"}, {head: b"{}"}, {segment: b"{}"}):
        assert found(COPY, base=base | changed) == []
    assert found(COPY, lost=[segment]) == []
    assert found(COPY, base={path: data for path, data in base.items() if path != time}) == []


def test_what_is_signed_names_the_releases_that_may_be_alike(tmp_path):
    """In several segments, of which a later one replaces a row of an earlier one."""
    home, registry = tmp_path / "home", tmp_path / "registry"
    names = [f"entry_{'abcdefghij'[n]}" for n in range(10)]
    copies = tree(*(owned(name, n, ONE) for n, name in enumerate(names)))
    release(home, registry, copies)
    changed = version("entry_b", "1.1.0", prompt=TWO, release=RELEASE + 'changes = "All."\n')
    release(home, registry, copies | tree(changed))
    assert len([*(registry / "targets/segments").iterdir()]) == 2
    signed = signed_names(RegistryFolder(registry).read)
    (copy,) = Tree(tree(owned("made_over", 9, LIKE_ONE))).submissions
    near = [each.id.name for each in signed.near(ReleaseSketch.of(copy))]
    assert near == [name for name in names if name != "entry_b"][:8]  # enough to name some
    assert signed_names(RegistryFolder(tmp_path / "none").read) is None
