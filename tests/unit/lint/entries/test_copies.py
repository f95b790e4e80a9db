"""Which releases of a registry are nearly copies: the newest of each entry, compared by few hashes."""

from psreg.cli.rules import all_rules
from psreg.lint.registry_walk import check_tree
from support.registry_trees import POLICY, RELEASE, entry, tree, version

HEAD = "[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\n"


def text(*numbers):
    return HEAD + "".join(f"Say to{n} and{n} then{n} go{n} on{n} with{n}.\n" for n in numbers)


ONE, OTHER = text(*range(9)), text(*range(20, 29))
LIKE_ONE = text(*range(8), 40)


def owned(name, owner, *versions, more=""):
    """Return an entry of an owner with versions `(number, text)`."""
    toml = f'owners = [{{forge = "github", id = {owner}, login = "u"}}]\n{more}'
    found = {f"pbes/prompt/{name}/entry.toml": toml}
    for at, (number, said) in enumerate(versions):
        changes = 'changes = "Better words."\n' if at else ""
        found |= version(name, number, prompt=said, release=RELEASE + changes)
    return found


def told(*entries, policy=POLICY):
    found = check_tree(tree(*entries, policy=policy), all_rules())
    return [d.message for d in found if d.code in ("REG037", "REG038") and d.waived is None]


def test_the_newest_release_of_each_entry_is_compared():
    one = owned("first_words", 1, ("1.0.0", ONE))
    for versions, more, alike in (
        ([("1.0.0", LIKE_ONE), ("1.1.0", OTHER)], "", False),
        ([("1.0.0", OTHER), ("1.1.0", LIKE_ONE)], "", True),
        ([("1.0.0", LIKE_ONE), ("1.1.0-rc.1", OTHER)], "", True),
        ([("1.0.0", LIKE_ONE), ("1.1.0", OTHER)], '[yanked]\n"1.1.0" = "It was wrong."\n', True),
        ([("1.0.0", LIKE_ONE)], '[yanked]\n"1.0.0" = "It was wrong."\n', True),
    ):
        found = told(one, owned("made_over", 2, *versions, more=more))
        assert len(found) == 2 * alike, (versions, more)


def test_several_are_named_and_the_others_counted():
    names = [f"{letter * 5}_words" for letter in "abcdef"]
    found = told(*(owned(name, n, ("1.0.0", ONE)) for n, name in enumerate(names)))
    assert len(found) == 6
    assert found[0] == (
        "`aaaaa_words` 1.0.0 is nearly a copy of `bbbbb_words` (100%), `ccccc_words` (100%), "
        "`ddddd_words` (100%) and 2 more"
    )


def test_of_very_many_copies_each_is_compared_with_a_few():
    entries = [owned(f"n{n}_{'abcdefgh'[n % 8] * 9}", n, ("1.0.0", ONE)) for n in range(60)]
    found = told(*entries)
    assert len(found) == 60
    assert all(message.endswith("more") for message in found)
    assert {int(message.split()[-2]) for message in found} <= {4, 5}


def test_the_maintainers_can_waive_a_copy():
    entries = owned("first_words", 1, ("1.0.0", ONE)), owned("made_over", 2, ("1.0.0", LIKE_ONE))
    waiver = '[[waiver]]\ncode = "REG037"\nnames = ["made_over"]\nreason = "They are one team."\n'
    (message,) = told(*entries, policy=POLICY + waiver)
    assert message.startswith("`first_words` 1.0.0")


def test_texts_that_are_short_or_no_prompts_are_not_compared():
    short = HEAD + "Say hello to everybody and ask them how the day was.\n"
    entries = [owned(f"{name}_words", n, ("1.0.0", short)) for n, name in enumerate(("aaa", "bbb"))]
    broken = [
        owned(f"{name}_words", n, ("1.0.0", "(% open")) for n, name in enumerate(("cc", "dd"))
    ]
    assert told(*entries, *broken, entry("hello")) == []
