"""A change is judged by what it adds: by all rules, in the context of the whole registry, bounded."""

from pathlib import PurePosixPath

import pytest

from psreg.cli.rules import all_rules
from psreg.core.diagnostics import ERROR, WARNING
from psreg.core.identity import Author
from psreg.formats.tree import Tree
from psreg.lint.entries.tree_rules import TREE_RULES
from psreg.review.change import ChangeSet, FileChange, Touch
from psreg.review.judge import MOST, check_change
from psreg.review.rules import CHANGE_RULES, HUMAN
from support.changes import changes_between
from support.registry_trees import (
    OWNED,
    POLICY,
    PROMPT,
    RELEASE,
    change,
    entry,
    tree,
    update,
    version,
)

ENTRY = "pbes/prompt/hello/entry.toml"


def judge(made, *, codes=None):
    """Return `(code, path)` of what is said of a change, waived findings apart."""
    base, head = (
        {PurePosixPath(path): text.encode() for path, text in made[side].items()}
        for side in ("base", "head")
    )
    author = Author(forge=made["author"][0], id=made["author"][1])
    found = check_change(changes_between(base, head, author=author), all_rules())
    standing = [d for d in found if d.waived is None and (not codes or d.code in codes)]
    return sorted((d.code, d.path) for d in standing)


def test_findings_about_untouched_versions_and_entries_are_not_told():
    broken = version(number="0.1.0", release="license = 1\n") | entry("other", toml="owners = 7\n")
    base = entry(toml=OWNED) | broken | {"pbes/stray.md": "-"}
    assert judge(change(base, update(prompt=PROMPT))) == []


def test_findings_about_all_that_is_new_are_told_missing_files_too():
    found = judge(change({}, {"pbes/prompt/hello/1.0.0/hello.prompt": "{"}))
    folder = "pbes/prompt/hello/1.0.0"
    assert ("REG003", f"{folder}/release.toml") in found
    assert ("REG003", f"{folder}/README.md") in found
    assert ("REG016", ENTRY) in found
    assert ("PROMPT003", f"{folder}/hello.prompt") in found


def test_an_entry_file_that_goes_away_is_told():
    assert ("REG016", ENTRY) in judge(change(entry(toml=OWNED), gone=[ENTRY]))


def test_owners_that_are_none_are_told_and_compared_with_nobody():
    owners = 'owners = [{forge = "github", id = [1], login = "a"}, {forge = {}, id = true}]\n'
    codes = {"REG016", "CHG020"}
    found = judge(change(entry(toml=OWNED), {ENTRY: owners}), codes=codes)
    assert {code for code, _ in found} == codes
    assert ("CHG018", ENTRY) in judge(change(entry(toml=owners), update()))


@pytest.mark.parametrize(
    ("login", "called", "told"),
    [
        ("octodog", "octodog", []),
        ("octodog", "OctoCorp", ["CHG020"]),
        ("", "octodog", ["CHG020"]),
        ("octodog", "octocat", []),
    ],
)
def test_an_owner_may_be_called_what_the_forge_calls_the_account(login, called, told):
    base = {PurePosixPath(path): text.encode() for path, text in entry(toml=OWNED).items()}
    head = base | {PurePosixPath(ENTRY): OWNED.replace("octocat", called).encode()}
    author = Author(forge="github", id=1, login=login)
    found = check_change(changes_between(base, head, author=author), all_rules())
    assert [d.code for d in found if d.path == ENTRY] == told


def test_of_a_released_folder_only_what_is_touched_is_told():
    base = entry(toml=OWNED) | version(release="license = 1\n")
    head = {"pbes/prompt/hello/1.0.0/README.md": "# Hello\n"}
    assert {path for _, path in judge(change(base, head))} == {*head}


def test_files_outside_the_layout_are_told_where_they_are_touched():
    base = entry(toml=OWNED) | {"pbes/old.md": "-", "pbes/prompt/Hello/1.0.0/x.md": "-"}
    head = {"pbes/new.md": "-", "pbes/prompts/hello/1.0.0/x.md": "-"}
    assert judge(change(base, head)) == [
        ("REG001", "pbes/new.md"),
        ("REG002", "pbes/prompts/hello/1.0.0/x.md"),
    ]


def test_a_place_for_a_stray_artifact_of_an_entry_that_exists():
    made = change(entry(toml=OWNED), {"pbes/hello.prompt": PROMPT})
    base, head = (
        {PurePosixPath(p): t.encode() for p, t in made[side].items()} for side in ("base", "head")
    )
    hints = [
        d.hint for d in check_change(changes_between(base, head), all_rules()) if d.code == "REG001"
    ]
    assert hints == ["Move it to pbes/prompt/hello/1.0.1/hello.prompt."]


@pytest.mark.parametrize(
    ("path", "text", "code", "place"),
    [
        ("hello.prompt", PROMPT, "CHG013", "pbes/prompt/hello/1.0.1/hello.prompt"),
        ("hello/2.0.0/hello.prompt", PROMPT, "CHG013", "pbes/prompt/hello/2.0.0/hello.prompt"),
        ("pbes/prompts/hello/1.5.0/x.prompt", PROMPT, "REG002", "pbes/prompt/x/1.5.0/x.prompt"),
        ("quiz.pbe.txt", "{", "CHG013", "pbes/<class>/quiz/0.1.0/quiz.pbe.txt"),
    ],
)
def test_an_artifact_outside_its_folder_is_told_the_right_one(path, text, code, place):
    made = change(entry(toml=OWNED), {path: text})
    base, head = (
        {PurePosixPath(p): t.encode() for p, t in made[side].items()} for side in ("base", "head")
    )
    hints = [
        d.hint for d in check_change(changes_between(base, head), all_rules()) if d.code == code
    ]
    assert hints
    assert all(f"Move it to {place}." in hint for hint in hints), hints


def test_a_policy_is_judged_where_it_is_touched_with_all_names_of_the_registry():
    bad = (
        POLICY
        + '[[waiver]]\ncode = "REG01"\nnames = ["hello", "nobody"]\nreason = "It is a seed."\n'
    )
    base = entry(toml=OWNED)
    assert judge(change(base, update(prompt=PROMPT), policy=bad)) == []
    found = judge(change(base, {"registry/policy.toml": bad}), codes=["REG020"])
    assert found == [("REG020", "registry/policy.toml")] * 2


OTHER = OWNED.replace("1", "2")


@pytest.mark.parametrize(
    ("base", "head", "told"),
    [
        (entry("word_count"), entry("world_count", toml=OWNED), "NAME003"),
        (entry("word_count"), entry("wordcount", toml=OWNED), "NAME001"),
        (entry("word_count"), entry("vvord_count", toml=OWNED), "NAME002"),
        (entry("story_coach"), entry("study_coach", toml=OWNED), "NAME004"),
        (entry("word_count"), entry("word_count_official", toml=OWNED), "NAME005"),
        ({}, entry("review", toml=OWNED), "NAME006"),
        (entry("counter", toml='owners = []\naliases = ["word_count"]\n'),
         entry("world_count", toml=OWNED), "NAME003"),
        (entry("word_count") | entry("world_count"),
         {"pbes/prompt/world_count/entry.toml": OWNED}, "NAME003"),
        (entry("word_count") | entry("other_thing", toml=OWNED),
         {"pbes/prompt/other_thing/entry.toml": OWNED + 'aliases = ["world_count"]\n'}, "NAME003"),
    ],
)  # fmt: skip
def test_a_new_name_is_compared_with_all_others(base, head, told):
    touched = [path for path in head if path.endswith("entry.toml")]
    names = [(code, path) for code, path in judge(change(base, head)) if code.startswith("NAME")]
    assert names == [(told, path) for path in touched]


def test_names_that_stood_beside_each_other_before_are_not_compared_again():
    base = entry("word_count") | entry("world_count", toml=OWNED)
    yank = {"pbes/prompt/world_count/entry.toml": OWNED + '[yanked]\n"1.0.0" = "Miscounts."\n'}
    assert judge(change(base, yank)) == []
    more = {"pbes/prompt/world_count/entry.toml": OWNED + 'aliases = ["globe_sums"]\n'}
    assert [code for code, _ in judge(change(base, more))] == ["CHG030"]


def test_the_maintainers_can_waive_a_similarity():
    policy = POLICY + '[[waiver]]\ncode = "NAME003"\nnames = ["*"]\nreason = "Words."\n'
    head = entry("world_count", toml=OWNED)
    assert judge(change(entry("word_count"), head, policy=policy), codes=["NAME003"]) == []


def test_a_new_name_that_is_an_alias_is_reported_there():
    base = entry("hello", toml=OWNED + 'aliases = ["Hi there", "salute"]\n')
    found = judge(change(base, entry("salute", toml=OWNED)), codes=["REG024"])
    assert found == [("REG024", ENTRY)]
    head = entry("salute", toml=OWNED) | {ENTRY: OWNED + 'aliases = ["salute"]\n'}
    assert judge(change(base, head), codes=["REG024"]) == [("REG024", ENTRY)]


def test_the_name_of_an_entry_in_another_class_is_told():
    head = {"pbes/interactive_engine/hello/entry.toml": OWNED}
    assert ("REG005", *head) in judge(change(entry(toml=OWNED), head))


def test_a_change_cannot_waive_what_is_said_of_it():
    waiver = '[[waiver]]\ncode = "CHG013"\nnames = ["*"]\nreason = "Let me."\n'
    made = change(entry(toml=OWNED), {"registry/policy.toml": POLICY + waiver})
    assert judge(made) == [("CHG013", "registry/policy.toml")]
    made = change(entry(toml=OWNED), {"notes.md": "-"}, policy=POLICY + waiver)
    assert judge(made) == []


def test_maintainers_can_waive_a_rule_about_changes_for_a_name():
    waiver = '[[waiver]]\ncode = "CHG019"\nnames = ["hello"]\nreason = "Anyone may."\n'
    assert judge(change(entry(), update(prompt=PROMPT), policy=POLICY + waiver)) == []


@pytest.mark.parametrize("code", ["CHG001", "PS081"])
def test_an_author_cannot_waive_rules_about_changes(code):
    more = f'[waivers]\n{code} = "It is fine."\n'
    text = PROMPT + "See https://example.org/names.\n"
    found = judge(change(entry(toml=OWNED), update(prompt=text, more=more)))
    path = "pbes/prompt/hello/1.0.1/release.toml"
    assert ("REG015", path) in found
    assert ("PS081", "pbes/prompt/hello/1.0.1/hello.prompt") in found


def test_ten_thousand_files_are_told_a_hundred_times_and_counted():
    files = {f"notes/{number}.md": "-" for number in range(10_000)}
    found = [path for code, path in judge(change({}, files)) if code == "CHG013"]
    assert len(found) == MOST


def test_the_last_finding_of_many_counts_the_rest():
    files = tuple(
        FileChange(path=PurePosixPath(f"notes/{number:03}.md"), touch=Touch.ADDED)
        for number in range(MOST + 5)
    )
    touched = ChangeSet(Tree({}), Tree({}), files, Author(forge="github", id=1))
    found = list(check_change(touched, all_rules()))
    assert [d.code for d in found] == ["CHG013"] * MOST
    assert found[-1].message == "a file outside the entries is added; and 5 more like it"
    assert (found[-1].start.line, found[-1].start.column) == (1, 1)


def test_more_entries_than_anybody_would_review_are_an_error():
    names = [f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(101)]
    made = change({}, {f"pbes/prompt/{name}_{name}/entry.toml": OWNED for name in names})
    base, head = (
        {PurePosixPath(p): t.encode() for p, t in made[side].items()} for side in ("base", "head")
    )
    found = [
        d for d in check_change(changes_between(base, head), all_rules()) if d.code == "CHG014"
    ]
    assert [(d.severity, d.message.partition(":")[0]) for d in found] == [
        (ERROR, "101 entries are changed")
    ]


def test_no_registry_allows_more_entries_than_are_checked():
    paths = [f"pbes/prompt/one{n}/entry.toml" for n in range(101)]
    policy = f"{POLICY}[review]\nentries_per_change = 300\n"
    made = change(dict.fromkeys(paths, OWNED), dict.fromkeys(paths, "x"), policy=policy)
    assert "CHG014" in {code for code, _ in judge(made)}


def test_more_versions_than_anybody_would_review_are_an_error():
    numbers = range(1, 102)
    head = {f"pbes/prompt/hello/1.0.{n}/release.toml": RELEASE for n in numbers}
    found = judge(change(entry(toml=OWNED), head), codes=["CHG014", "REG003", "CHG007"])
    assert found.count(("CHG014", "pbes/prompt/hello/1.0.101/release.toml")) == 1
    assert not any("1.0.101" in path for code, path in found if code == "REG003")


def test_released_folders_of_which_files_are_touched_are_judged_up_to_a_hundred():
    base = entry("hello", *(f"1.0.{n}" for n in range(101)), toml=OWNED)
    head = {f"pbes/prompt/hello/1.0.{n}/release.toml": "" for n in range(101)}
    found = judge(change(base, head))
    assert len([path for code, path in found if code == "REG007"]) > 0
    assert len([path for code, path in found if code == "CHG001"]) == MOST


def test_more_released_versions_with_new_evidence_than_are_checked_are_an_error():
    base = entry("hello", *(f"1.0.{n}" for n in range(101)), toml=OWNED)
    head = {f"pbes/prompt/hello/1.0.{n}/evidence/claude-2026-11-01.jsonl": "" for n in range(101)}
    assert ("CHG014", "pbes/prompt/hello/1.0.100/release.toml") in judge(change(base, head))
    head.popitem()
    assert "CHG014" not in {code for code, _ in judge(change(base, head))}


def test_a_renamed_entry_is_known_by_what_git_found():
    base = Tree({PurePosixPath(p): t.encode() for p, t in entry(toml=OWNED).items()})
    new = entry("salute", toml=OWNED) | entry("another", toml=OWNED)
    new["pbes/prompt/another/1.0.0/another.prompt"] += "Be brief.\n"
    new["pbes/prompt/salute/1.0.0/salute.prompt"] += "Be kind.\n"
    head = Tree({PurePosixPath(p): t.encode() for p, t in new.items()})
    origin = PurePosixPath("pbes/prompt/hello/1.0.0/hello.prompt")
    files = [FileChange(path=path, touch=Touch.DELETED) for path in base.files]
    for path in head.files:
        moved = origin if path.name == "salute.prompt" else None
        files.append(FileChange(path=path, touch=Touch.ADDED, moved_from=moved))
    found = check_change(ChangeSet(base, head, tuple(files)), all_rules())
    messages = [d.message for d in found if d.code == "CHG003"]
    assert messages == ["`hello` is renamed to `salute`; a published name cannot change"]


@pytest.mark.parametrize("moved", [True, False])
def test_a_version_that_is_moved_to_another_one_is_told_apart_from_one_that_is_gone(moved):
    new = update() | {ENTRY: OWNED}
    base, head = (
        Tree({PurePosixPath(p): t.encode() for p, t in files.items()})
        for files in (entry(toml=OWNED), new)
    )
    origin = PurePosixPath("pbes/prompt/hello/1.0.0/hello.prompt") if moved else None
    files = [FileChange(path=p, touch=Touch.DELETED) for p in base.files if "1.0.0" in p.parts]
    files += [
        FileChange(path=path, touch=Touch.ADDED, moved_from=origin)
        for path in head.files
        if "1.0.1" in path.parts
    ]
    found = check_change(ChangeSet(base, head, tuple(files)), all_rules())
    assert [d.message for d in found if d.code == "CHG002"] == [
        "version 1.0.0 of `hello` was released and "
        + ("cannot be renamed to 1.0.1; make a copy instead" if moved else "cannot be deleted")
    ]


def test_the_tripwire_reads_what_entry_toml_says_to_people():
    head = OWNED + '[yanked]\n"1.0.0" = "REASON"\n'
    for reason, told in [("Moved to https://example.org/.", 1), ("Greets nobody.", 0)]:
        made = change(entry(toml=OWNED), {ENTRY: head.replace("REASON", reason)})
        assert judge(made) == [("PS081", ENTRY)] * told
    base = entry(toml=head.replace("REASON", "See https://example.org/."))
    assert judge(change(base, {ENTRY: head.replace("REASON", "https://example.org/")})) == []


def test_a_range_that_cannot_be_read_is_required_by_nobody():
    caller = version("caller", release=RELEASE + '[requires]\nhello = "newest"\n')
    base = entry(toml=OWNED) | caller | {"pbes/prompt/caller/entry.toml": OWNED}
    yank = {ENTRY: OWNED + '[yanked]\n"1.0.0" = "Greets nobody."\n'}
    assert judge(change(base, yank)) == []


PBE = """\
{"pbe_name": "hello", "pbe_version": "VERSION", "pbe_class": "stateless_executor",
 "install_instructions": "Copy this.", "execution": {"task": "Greet somebody.MORE"}}
"""


def pbe(number, text, release):
    folder = f"pbes/stateless_executor/hello/{number}"
    artifact = PBE.replace("VERSION", number).replace("MORE", text)
    return {f"{folder}/hello.pbe.txt": artifact, f"{folder}/release.toml": release}


@pytest.mark.parametrize(
    ("text", "release", "told"),
    [
        (" See https://example.org/names.", RELEASE, ["hello.pbe.txt"]),
        ("", RELEASE + 'use = "https://example.org/"\n', ["release.toml"]),
        (" See https://example.org/names.", "license = ", ["hello.pbe.txt"]),
        (" See them.", RELEASE, []),
        ('"', RELEASE, []),
    ],
)
def test_the_tripwire_reads_a_pbe_and_what_lies_beside_it(text, release, told):
    base = pbe("1.0.0", "", RELEASE) | {"pbes/stateless_executor/hello/entry.toml": OWNED}
    found = judge(change(base, pbe("1.0.1", text, release)), codes=["PS081"])
    assert [path.rpartition("/")[2] for _, path in found] == told


def test_a_registry_says_how_many_entries_a_change_may_touch():
    base = entry(toml=OWNED) | entry("goodbye", toml=OWNED)
    head = update(prompt=PROMPT) | update(name="goodbye", prompt=PROMPT)
    for text, told in [("2", 0), ("1", 1), ("true", 1), ('"2"', 1)]:
        policy = f"{POLICY}[review]\nentries_per_change = {text}\n"
        found = judge(change(base, head, policy=policy), codes=["CHG014", "REG020"])
        assert len(found) == told, text


def test_codes_that_need_a_human_exist_and_are_no_mere_errors():
    severities = {rule.code: rule.severity for rule in (*CHANGE_RULES, *TREE_RULES)}
    ours = {code for code in HUMAN if not code.startswith("NAME")}
    assert ours <= severities.keys()
    assert {code for code in ours if severities[code] is ERROR} == {"CHG002"}  # a purge is none
    assert severities["PS081"] is WARNING


def test_an_alias_that_a_new_name_takes_is_told_whatever_stands_beside_it():
    other = "pbes/prompt/other/entry.toml"
    base = entry("other", toml='owners = []\naliases = [7, "spare", "hello"]\n')
    assert judge(change(base, entry(toml=OWNED)), codes=["REG024"]) == [("REG024", other)]


def owned(*numbers):
    rows = ", ".join(f'{{forge = "github", id = {n}, login = "u{n}"}}' for n in numbers)
    return f"owners = [{rows}]\n"


@pytest.mark.parametrize("author", [2, None])
@pytest.mark.parametrize("claimed", [(), (1,), (1, 2)])
def test_a_claimed_owner_excuses_no_similar_name(author, claimed):
    """The owner of `story_coach` did not ask for `storey_coach`, whatever its entry.toml says."""
    base = entry("story_coach", toml=owned(1))
    new = entry("storey_coach", toml=owned(*claimed))
    who = Author(forge="github", id=author) if author else None
    made = changes_between(tree(base), tree(base, new), author=who)
    assert "NAME003" in {d.code for d in check_change(made, all_rules())}


def test_the_owner_of_both_may_have_similar_names():
    base = entry("story_coach", toml=owned(1))
    new = entry("storey_coach", toml=owned(1))
    who = Author(forge="github", id=1)
    made = changes_between(tree(base), tree(base, new), author=who)
    assert "NAME003" not in {d.code for d in check_change(made, all_rules())}


def test_an_entry_that_is_there_keeps_the_owners_of_the_base():
    """Owner 1 gives up `storey_coach`; that 2 adds the owner of the similar name hides nothing."""
    near = entry("story_coach", toml=owned(1))
    base = tree(near, entry("storey_coach", toml=owned(2)))
    for claimed, found in (((1, 2), True), ((1,), True), ((2,), False)):
        head = tree(near, entry("storey_coach", toml=owned(*claimed) + "aliases = []\n"))
        made = changes_between(base, head, author=Author(forge="github", id=2))
        codes = {d.code for d in check_change(made, all_rules())}
        assert ("NAME003" in codes) is found


@pytest.mark.parametrize(
    ("code", "lenient"),
    [
        ("REG011", "[review]\nplatforms = 0\n"),
        ("REG010", '[licenses]\nallow = ["X11"]\n'),
        ("NAME006", "[names]\nreserved = []\n"),
    ],
)
def test_no_setting_is_applied_to_the_change_it_comes_with(code, lenient):
    strict = '[licenses]\nallow = ["MIT"]\n[names]\nreserved = ["story_coach"]\n'
    new = entry("story_coach", toml=owned(2))
    path = "pbes/prompt/story_coach/1.0.0/release.toml"
    new[path] = new[path].replace('"MIT"', '"X11"')

    def found(before, after):
        made = changes_between(tree(policy=before), tree(new, policy=after))
        return code in {d.code for d in check_change(made, all_rules())}

    assert found(strict, lenient)
    assert not found(lenient, lenient)
    assert not found(lenient, strict)


@pytest.mark.parametrize("code", ["REG011", "NAME003"])
def test_a_waiver_is_not_applied_to_the_change_it_comes_with(code):
    waiver = f'[[waiver]]\ncode = "{code}"\nnames = ["*"]\nreason = "I say so."\n'
    near = entry("story_coach", toml=owned(1))
    new = entry("storey_coach", toml=owned(2))
    who = Author(forge="github", id=2)

    def found(before, after):
        made = changes_between(tree(near, policy=before), tree(near, new, policy=after), author=who)
        (one,) = (
            d
            for d in check_change(made, all_rules())
            if d.code == code and "storey_coach" in d.path
        )
        return one

    assert found(waiver, waiver).waived == "I say so."
    assert found(waiver, "").waived == "I say so."
    brought = found("", waiver)
    assert (brought.waived, brought.severity) == (None, ERROR)
    assert brought.message.endswith(
        "the waiver in registry/policy.toml is not applied to the change it comes with"
    )
    assert "not applied" not in found("", "").message
