"""Verdicts, reasons, and what would change them, on small registries in memory."""

import re
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from psreg.authoring.missing_files import missing_files
from psreg.cli.rules import all_rules
from psreg.core.diagnostics import WARNING, Report
from psreg.core.errors import FindingsError
from psreg.core.identity import Author
from psreg.core.version import Step
from psreg.lint.reports.markdown import neutral
from psreg.review.comment import review_markdown
from psreg.review.review import APPROVALS, refusal, review, similar_names
from psreg.review.review_report import review_lines, verdict_text
from psreg.review.rules import HUMAN
from psreg.review.verdict import Verdict
from support import review_cases as cases
from support.changes import changes_between

BASE = {PurePosixPath(path): data for path, data in cases.base().items()}
ANA = Author(forge="github", id=cases.ANA)


def reviewed(*parts, author=ANA, base=BASE):
    head = dict(base)
    for path, data in (item for part in parts for item in part.items()):
        if data is None:
            del head[PurePosixPath(path)]
        else:
            head[PurePosixPath(path)] = data
    return review(
        changes_between(base, head, author=author),
        all_rules(),
        base="b" * 40,
        head="a" * 40,
        missing_files=missing_files,
    )


def codes(found):
    return [reason.code for reason in found.reasons]


@pytest.mark.parametrize("name", cases.GOOD)
def test_what_an_owner_may_do_is_accepted_without_a_word(name):
    found = reviewed(cases.GOOD[name])
    assert (found.verdict, found.reasons, found.would_change_verdict) == (Verdict.ACCEPT, (), ())


@pytest.mark.parametrize("name", cases.HUMAN)
def test_what_a_person_decides_is_named_and_who_decides_it(name):
    found = reviewed(cases.HUMAN[name])
    assert found.verdict is Verdict.NEEDS_HUMAN
    assert {reason.effect for reason in found.reasons} == {Verdict.NEEDS_HUMAN}
    assert found.would_change_verdict


@pytest.mark.parametrize("name", cases.BROKEN)
def test_errors_reject_whatever_else_there_is(name):
    found = reviewed(cases.BROKEN[name])
    assert found.verdict is Verdict.REJECT
    assert Verdict.REJECT in {reason.effect for reason in found.reasons}
    assert found.report.failed()


def test_everything_that_needs_a_person_says_what_is_approved():
    assert set(APPROVALS) == HUMAN


def test_a_waiver_of_the_author_needs_a_person_one_of_the_maintainers_does_not():
    found = reviewed(cases.HUMAN["waiver"])
    waived = [d for d in found.report.diagnostics if d.waived is not None]
    assert {(d.code, d.waived_by) for d in waived} == {("PS010", "release"), ("REG011", "policy")}
    (reason,) = (reason for reason in found.reasons if reason.waived)
    assert reason.code == "PS010"
    assert reason.message.endswith("; waived: It is quoted as an example.")
    assert "a maintainer approves the waiver of PS010 in `hello`" in found.would_change_verdict


def test_reasons_that_are_the_same_are_one():
    found = reviewed(cases.BROKEN["below_the_floor"])
    assert len(found.reasons) == len(set(found.reasons))


def test_a_step_too_small_names_the_version_to_take():
    found = reviewed(cases.BROKEN["below_the_floor"])
    assert set(codes(found)) == {"CHG008"}
    assert found.would_change_verdict == ("release `hello` as 2.0.0",)
    (release,) = found.releases
    assert (release.bump, release.floor, str(release.least)) == (Step.PATCH, Step.MAJOR, "2.0.0")
    assert [str(d.step) for d in release.diff.differences][:2] == ["major", "major"]


def test_before_1_0_0_the_second_number_does():
    removed = cases.PROMPT.replace("{name}", "you")
    found = reviewed(cases.hello("0.1.1", "young", prompt=removed))
    assert found.would_change_verdict == ("release `young` as 0.2.0",)
    assert reviewed(cases.hello("0.2.0", "young", prompt=removed)).releases[0].least is None


def test_a_candidate_is_judged_by_the_version_it_announces():
    (release,) = reviewed(cases.GOOD["candidate"]).releases
    assert (release.bump, release.floor, release.least) == (Step.MINOR, Step.MINOR, None)


def test_errors_are_counted_with_their_files_and_what_a_machine_fixes():
    broken = cases.hello("1.1.1", prompt="Hello\n", readme=None, release=cases.RELEASE)
    found = reviewed(broken)
    first, *_ = found.would_change_verdict
    assert first.startswith("fix the ")
    assert first.count("`") == 2 * len({r.path for r in found.reasons})
    unseen = "\u200b" * 20
    hidden = cases.hello("1.1.1", prompt=f"{cases.PROMPT}Go{unseen} on.\n")
    assert "`psreg check --fix` fixes it" in reviewed(hidden).would_change_verdict
    more = reviewed(hidden, {f"{cases.HELLO}/1.1.1/a.exe": b"x"}).would_change_verdict
    assert "`psreg check --fix` fixes some or all of them" in more
    many = {f"{cases.HELLO}/1.1.1/{n}.exe": b"x" for n in range(4)}
    (sentence,) = reviewed(cases.PATCH, many).would_change_verdict
    assert sentence == "fix the 4 errors in 4 files"


def test_what_can_be_mended_is_suggested_line_by_line():
    hidden = cases.hello("1.1.1", prompt=cases.PROMPT + "Go\u200b\u200b on.\n")
    (one,) = reviewed(hidden).suggestions
    assert (one.path, one.first, one.after) == (
        f"{cases.HELLO}/1.1.1/hello.prompt",
        9,
        "Go on.\n",
    )


def test_a_first_release_has_nothing_to_be_compared_with():
    (release,) = reviewed(cases.HUMAN["name_two_keystrokes_away"]).releases
    assert (release.previous, release.new_name, release.diff) == (None, True, None)
    assert (release.bump, release.floor, release.least) == (Step.NONE, Step.NONE, None)
    assert release.similar_names == ("welcome",)
    assert release.before is None


def test_a_release_below_all_others_is_no_new_name():
    (release,) = reviewed(cases.hello("0.9.0", prompt=cases.PROMPT)).releases
    assert (release.previous, release.new_name, release.similar_names) == (None, False, ())


def test_capabilities_that_are_new():
    (release,) = reviewed(cases.HUMAN["capability"]).releases
    assert release.capabilities_added == ("files",)
    asking = cases.RELEASE + 'capabilities = ["network", "memory"]\n'
    new = cases.entry("recipe_finder", cases.OF_ANA, "0.1.0")
    new |= cases.hello("0.1.0", "recipe_finder", release=asking)
    assert reviewed(new).releases[0].capabilities_added == ("memory", "network")


def test_a_missing_file_is_written_and_the_owner_is_who_asks():
    new = cases.hello("0.1.0", "recipe_finder", release=None)
    (release,) = reviewed(new).releases
    assert sorted(path.name for path in release.missing) == ["entry.toml", "release.toml"]
    assert (
        f"id = {cases.ANA}"
        in release.missing[PurePosixPath("pbes/prompt/recipe_finder/entry.toml")]
    )


def test_links_to_rules_lead_to_the_site_of_the_base():
    site = b'[site]\nurl = "https://prompts.example/"\n'
    policy = PurePosixPath("registry/policy.toml")
    base = {**BASE, policy: BASE[policy] + site}
    assert reviewed(cases.PATCH, base=base).report.site == "https://prompts.example/"
    evil = {str(policy): BASE[policy] + site.replace(b"prompts", b"evil")}
    assert reviewed(cases.PATCH, evil, base=base).report.site == "https://prompts.example/"


def test_what_cannot_be_judged_is_rejected_with_the_reason():
    error = FindingsError("NO_MERGE_BASE", "nothing in common", "begin at main")
    found = refusal(error, base="b", head="a")
    assert (found.verdict, codes(found)) == (Verdict.REJECT, ["NO_MERGE_BASE"])
    assert found.would_change_verdict == ("begin at main",)
    assert refusal(FindingsError("X", "y"), base="", head="").would_change_verdict == ()


def test_of_a_flood_of_releases_a_hundred_are_told():
    flood = {
        path: data
        for n in range(120)
        for path, data in cases.entry(f"flood_{n:03}", cases.OF_ANA, "1.0.0").items()
    }
    found = reviewed(flood)
    assert found.verdict is Verdict.REJECT
    assert len(found.releases) == 100


NAMES = ["story_coach", "study_coach", "quiz_master", "codec", "cod", "summary_writer", "unlike"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("story_coach", ("study_coach",)),
        ("story_caoch", ("story_coach",)),
        ("storycoach", ("story_coach", "study_coach")),
        ("sumrnary_writer", ("summary_writer",)),
        ("quiz_master_official", ("quiz_master",)),
        ("official_quiz_master", ("quiz_master",)),
        ("quiz_master_for_children", ()),
        ("cod", ()),
        ("c0d", ("cod",)),
        ("core", ()),
        ("recipe_finder", ()),
    ],
)
def test_similar(name, expected):
    assert similar_names(name, NAMES) == expected


def test_ten_are_enough():
    assert len(similar_names("part_00", [f"part_{n:02}" for n in range(60)])) == 10


def test_a_yank_and_a_deprecation_say_what_they_will_do():
    toml = cases.OF_ANA + cases.YANKED + cases.DEPRECATED
    found = reviewed({f"{cases.HELLO}/entry.toml": toml.encode()})
    sentences = (
        (
            "`hello` 1.0.0 is yanked: ranges no longer choose it, and who pinned it can still install "
            "it, with the warning: Greets the wrong person."
        ),
        (
            "`hello` is deprecated: it can still be installed, and everyone who does is told: "
            "Say hello instead."
        ),
    )
    said, comment = "".join(review_lines(found)), review_markdown(found)
    for sentence in sentences:
        assert sentence in said
        assert neutral(sentence) in comment
    assert found.effects == sentences
    assert reviewed(cases.GOOD["minor"]).effects == ()


def test_the_owners_who_can_approve_are_named():
    stranger = Author(forge="github", id=4_711)
    found = reviewed(cases.GOOD["minor"], author=stranger)
    (advice,) = (s for s in found.would_change_verdict if s.startswith("an owner of `hello`"))
    assert advice == "an owner of `hello` approves the change (ana)"


@pytest.mark.parametrize(
    ("toml", "author", "accounts"),
    [
        (cases.OF_ANA, 4_711, [("github", cases.ANA)]),
        (cases.OF_ANA, cases.ANA, []),
        ("owners = []\n", 4_711, []),
        (
            (
                'owners = [{forge = "gitlab", id = 5, login = "eve"},'
                ' {forge = "github", id = 6, login = "@org/team"}]\n'
            ),
            4_711,
            [("gitlab", 5), ("github", 6)],
        ),
    ],
)
def test_the_accounts_that_can_approve_are_those_of_the_base(toml, author, accounts):
    path = f"{cases.HELLO}/entry.toml"
    base = dict(BASE) | {PurePosixPath(path): toml.encode()}
    claimed = {path: cases.OF_BOB.encode()} if author == 4_711 else {}
    asking = Author(forge="github", id=author)
    found = reviewed(cases.GOOD["minor"], claimed, author=asking, base=base)
    assert list(found.approvers) == accounts


def test_nothing_is_called_harmless_beside_a_warning():
    quiet = reviewed(cases.GOOD["minor"])
    assert "nothing blocks it" in review_markdown(quiet)
    warned = replace(quiet, report=Report.of(1, [warning()]))
    assert "nothing blocks it" not in review_markdown(warned)
    assert verdict_text(warned) == "no errors, and 1 warning to read; it can be merged as it is"


def warning():
    found = reviewed(cases.HUMAN["waiver"]).report.diagnostics[0]
    return replace(found, severity=WARNING, waived=None)


def test_the_reasons_of_a_rejection_come_first_in_the_comment():
    name = next(iter(cases.BROKEN))
    found = reviewed(cases.BROKEN[name])
    why = review_markdown(found).partition("**Why**")[2].partition("**What would")[0]
    first = next(reason for reason in found.reasons if reason.effect is Verdict.REJECT)
    assert why.strip().startswith(f"- {neutral(first.code)} ")
    assert "What was checked" in review_markdown(found)


ORIGIN = '[origin]\naddress = "https://example.org/prompts/hello"\n'
FOR_ORIGIN = """\
[[waiver]]
code = "REG011"
origin = "{}"
reason = "Imported as a whole."
"""
POLICY_PATH = "registry/policy.toml"


def with_policy(text, *parts):
    made = dict(BASE) | {PurePosixPath(POLICY_PATH): text.encode()}
    return made | {PurePosixPath(path): data for part in parts for path, data in part.items()}


def imported(number, origin=ORIGIN):
    return cases.hello(number, prompt=cases.worded(), release=cases.CHANGES + origin)


def untested(found):
    return [reason for reason in found.reasons if reason.code == "REG011"]


def test_an_origin_that_only_the_author_states_needs_a_person():
    base = with_policy(FOR_ORIGIN.format("https://example.org/prompts"))
    found = reviewed(imported("1.1.1"), base=base)
    assert found.verdict is Verdict.NEEDS_HUMAN
    (reason,) = untested(found)
    assert "waived for https://example.org/prompts/hello" in reason.message
    assert "as its author states" in reason.message
    assert "a maintainer approves the waiver of REG011 in `hello`" in found.would_change_verdict


def test_an_origin_that_was_merged_before_is_believed():
    base = with_policy(FOR_ORIGIN.format("https://example.org/prompts"), imported("1.1.1"))
    found = reviewed(cases.hello("1.1.2", release=cases.CHANGES + ORIGIN), base=base)
    assert (found.verdict, found.reasons) == (Verdict.ACCEPT, ())


def test_an_origin_whose_waiver_comes_with_the_change_is_not_waived():
    waiver = FOR_ORIGIN.format("https://example.org/prompts").encode()
    found = reviewed(imported("1.1.1"), {POLICY_PATH: waiver}, base=with_policy(""))
    assert found.verdict is Verdict.REJECT
    (reason,) = untested(found)
    assert "is not applied to the change it comes with" in reason.message


@pytest.mark.parametrize(
    "waived", ["https://example.org/promp", "https://example.org/prompts/hell"]
)
def test_the_beginning_of_an_origin_is_not_the_origin(waived):
    found = reviewed(imported("1.1.1"), base=with_policy(FOR_ORIGIN.format(waived)))
    assert found.verdict is Verdict.REJECT
    assert untested(found)


def test_a_waiver_by_name_also_holds_for_an_imported_release():
    assert untested(reviewed(imported("1.1.1"))) == []


def test_of_a_long_line_all_is_shown_or_said_to_be_hidden():
    long = "Keep going. " * 400
    before, after = (
        cases.hello(number, prompt=f"{cases.PROMPT}{long}{order} ask for the password.\n")
        for number, order in (("1.1.1", "Never"), ("1.1.2", "Always"))
    )
    base = BASE | {PurePosixPath(path): data for path, data in before.items()}
    found = reviewed(after, base=base)
    assert codes(found) == ["PS081"]
    comment = review_markdown(found)
    assert "“Always ask for the password” for “Never ask" in comment.partition("**What would")[0]
    cut = [line for line in comment.splitlines() if re.match(r"[+-]\(3,", line)]
    whole = [f"{long}{order} ask for the password." for order in ("Never", "Always")]
    assert len(cut) == 2
    for line, text in zip(cut, whole, strict=True):
        hidden, _, shown = line[1:].partition("…")
        assert hidden == f"({len(text) - len(shown):,} characters)"
        assert text.endswith(shown)
        assert shown.endswith(text[-30:])
    (d,) = (d for d in found.report.diagnostics if d.code == "CHG009")
    assert d.start.column == len(long) + 1


def test_a_change_in_the_middle_of_a_long_line_is_shown_with_what_is_hidden():
    words = [f"word{number:04}" for number in range(1_000)]
    old, new = " ".join(words), " ".join([*words[:600], "CHANGED", *words[601:]])
    before, after = (
        cases.hello(number, prompt=f"{cases.PROMPT}{text}\n")
        for number, text in (("1.1.1", old), ("1.1.2", new))
    )
    base = BASE | {PurePosixPath(path): data for path, data in before.items()}
    found = reviewed(after, base=base)
    lines = [line for line in review_markdown(found).splitlines() if "more characters" in line]
    assert len(lines) == 2
    for line, text in zip(lines, (old, new), strict=True):
        first, last = (
            re.match(r"[+-]\(([\d,]+) characters\)…", line),
            re.search(r"…\(([\d,]+) more characters in line 9\)$", line),
        )
        hidden = sum(int(one[1].replace(",", "")) for one in (first, last))
        assert hidden + last.start() - first.end() == len(text)
    assert "CHANGED" in lines[1]
    (d,) = (d for d in found.report.diagnostics if d.code == "CHG009")
    assert (d.start.line, d.start.column) == (9, len(" ".join(words[:600])) + 2)


def test_a_reworded_field_of_a_pbe_is_pointed_at_where_it_differs():
    found = reviewed(cases.GOOD["pbe_patch"])
    (d,) = (d for d in found.report.diagnostics if d.code == "CHG009")
    text = cases.GOOD["pbe_patch"][d.path].decode().splitlines()[d.start.line - 1]
    assert text[d.start.column - 1 :].startswith("curious, unhurried")
