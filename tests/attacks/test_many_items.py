"""A list that fills a file, and a text as long as a file, are refused and not searched.

A step that compared each item with each other would need thousands of millions of comparisons
here: these tests would not end.
"""

from collections import Counter

import pytest

from psreg.cli.rules import all_rules
from psreg.core.diagnostics import Report
from psreg.formats import entry as entry_file
from psreg.formats import policy as policy_file
from psreg.formats.schema import MAX_VIOLATIONS
from psreg.formats.toml_document import MAX_BYTES, MOST
from psreg.formats.tree import Tree
from psreg.lint.engine import check_file
from psreg.lint.entries.entry_rules import alias_not_free
from psreg.lint.locate import ALIKE
from psreg.lint.names.all_names import Names
from psreg.lint.registry_walk import check_tree
from support.registry_trees import POLICY, RELEASE, entry, tree
from support.walks import sampled

MANY = 100_000
FILE = MAX_BYTES - 2_000
"""What a TOML file has room for beside a few ordinary lines."""

OWNERS = ['{forge="github",id=1,login="a"}', "{}", "1", "{id={a=1}}"]
OWNER = 'owners = [{{forge = "github", id = {}, login = "x"}}]\n'
OTHERS = {
    f"pbes/prompt/{name}/entry.toml": OWNER.format(at)
    for at, name in enumerate(["quiz_master", "quizapp", "aaaaaaaa"], 7)
}


def told(files, *, policy=POLICY):
    """Return how often each rule speaks of a registry with these files."""
    found = Report.of(0, check_tree(tree(OTHERS, files, policy=policy), all_rules())).diagnostics
    return Counter(diagnostic.code for diagnostic in found)


def listed(key, item):
    """Return a line of TOML: a list that has an item as often as a file has room for."""
    return f"{key} = [{','.join([item] * (FILE // (len(item) + 1)))}]\n"


def rows(row):
    """Return the row with a number in it, as often as a file has room for."""
    return "".join(row.format(number) for number in range(10_000, 10_000 + FILE // (len(row) + 3)))


def with_entry(toml):
    return {"pbes/prompt/hello/entry.toml": toml}


@pytest.mark.parametrize("alias", sampled(["hello", "quizapp", "quizap", "X y"], 2))
def test_one_alias_over_and_over(alias):
    found = told(with_entry(OWNER.format(1) + listed("aliases", f'"{alias}"')))
    assert found["REG016"] == 1
    assert sum(found.values()) <= 4 * MOST


def test_aliases_that_are_one_name_but_for_separators():
    spelt = '"quizmaster","q_uizmaster","qu_izmaster","qui_zmaster","quiz_master"'
    found = told(with_entry(OWNER.format(1) + listed("aliases", spelt)))
    assert found["REG016"] == 1
    assert 0 < found["NAME001"] <= MOST


def test_an_alias_as_long_as_the_file_is_compared_with_none():
    # NOTE: a text of n letters has n * n / 2 neighbours that lack two of them.
    found = told(with_entry(OWNER.format(1) + f'aliases = ["{"a" * MANY}"]\n'))
    assert found == {"REG024": 1}


@pytest.mark.parametrize("owner", sampled(OWNERS, 2))
def test_owners_over_and_over(owner):
    found = told(with_entry(listed("owners", owner)))
    assert 0 < found["REG016"] <= MAX_VIOLATIONS + MOST
    assert found.total() == found["REG016"]


@pytest.mark.parametrize(
    "text",
    sampled(
        [
            listed("tags", '"a"'),
            listed("capabilities", '"x"'),
            "[protocols]\n" + rows('p{}="1"\n'),
            "[waivers]\n" + rows('PS{}="x"\n'),
            "[requires]\n" + rows('e{}="^1"\n'),
            rows("[[tested]]\n"),
        ],
        3,
    ),
    ids=lambda text: text[:12].strip(),
)
def test_a_release_of_many_items(text):
    release = "".join(line for line in RELEASE.splitlines(keepends=True) if line[:4] != text[:4])
    found = told(entry() | {"pbes/prompt/hello/1.0.0/release.toml": f"{release}{text}\n"})
    assert 0 < max(found.values()) <= MAX_VIOLATIONS + MOST


@pytest.mark.parametrize(
    "text",
    [
        rows('[[waiver]]\ncode="X1"\nnames=["*"]\nreason=" "\n'),
        '[[waiver]]\ncode="REG011"\nreason="x"\n' + listed("names", '"quiz_maste"'),
        "[names]\n" + listed("retired", '"A b"'),
    ],
    ids=["rows", "names", "retired"],
)
def test_a_policy_of_many_items(text):
    found = told(entry(), policy=text)
    assert 0 < found["REG020"] <= 2 * MOST


def test_a_waiver_is_found_among_many():
    others = rows('[[waiver]]\ncode="X{}"\nnames=["a"]\nreason="x"\n')
    policy = policy_file.read(
        f'{others}[[waiver]]\ncode="A1"\nnames=["*"]\nreason=" first "\n'
        '[[waiver]]\ncode="A1"\nnames=["b", 3]\nreason="second"\n'.encode()
    )
    assert {policy.waiver("A1", "b") for _ in range(MANY)} == {"first"}
    assert {policy.waiver("A1", "c"), policy.waiver("A2", "b")} == {"first", ""}


@pytest.mark.parametrize("line", ["@name x", "@x y"])
def test_metadata_over_and_over(line):
    text = "[METADATA]\n" + f"{line}\n" * (FILE // len(f"{line}\n")) + "[CONTENT]\nx\n"
    told = [d for d in check_file(text.encode(), path="x.prompt") if d.code == "PROMPT007"]
    assert len(told) <= ALIKE + 1
    assert sum(1 + d.more for d in told) > MAX_VIOLATIONS


def test_one_alias_in_every_entry():
    files = {
        f"pbes/prompt/e{number}/entry.toml": OWNER.format(number + 1) + 'aliases = ["e_alias"]\n'
        for number in range(2_000)
    }
    seen = Tree(tree(files))
    assert len(seen.with_alias("e_alias")) == len(files)
    others = Names(seen)
    assert sum(len(names) for names in others.by_text.values()) == 2 * len(files)
    assert next(iter(alias_not_free.check(seen.entries[0]))).message.endswith("of `e1`")


def test_an_index_is_that_of_the_file():
    toml = OWNER.format(1) + 'aliases = [1, "quiz_mastre"]\n'
    found = [
        d for d in check_tree(tree(OTHERS, with_entry(toml)), all_rules()) if d.code == "NAME003"
    ]
    assert {d.pointer for d in found} == {"", "/aliases/1"}


def test_who_reads_a_list_gets_as_much_of_it_as_is_allowed():
    file = entry_file.read(listed("aliases", '"a"').encode())
    assert len(file.aliases) == MOST
