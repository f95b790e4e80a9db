"""Names among other names: what counts as alike, and that many names are compared quickly.

That each rule catches what it must is told by tests/corpus.
"""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from psreg.cli.commands import COMMANDS
from psreg.cli.rules import all_rules
from psreg.core.classes import CLASSES
from psreg.core.diagnostics import Report
from psreg.core.identity import is_name
from psreg.lint.names import similarity
from psreg.lint.names.all_names import ENOUGH, affixes, reserved
from psreg.lint.names.similarity import FAR, bare, distance, folds, neighbours, skeletons
from psreg.lint.registry_walk import check_tree
from support.registry_trees import POLICY, tree

A = 'owners = [{forge = "github", id = 1, login = "a"}]\n'
B = 'owners = [{forge = "github", id = 2, login = "b"}]\n'
BOTH = (
    'owners = [{forge = "github", id = 1, login = "a"}, {forge = "github", id = 2, login = "b"}]\n'
)
MAINTAINERS = "owners = []\n"
TEXTS = st.text("abc", max_size=7)


def check(*names, policy=POLICY):
    """Return (code, name, waived) of what is said of entries given as (name, entry.toml)."""
    files = tree({f"pbes/prompt/{name}/entry.toml": toml for name, toml in names}, policy=policy)
    found = Report.of(0, check_tree(files, all_rules())).diagnostics
    return [(d.code, d.path.split("/")[2], d.waived) for d in found if d.family == "NAME"]


def reference(one, other):
    """Return the unbounded Damerau-Levenshtein distance, written down as its definition reads."""
    rows = {(0, j): j for j in range(len(other) + 1)} | {(i, 0): i for i in range(len(one) + 1)}
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            costs = [
                rows[i - 1, j] + 1,
                rows[i, j - 1] + 1,
                rows[i - 1, j - 1] + (one[i - 1] != other[j - 1]),
            ]
            costs += [
                rows[k - 1, m - 1] + (i - k - 1) + 1 + (j - m - 1)
                for k in range(1, i)
                for m in range(1, j)
                if one[k - 1] == other[j - 1] and one[i - 1] == other[m - 1]
            ]
            rows[i, j] = min(costs)
    return rows[len(one), len(other)]


@given(TEXTS, TEXTS)
def test_distance_is_damerau_levenshtein_up_to_two(one, other):
    assert distance(one, other) == min(reference(one, other), FAR)


@given(st.lists(st.text("abc1", min_size=1, max_size=6), unique=True, max_size=8))
def test_all_neighbours_are_found(texts):
    owners = {text: frozenset({at}) for at, text in enumerate(texts)}
    for edits in (1, 2):
        found = neighbours(owners, edits=edits, enough=len(texts))
        pairs = {(one, other): d for one, near in found.items() for other, d in near.items()}
        expected = {
            pair: distance(*pair)
            for one, other in combinations(texts, 2)
            for pair in ((one, other), (other, one))
            if distance(*pair) <= edits
        }
        assert pairs == expected


def test_who_is_like_many_has_a_short_list():
    owners = {f"quiz{number:03}": frozenset({number}) for number in range(300)}
    found = neighbours(owners, edits=2, enough=ENOUGH)
    assert {len(near) for near in found.values()} == {ENOUGH}


def test_one_owner_is_never_compared_with_itself():
    owners = {f"quiz{number}": frozenset({7}) for number in range(100)}
    assert neighbours(owners, edits=2, enough=ENOUGH) == {}


def test_far_apart_by_length_alone():
    assert distance("quiz", "quizmaster") == FAR


def test_letters_that_look_alike():
    assert bare("Code-Review_2") == "codereview2"
    assert folds("sec_ur1ty") == {"security", "securlty"}
    assert "rnodern" in skeletons("modern")
    assert not skeletons("modern").isdisjoint(skeletons("m0dem"))
    assert skeletons("part_1").isdisjoint(skeletons("part_7"))


def test_owners_decide_about_distance():
    assert check(("quiz_master", A), ("quiz_mastre", A)) == []
    assert check(("quiz_master", A), ("quiz_mastre", BOTH)) == []
    assert check(("quiz_master", MAINTAINERS), ("quiz_mastre", MAINTAINERS)) == []
    both = [("NAME003", "quiz_master", None), ("NAME003", "quiz_mastre", None)]
    assert check(("quiz_master", MAINTAINERS), ("quiz_mastre", B)) == both
    assert check(("quiz_master", A), ("quiz_mastre", B)) == both


def test_short_names_are_not_compared_by_distance():
    assert check(("poem", A), ("poet", B), ("po_em", B))[0][0] == "NAME001"
    assert check(("a_b_c_d", A), ("a_b_c_e", B)) == []
    assert check(("poems", A), ("poets", B))[0][0] == "NAME003"


def test_a_waiver_of_the_policy_is_shown():
    waiver = '[[waiver]]\ncode = "NAME003"\nnames = ["word_count"]\nreason = "Honest."\n'
    assert check(("word_count", A), ("world_count", B), policy=waiver) == [
        ("NAME003", "word_count", "Honest."),
        ("NAME003", "world_count", None),
    ]


def test_an_alias_is_a_name_as_well():
    alias = A + 'aliases = ["quiz_mastre"]\n'
    assert check(("other_thing", alias), ("quiz_master", B)) == [
        ("NAME003", "other_thing", None),
        ("NAME003", "quiz_master", None),
    ]
    assert check(("quiz_master", alias)) == []


def test_the_same_name_in_two_classes_is_not_a_matter_of_similarity():
    files = {f"pbes/{c}/quiz_master/entry.toml": A for c in CLASSES[:2]}
    found = Report.of(0, check_tree(tree(files), all_rules())).diagnostics
    assert {d.code for d in found} == {"REG005"}


def test_long_lists_are_counted():
    owner = 'owners = [{{forge = "github", id = {}, login = "x"}}]\n'
    names = [(f"quiz_m_{letter}", owner.format(at)) for at, letter in enumerate("bcdfhj")]
    files = tree({f"pbes/prompt/{name}/entry.toml": toml for name, toml in names})
    messages = [d.message for d in check_tree(files, all_rules()) if d.code == "NAME003"]
    assert messages[0].endswith("and 2 more")


def test_the_commands_and_classes_are_reserved():
    assert {name for _, name, _ in COMMANDS} <= reserved()
    assert set(CLASSES) <= reserved()
    assert all(is_name(word) for word in reserved() | affixes())


def test_affixes_that_distance_covers_are_not_listed():
    assert all(len(affix) >= FAR for affix in affixes())


def test_an_unreadable_entry_file_has_no_owners_and_no_aliases():
    assert check(("quiz_master", "owners = ["), ("quiz_mastre", MAINTAINERS)) == []


def test_of_a_policy_every_name_must_be_one():
    policy = POLICY + '[names]\nreserved = ["Not a name"]\nretired = [3]\n'
    found = Report.of(0, check_tree(tree({}, policy=policy), all_rules())).diagnostics
    assert [(d.code, d.pointer, d.severity) for d in found] == [
        ("REG020", "/names/reserved/0", "warning"),
        ("REG020", "/names/retired/0", "error"),
    ]


def test_neighbours_of_nothing():
    assert similarity.neighbours({}, edits=2, enough=1) == {}


def test_the_same_words_in_another_order_are_named():
    names = [("email_reply", A), ("reply_emails", B), ("refund_email_reply", B)]
    assert [(code, name) for code, name, _ in check(*names)] == [
        ("NAME008", "email_reply"),
        ("NAME008", "reply_emails"),
    ]
    assert check(("email_reply", A), ("reply_emails", BOTH)) == []
