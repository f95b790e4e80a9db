"""One walk judges whatever is selected, by the rules about each subject."""

from itertools import chain
from pathlib import PurePosixPath

import pytest

from psreg.cli.rules import all_rules
from psreg.core.rule import RuleTable
from psreg.formats.tree import Tree
from psreg.lint.engine import check_file
from psreg.lint.registry_walk import Selection, Walk, check_share, check_tree
from psreg.lint.rules import RULES
from support.registry_trees import POLICY, RELEASE, entry, tree, version

FILES = tree(
    entry("hello") | version("hello", "1.0.0", release="license = 1\n"),
    entry("hel_lo", toml="owners = 7\n"),
    {"pbes/stray.md": "-"},
)


def key(found):
    return sorted((d.path, d.code, d.start, d.message, d.waived or "") for d in found)


@pytest.mark.parametrize("shares", [1, 2, 3, 5])
def test_the_shares_of_a_tree_are_the_whole_tree(shares):
    whole, files = list(check_tree(FILES, all_rules())), Tree(FILES)
    parts = [check_share(files, all_rules(), share=at, shares=shares) for at in range(shares)]
    assert key(chain(*(part.found for part in parts))) == key(whole)
    assert {d.code for d in whole} >= {"REG001", "REG008", "REG016", "NAME001"}


def test_only_what_is_selected_is_judged():
    (hel_lo, _) = Tree(FILES).entries
    selected = Selection(tree=None, entries=[hel_lo], submissions=[], names=None)
    found = list(Walk(all_rules()).check(selected))
    assert {d.path for d in found} == {"pbes/prompt/hel_lo/entry.toml"}


def test_only_findings_that_count_are_told():
    chosen = Selection(
        tree=Tree(FILES),
        entries=[],
        submissions=[],
        names=None,
        counts=lambda found: found.path == "pbes/prompt/hello/entry.toml",
    )
    assert list(Walk(all_rules()).check(chosen)) == []


def waiver(code):
    return f'[[waiver]]\ncode = "{code}"\nnames = ["hello"]\nreason = "It is known."\n'


@pytest.mark.parametrize(
    ("code", "known"), [("PS010", True), ("CHG010", True), ("VPP001", True), ("CHG999", False)]
)
def test_a_waiver_may_name_a_rule_of_any_room_and_no_other(code, known):
    files = tree(entry(), policy=POLICY + waiver(code))
    found = [d.message for d in check_tree(files, all_rules()) if d.code == "REG020"]
    assert found == ([] if known else [f"unknown rule `{code}`"])
    release = f'{RELEASE}[waivers]\n{code} = "It is known."\n'
    files = tree(entry() | version(release=release))
    found = [d.message for d in check_tree(files, all_rules()) if d.code == "REG015"]
    assert (f"unknown rule `{code}`" in found) is not known


def test_which_codes_there_are_is_said_by_the_table():
    files = tree(entry(), policy=POLICY + waiver("CHG010"))
    found = [d.code for d in check_tree(files, RuleTable(RULES))]
    assert "REG020" in found


def test_a_part_of_a_tree_has_the_names_and_the_policy_of_the_whole():
    whole = Tree(FILES)
    stray = PurePosixPath("pbes/stray.md")
    part = whole.part([stray, PurePosixPath("pbes/absent.md")])
    assert (list(part.files), part.strays, part.entries) == ([stray], [stray], ())
    assert part.names == whole.names
    assert part.policy is whole.policy
    with pytest.raises(KeyError):
        part.files[PurePosixPath("registry/policy.toml")]


def test_a_file_of_no_format_is_refused():
    with pytest.raises(ValueError, match=r"notes is neither a PBE nor a \.prompt file"):
        list(check_file(b"Some words.\n", path="notes"))
