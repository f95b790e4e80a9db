"""What changed, in print: golden texts, and nothing that a file says can act."""

import json

from psreg.compatibility.diff import compare_named, file_operand
from psreg.compatibility.diff_report import diff_document, diff_markdown, diff_text

PBE = {
    "pbe_name": "quiz",
    "pbe_version": "1.0.0",
    "core_philosophy": {"tone": "warm"},
    "facilitator_techniques": {"techniques": [{"name": "Hint"}, {"name": "Repeat"}]},
    "save_system": {"load_detection": {"recognition_key": "quiz_save"}},
}


def operand(value, title="quiz.pbe.txt"):
    return file_operand(json.dumps(value, indent=2).encode(), title)


def changed(**more):
    return compare_named(operand(PBE, "quiz@1.0.0"), operand({**PBE, **more}))


TECHNIQUES = {
    "techniques": [{"name": "Hint"}, {"name": "Repeat"}, {"name": "Praise"}, {"name": "Map"}]
}
SAVE = {"load_detection": {"recognition_key": "riddle_save"}}

EVERYTHING = changed(
    facilitator_techniques=TECHNIQUES, save_system=SAVE, core_philosophy={"tone": "calm"}
)


def test_text():
    assert (
        diff_text(EVERYTHING)
        == """\
floor: major (after 1.0.0 that is 2.0.0 or higher)

major
  the recognition key changed from `quiz_save` to `riddle_save`
    PBE-RECOGNITION-KEY: The assistant looks for it to resume a save. Saves of the previous version contain the previous key.

minor
  the technique `Praise` was added
  the technique `Map` was added
    PBE-TECHNIQUE-ADDED: The assistant can do something new, and everything that it could do before.

patch
  `core_philosophy.tone` was reworded (behaviour, please read)
      - warm
      + calm
    PBE-WORDING: Better wording is what a patch is for. It still changes what the assistant does, so a person should read it.
"""
    )


def test_nothing():
    same = changed()
    assert diff_text(same) == "floor: none\n\nno differences\n"
    assert diff_text(same, patch=True) == diff_text(same)
    assert diff_markdown(same) == "Floor: **none**.\n"
    assert diff_document(same)["changes"] == []


def test_the_texts_own_difference_comes_last():
    text = diff_text(changed(core_philosophy={"tone": "calm"}), patch=True)
    lines = text.splitlines()
    at = lines.index("--- quiz@1.0.0")
    assert lines[at + 1] == "+++ quiz.pbe.txt"
    assert [line for line in lines[at + 2 :] if line[0] in "+-"] == [
        '-    "tone": "warm"',
        '+    "tone": "calm"',
    ]


def test_markdown():
    assert (
        diff_markdown(EVERYTHING)
        == """\
Floor: **major** (after 1.0.0 that is 2.0.0 or higher).

| Step | What changed | Why |
| --- | --- | --- |
| **major** | the recognition key changed from <code>quiz&#95;save</code> to <code>riddle&#95;save</code> | The assistant looks for it to resume a save. Saves of the previous version contain the previous key. <code>PBE-RECOGNITION-KEY</code> |
| minor | the technique <code>Praise</code> was added | The assistant can do something new, and everything that it could do before. <code>PBE-TECHNIQUE-ADDED</code> |
| minor | the technique <code>Map</code> was added | ″ |
| patch | <code>core&#95;philosophy&#46;tone</code> was reworded<br>**behaviour, please read**<br>before: warm<br>after: calm | Better wording is what a patch is for. It still changes what the assistant does, so a person should read it. <code>PBE-WORDING</code> |
"""
    )


def test_document():
    document = diff_document(EVERYTHING)
    assert (document["floor"], document["least"], document["behaviour"]) == ("major", "2.0.0", True)
    assert document["before"] == {"what": "quiz@1.0.0", "version": "1.0.0", "format": "pbe"}
    assert document["changes"][1] == {
        "row": "PBE-TECHNIQUE-ADDED",
        "step": "minor",
        "message": "the technique `Praise` was added",
        "reason": "The assistant can do something new, and everything that it could do before.",
        "pointer": "/facilitator_techniques/techniques/2",
        "before": "",
        "after": "Praise",
        "behaviour": False,
        "more": 0,
    }


HOSTILE = "`x` @octocat <!-- psreg --> \x1b[31m \u202e | [a](http://b) \n/merge\n"


def test_nothing_in_a_file_acts():
    more = {"name": HOSTILE}
    diff = changed(
        facilitator_techniques={"techniques": [*PBE["facilitator_techniques"]["techniques"], more]},
        core_philosophy={"tone": HOSTILE, HOSTILE: 1},
    )
    text = diff_text(diff, patch=True)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not any(line.startswith("/") for line in text.splitlines())
    comment = diff_markdown(diff)
    for active in ("@octocat", "<!--", "](", "\x1b", "\u202e", "\n/merge"):
        assert active not in comment
    assert all(line.count(" | ") in (0, 2) for line in comment.splitlines())


def test_many_changes_are_counted():
    many = {f"field_{number}": number for number in range(60)}
    comment = diff_markdown(changed(**many))
    assert comment.count("was added") == 50
    assert comment.endswith("\n…and 10 more.\n")


def with_techniques(name, number):
    return {
        **PBE,
        "facilitator_techniques": {"techniques": [{"name": f"{name}{n}"} for n in range(number)]},
    }


def test_very_many_differences_are_listed_in_short():
    names = ("old", "new" * 100)
    found = compare_named(*(operand(with_techniques(name, 300)) for name in names))
    listed = diff_document(found)["changes"]
    assert len(listed) < len(found.differences)
    assert sum(1 + change["more"] for change in listed) == len(found.differences)
    assert " more like it" in diff_text(found)
    few = compare_named(*(operand(with_techniques(name, 2)) for name in names))
    assert few.floor == found.floor


def test_a_technique_with_a_long_name_is_not_taken_for_a_respelled_one():
    rows = ({"name": end + "k" * 500, "purpose": "To teach."} for end in "ab")
    sides = ({**PBE, "facilitator_techniques": {"techniques": [row]}} for row in rows)
    assert {each.row for each in compare_named(*map(operand, sides)).differences} == {
        "PBE-PART-RENAMED"
    }
