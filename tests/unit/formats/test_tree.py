"""A tree of files, grouped into entries and submissions."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from psreg.core.diagnostics import Span
from psreg.formats.tree import POLICY, Tree
from psreg.formats.waivers import Waiver, waiver_for
from support.registry_trees import POLICY as POLICY_TEXT
from support.registry_trees import RELEASE, entry, tree, version


class Counting(Mapping):
    """A tree that notes which files are read."""

    def __init__(self, files):
        self.files, self.read = files, []

    def __getitem__(self, path):
        data = self.files[path]
        self.read.append(path)
        return data

    def __contains__(self, path):
        return path in self.files

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)


def only(files):
    (submission,) = Tree(files).submissions
    return submission


def test_entries_and_versions_in_order():
    found = Tree(tree(entry("b", "1.10.0", "1.9.0", "1.10.0-rc.1"), entry("a")))
    assert [e.name for e in found.entries] == ["a", "b"]
    assert found.entries[1].versions == ("1.9.0", "1.10.0-rc.1", "1.10.0")
    assert [str(s.id.folder) for s in found.submissions] == [
        "pbes/prompt/a/1.0.0",
        "pbes/prompt/b/1.9.0",
        "pbes/prompt/b/1.10.0-rc.1",
        "pbes/prompt/b/1.10.0",
    ]
    assert found.versions("b") == found.entries[1].versions
    assert found.versions("c") == ()
    assert found.names == {"a": ("prompt",), "b": ("prompt",)}


def test_a_submission_knows_its_files_and_surroundings():
    submission = only(tree(entry("hello"), {"pbes/prompt/hello/1.0.0/evidence/a.jsonl": "{}\n"}))
    assert submission.paths == tuple(sorted(submission.files))
    assert len(submission.files) == 4
    assert submission.files[submission.id.artifact] == submission.artifact
    assert submission.siblings == ("1.0.0",)
    assert submission.release.text("license") == "MIT"
    assert submission.prompt.content == "Say hello."
    assert submission.pbe is None
    assert submission.entry.file.owners == ()
    assert submission.policy.waiver("REG011", "hello")


def test_what_is_missing_reads_as_empty():
    submission = only({PurePosixPath("pbes/prompt/hello/1.0.0/README.md"): b"# Hello\n"})
    assert submission.artifact is None
    assert submission.prompt is None
    assert submission.pbe is None
    assert not submission.release.tree.parsed
    assert submission.release.value == {}
    assert submission.entry.file.owners == ()
    assert submission.policy.value == {}
    document = submission.documents[submission.id.artifact]
    assert (document.text, document.span("/a"), document.key_span("/a")) == (
        "",
        Span(0, 0),
        Span(0, 0),
    )
    assert submission.id.artifact not in submission.documents


def test_documents_are_of_their_format():
    pbe = '{"pbe_name": "hi"}'
    files = tree(entry(), {"pbes/stateless_executor/hi/1.0.0/hi.pbe.txt": pbe})
    found = Tree(files)
    assert len(found.documents) == len(list(found.documents)) == len(files)
    first, second = found.submissions
    assert second.pbe.name == "hi"
    assert second.prompt is None
    assert second.documents[second.id.artifact].text == pbe
    readme = first.documents[first.id.folder / "README.md"]
    assert readme.text.startswith("# Hello")
    assert found.documents.toml(first.id.folder / "README.md").text == ""
    assert found.documents.toml(POLICY).parsed


def test_grouping_reads_no_file():
    counting = Counting(tree(entry("a"), entry("b", "1.0.0", "1.1.0")))
    found = Tree(counting)
    assert len(list(found.submissions)) == 3
    assert counting.read == []
    assert next(found.submissions).artifact is not None
    assert len(counting.read) == 1


def test_what_fits_nowhere():
    files = {
        "pbes/README.md": "",
        "pbes/notes.md": "",
        "pbes/prompt/a.prompt": "",
        "pbes/prompt/a/a.prompt": "",
        "pbes/prompts/a/1.0.0/a.prompt": "",
        "pbes/prompt/A/1.0.0/a.prompt": "",
        "pbes/prompt/a/1.0/a.prompt": "",
        "pbes/prompt/a/1.0.0/a.prompt": "",
        "other/a/b/c/d/e": "",
    }
    found = Tree({PurePosixPath(path): text.encode() for path, text in files.items()})
    assert [str(p) for p in found.strays] == [
        "pbes/notes.md",
        "pbes/prompt/a/a.prompt",
        "pbes/prompt/a.prompt",
    ]
    assert [p.parts[1:4] for p in found.misnamed] == [
        ("prompt", "A", "1.0.0"),
        ("prompt", "a", "1.0"),
        ("prompts", "a", "1.0.0"),
    ]
    assert [e.name for e in found.entries] == ["a"]


def test_aliases_lead_to_entries():
    found = Tree(tree(entry("a", toml='owners = []\naliases = ["x"]\n'), entry("b")))
    assert [e.name for e in found.with_alias("x")] == ["a"]
    assert found.with_alias("y") == ()


def test_the_policy_waives_by_code_and_name():
    submission = only(tree(entry()))
    assert waiver_for("REG011", submission) == Waiver("Nothing here is ever run.", "policy")
    assert waiver_for("REG010", submission) is None


def test_an_author_waives_content_findings_only():
    waivers = (
        '[waivers]\nPS010 = "a quotation"\nPS011 = " "\nREG010 = "please"\nPBE003 = "please"\n'
    )
    submission = only(tree(version(release=RELEASE + waivers), policy=POLICY_TEXT))
    assert waiver_for("PS010", submission) == Waiver("a quotation", "release")
    assert waiver_for("PS011", submission) is None
    assert waiver_for("PS012", submission) is None
    assert waiver_for("REG010", submission) is None
    assert waiver_for("PBE003", submission) is None
