"""The next version: what is copied, what is left behind, what is refused."""

import tomllib
from pathlib import PurePosixPath

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from psreg.authoring.bump import bump, raised
from psreg.authoring.new import Plan, new_entry
from psreg.cli.rules import all_rules
from psreg.core.errors import FindingsError, UnavailableError, UsageError
from psreg.core.version import Step, parse_version
from psreg.formats.tree import POLICY as POLICY_PATH
from support.authoring import ANSWERS, BESIDE, POLICY

FOLDER = PurePosixPath("pbes/prompt/trip_packer/0.1.0")
RELEASE = FOLDER / "release.toml"
NEXT = PurePosixPath("pbes/prompt/trip_packer/0.2.0")


def tree(**more):
    said = {**ANSWERS["prompt"], **BESIDE, "tags": ("travel",), "languages": ("en",)}
    files = new_entry(Plan(entry_class="prompt", name="trip_packer", answers=said))
    added = {FOLDER / path.replace("__", "/"): data for path, data in more.items()}
    return {**files, POLICY_PATH: POLICY.encode(), **added}


def with_release(text):
    return {**tree(), RELEASE: text.encode()}


@pytest.mark.parametrize(
    ("version", "patch", "minor", "major"),
    [
        ("1.2.3", "1.2.4", "1.3.0", "2.0.0"),
        ("0.1.0", "0.1.1", "0.2.0", "1.0.0"),
        ("1.2.3+build.5", "1.2.4", "1.3.0", "2.0.0"),
        ("2.0.0-rc.1", "2.0.0", "2.0.0", "2.0.0"),
        ("2.1.0-rc.1", "2.1.0", "2.1.0", "3.0.0"),
        ("2.1.3-rc.1", "2.1.3", "2.2.0", "3.0.0"),
    ],
)
def test_numbers_rise_as_npm_raises_them(version, patch, minor, major):
    now = parse_version(version)
    assert [str(raised(now, part)) for part in list(Step)[1:]] == [patch, minor, major]


def test_a_version_moves_and_nothing_else():
    files = tree()
    result = bump(files, "trip_packer", Step.MINOR, all_rules())
    assert (result.previous, result.release.version) == ("0.1.0", "0.2.0")
    assert set(result.files) == {
        NEXT / path.relative_to(FOLDER) for path in files if path.is_relative_to(FOLDER)
    }
    assert result.files[NEXT / "README.md"] == files[FOLDER / "README.md"]
    old, new = files[FOLDER / "trip_packer.prompt"], result.files[NEXT / "trip_packer.prompt"]
    assert new == old.replace(b"0.1.0", b"0.2.0")
    assert [(item.code, item.pointer) for item in result.todo] == [("REG008", "/changes")]
    assert "since 0.1.0" in result.todo[0].write


def test_what_was_true_of_the_old_bytes_stays_behind():
    files = tree(evidence__a__b=b"x")
    files[FOLDER / "evidence/claude.jsonl"] = b"{}\n"
    files[FOLDER.parent / "signatures" / "0.1.0.1.txt"] = b"signed"
    files[FOLDER / "notes.md"] = b"kept\n"
    files.pop(FOLDER / "evidence/a/b")
    text = files[RELEASE].decode() + (
        '\n[[tested]]  # a run\nplatform = "claude"\n\n[waivers]\nPS010 = "quoted"  # why\n\n[[tested]]\nplatform = "x"\n'
    )
    files[RELEASE] = text.encode()
    result = bump(files, "trip_packer", Step.MINOR, all_rules())
    assert NEXT / "notes.md" in result.files
    kept = ("evidence", "signatures")
    assert not [path for path in result.files if any(word in str(path) for word in kept)]
    release = result.files[NEXT / "release.toml"].decode()
    value = tomllib.loads(release)
    assert "tested" not in value
    assert value["waivers"] == {"PS010": "quoted"}
    assert 'PS010 = "quoted"  # why' in release
    assert "# One row per run" in release


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_persons_form_survives(ending):
    lines = [
        "# mine",
        'license   = "MIT" # why',
        'use_case  = """',
        "When.",
        '"""  # when',
        "tags = [",
        '  "a",',
        "]",
    ]
    text = ending.join(lines) + ending
    result = bump(with_release(text), "trip_packer", Step.MINOR, all_rules())
    edited = ending.join([*lines[:5], 'changes = ""', *lines[5:]]) + ending
    assert result.files[NEXT / "release.toml"] == edited.encode()


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ('use_case = "x"', 'use_case = "x"\nchanges = ""\n'),
        ('license = "MIT"\n', 'changes = ""\nlicense = "MIT"\n'),
        ('changes = "Old."  # say it\n', 'changes = ""  # say it\n'),
        ('\ufeffuse_case = "x"\n', 'use_case = "x"\nchanges = ""\n'),
        ("", 'changes = ""\n'),
        ('[waivers]\nuse_case = "x"\n', 'changes = ""\n[waivers]\nuse_case = "x"\n'),
    ],
)
def test_where_the_line_of_changes_stands(text, edited):
    result = bump(with_release(text), "trip_packer", Step.MINOR, all_rules())
    assert result.files[NEXT / "release.toml"].decode() == edited


def test_a_requirement_on_another_entry_is_judged_in_the_whole_tree():
    other = new_entry(Plan(entry_class="prompt", name="glossary"))
    files = tree() | other
    files[RELEASE] = files[RELEASE] + b'\n[requires]\nglossary = "^0.1"\nabsent = "*"\n'
    found = bump(files, "trip_packer", Step.MINOR, all_rules()).todo
    assert [item.message for item in found if item.code == "REG014"] == ["unknown entry `absent`"]


def test_without_a_policy_the_runs_are_missing():
    files = tree()
    del files[POLICY_PATH]
    found = bump(files, "trip_packer", Step.MINOR, all_rules()).todo
    assert "run the finished artifact" in next(g.write for g in found if g.code == "REG011")


def test_a_name_that_is_not_there():
    with pytest.raises(UnavailableError, match="there is no entry `trip_paker`") as caught:
        bump(tree(), "trip_paker", Step.PATCH, all_rules())
    assert caught.value.hint == "Did you mean `trip_packer`?"
    with pytest.raises(UnavailableError) as caught:
        bump({}, "x", Step.PATCH, all_rules())
    assert "psreg new" in caught.value.hint
    lone = {PurePosixPath("pbes/prompt/x/entry.toml"): b"owners = []\n"}
    with pytest.raises(UnavailableError, match="the entry `x` has no versions"):
        bump(lone, "x", Step.PATCH, all_rules())


def test_a_name_in_two_classes():
    files = tree() | new_entry(Plan(entry_class="stateless_executor", name="trip_packer"))
    with pytest.raises(UsageError, match="is in prompt and stateless_executor"):
        bump(files, "trip_packer", Step.PATCH, all_rules())


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("release.toml", None, "release.toml` is missing"),
        ("trip_packer.prompt", None, "trip_packer.prompt` is missing"),
        ("release.toml", b"= 1", "release.toml` cannot be parsed"),
        ("trip_packer.prompt", b"Hello", "trip_packer.prompt` cannot be parsed"),
        ("release.toml", b"[settings]\nx = nan\n", "cannot be edited in place"),
        ("README.md", b" " * 1_048_577, "too large to copy: .*README.md"),
    ],
)
def test_a_version_that_is_none_is_not_copied(name, data, said):
    files = tree()
    if data is None:
        del files[FOLDER / name]
    else:
        files[FOLDER / name] = data
    with pytest.raises(FindingsError, match=said) as caught:
        bump(files, "trip_packer", Step.PATCH, all_rules())
    assert "psreg check pbes/prompt/trip_packer/0.1.0" in caught.value.hint or "usual notation" in (
        caught.value.hint
    )


VALUES = st.recursive(
    st.text(max_size=8) | st.integers(-9, 9) | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=5,
)


@settings(deadline=None, max_examples=60)
@given(
    st.dictionaries(
        st.sampled_from(["summary", "use_case", "changes", "tested", "waivers", "x.y"]), VALUES
    )
)
def test_any_release_toml_keeps_all_but_its_runs_or_is_refused(value):
    text = tomlkit.dumps(value)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    try:
        result = bump(with_release(text), "trip_packer", Step.MINOR, all_rules())
    except FindingsError:  # TOML that tomlkit cannot edit, or that no rule could judge
        return
    edited = tomllib.loads(result.files[NEXT / "release.toml"].decode())
    wanted = {**value, "changes": ""}
    wanted.pop("tested", None)
    assert edited == wanted
