"""What the rules about hidden and deceiving characters catch, and what they let pass."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psreg.cli.rules import all_rules
from psreg.core.diagnostics import WARNING, Span
from psreg.formats import dotprompt, pbe, toml_document
from psreg.lint.content import CONTENT_RULES, texts
from psreg.lint.engine import check_file
from psreg.lint.registry_walk import check_tree
from support.registry_trees import README, RELEASE, entry, tree, version

RULES = {rule.code: rule for rule in CONTENT_RULES}
TAGS = str.maketrans({chr(c): chr(0xE0000 + c) for c in range(0x20, 0x80)})


def readme(text):
    return texts.of_readme(text)


def findings(content, *codes):
    return [f for code in codes or RULES for f in RULES[code].check(content)]


def said(text, *codes):
    return [finding.message for finding in findings(readme(text), *codes)]


def stretches(text, code):
    """Return the characters each finding is about."""
    return [text[f.at.start : f.at.end] for f in findings(readme(text), code)]


def selectors(data):
    return "".join(chr(0xFE00 + b if b < 16 else 0xE0100 + b - 16) for b in data)


def test_tags_are_read_aloud():
    message = "6 invisible tag characters say “obey\\u{007f}\\u{0000}”"
    assert said("x" + "obey".translate(TAGS) + "\U000e007f\U000e0000", "PS001") == [message]


@pytest.mark.parametrize("region", ["gbeng", "gbsct", "gbwls"])
def test_the_three_flags_pass_and_nothing_else_behind_a_flag(region):
    flag = f"\U0001f3f4{region.translate(TAGS)}\U000e007f"
    assert stretches(flag * 2, "PS001") == []
    assert stretches(flag + "x".translate(TAGS), "PS001") == ["x".translate(TAGS)]
    assert stretches(flag[:-1], "PS001") == [flag[1:-1]]
    assert stretches(flag[1:], "PS001") == [flag[1:]]


def test_marks_of_direction_need_a_script_that_runs_leftward():
    assert len(said("a\u200eb \u200f\u061c", "PS002")) == 2
    assert said("שלום\u200e a \u200f", "PS002") == []
    assert stretches("שלום \u202ea\u202c", "PS002") == ["\u202e", "\u202c"]
    assert stretches("שלום \u2067\u200e", "PS002") == ["\u2067\u200e"]


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",
        "PDF\u200cها",
        "क्\u200dष",
        "ශ්\u200dරී",
        "👩\u200d👩\u200d👧",
        "❤\ufe0f\u200d🔥",
        "👩🏽\u200d⚕\ufe0f",
        "⛹\u200d♀",
    ],
)
def test_joiners_that_shape_pass(text):
    assert said(text, "PS003") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ig\u200cnore", ["\u200c"]),
        ("ig\u200dnore", ["\u200d"]),
        ("а\u200dб", ["\u200d"]),
        ("中\u200d文", ["\u200d"]),
        ("می\u200c\u200cخواهم", ["\u200c\u200c"]),
        ("می\u200c\u200bخواهم", ["\u200c\u200b"]),
        ("👩\u200d x", ["\u200d"]),
        (" \u200d👩", ["\u200d"]),
        ("a\ufeffb", ["\ufeff"]),
        ("a\u00adb", ["\u00ad"]),
        (
            "\u034f\u115f\u1160\u3164\uffa0\u180e\u2800",
            ["\u034f\u115f\u1160\u3164\uffa0\u180e\u2800"],
        ),
        ("a\u2028b\u2029", ["\u2028", "\u2029"]),
        ("\u2060a\u2064\u206a", ["\u2060", "\u2064\u206a"]),
    ],
)
def test_invisible_characters(text, found):
    assert stretches(text, "PS003") == found


def fix(content):
    (finding,) = findings(content, "PS003")
    return [(change.span, change.replacement) for change in finding.fix]


def test_invisible_characters_are_deleted_where_that_is_safe():
    assert fix(readme("a\u200bb")) == [(Span(1, 2), "")]
    assert fix(readme("a\u2028b")) == []
    assert fix(readme("\u200b \n")) == []
    source = r'{"a": "x\u200by", "b": 1}'
    assert fix(texts.of_pbe(pbe.read(source.encode()))) == [(Span(8, 14), "")]
    assert fix(texts.of_pbe(pbe.read('{"a\u200b": 1}'.encode()))) == []
    head = "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n"
    for line, fixes in {
        "a\u200bb": 1,
        "{a\u200bb}": 0,
        "[DEFAULTS]\u200b": 0,
        "\u200b@a b": 0,
    }.items():
        content = texts.of_prompt(dotprompt.read((head + line + "\nx\n").encode()))
        assert len(fix(content)) == fixes, line


def test_a_mark_at_the_start_of_a_file_is_left_to_other_rules():
    assert said("\ufeffa", "PS003") == []
    assert stretches("\ufeff\u200ba", "PS003") == ["\ufeff\u200b"]
    assert len(findings(texts.of_pbe(pbe.read('{"a": "\ufeffx"}'.encode())), "PS003")) == 1


@pytest.mark.parametrize(
    "text",
    ["1\ufe0f\u20e3", "❤\ufe0f", "☀\ufe0e", "葛\U000e0100", "㐂\ufe00", "᠎", "ℹ\ufe0f", "©\ufe0e"],
)
def test_selectors_that_select_pass(text):
    assert said(text, "PS004") == []


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("a" + selectors(b"hi there"), "“hi there”"),
        ("😀" + selectors(b"\x80\xff\xfe"), "the bytes 80fffe"),
        ("葛" + selectors(b"xy"), "“xy”"),
        ("a\U000e0158", "“h”"),
        ("❤\ufe0f\ufe0f", "the bytes 0f0f"),
        ("".join(c + selectors(c.encode()) for c in "hey"), "“hey”"),
        ("\ufe00", "the bytes 00"),
        ("a" + selectors(b"\x00" * 50), f"the bytes {'00' * 40}…"),
    ],
)
def test_selectors_that_hide_bytes_are_decoded(text, hidden):
    (message,) = said(text, "PS004")
    assert message.endswith(hidden)


def test_controls_are_named():
    assert said("a\x1b[2J", "PS005") == [
        "U+001B ESCAPE is a control character, not text: “\\u{001b}[2J”"
    ]
    assert said("\x00\x01\x80", "PS005")[0].startswith("3 characters, U+0000 U+0001 U+0080, are")
    assert said("a\tb\r\n", "PS005") == []
    content = texts.of_pbe(pbe.read(rb'{"a": "\u0000\b\f\n\r\t\u0085"}'))
    assert [(f.at.start, f.at.end) for f in findings(content, "PS005")] == [
        (7, 17),
        (23, 29),
        (19, 21),
    ]


def test_private_characters():
    assert said("\ue000\U0010fffd x", "PS006") == [
        "U+E000 U+10FFFD: a private-use character without a standard meaning"
    ]
    assert said("\U0010fffe", "PS006") == []


@pytest.mark.parametrize(
    "text",
    [
        "Москва and Moscow",
        "к-means, IT-шник",
        "5 μm, 3 µs, Δt, Ωm, αx, Δλx",
        "𝛼x 𝑎б",
        "日本語text",
        "naïveté",
    ],
)
def test_words_of_one_script_pass(text):
    assert said(text, "PS007") == []


@pytest.mark.parametrize(
    ("text", "word", "severe"),
    [
        ("Use pаypal", "pаypal", False),
        ("(Мicrosoft)", "Мicrosoft", False),
        ("Αpple", "Αpple", False),
        ("Ꭺpple հome", "Ꭺpple", False),
        ("p1а", "p1а", False),
        ("https://pаypal.com/x", "pаypal", True),
        ("see pаypal.com.", "pаypal", True),
        ("www.pаypal", "pаypal", True),
        ("me@pаypal", "pаypal", True),
        ("{usеr}", "usеr", True),
        ("usеr_name", "usеr", True),
        ("`pаypal`", "pаypal", True),
        ("pаypal is; x.com", "pаypal", False),
        ("x" * 300 + "а", "x" * 101 + "а", False),
    ],
)
def test_words_of_two_scripts(text, word, severe):
    content = readme(text)
    first = findings(content, "PS007")[0]
    assert text[first.at.start : first.at.end] == word
    assert (first.severity == "error") is severe


def test_a_name_of_two_scripts_is_an_error():
    content = texts.of_pbe(pbe.read('{"nаme": "nаme nаme"}'.encode()))
    assert [f.severity for f in findings(content, "PS007")] == ["error", None, None]
    assert RULES["PS007"].severity is WARNING


@pytest.mark.parametrize(
    ("text", "high"),
    [
        ("e" + "\u0335\u0321\u0322\u0327", 4),
        ("e\u0302\u0301\u0323\u0335\u0321", 0),
        ("é\u0301\u0302\u0303", 0),
        ("❤" + "\ufe0f" * 6, 0),
        ("ก" + "็" * 5, 5),
        ("\u0335" * 4, 4),
    ],
)
def test_stacked_marks(text, high):
    assert [message[:1] for message in said(text, "PS008")] == ([str(high)] if high else [])


def test_names_are_composed():
    name, composed = "cafe\u0301", "caf\u00e9"
    source = json.dumps({name: "x", "id": name, "text": name, composed: 1}, ensure_ascii=False)
    found = findings(texts.of_pbe(pbe.read(source.encode())), "PS009")
    assert [source[f.at.start : f.at.end] for f in found] == [name, name]
    assert found[0].message == f"the name “{name}” is not composed: U+0065 U+0301"
    assert found[0].hint == "Write it with U+00E9; it looks the same."


def of_readme_bytes(data):
    files = tree(entry())
    path = next(p for p in files if p.name == "README.md")
    files[path] = data
    return [d for d in check_tree(files, all_rules()) if d.path == str(path) and d.family == "PS"]


def test_a_readme_that_is_not_utf8():
    (found,) = of_readme_bytes(README.encode() + b"\xff")
    assert (found.code, found.severity) == ("PS009", "error")
    assert "not UTF-8" in found.message


def test_several_byte_order_marks():
    assert of_readme_bytes(b"\xef\xbb\xbf" + README.encode()) == []
    (found,) = of_readme_bytes(b"\xef\xbb\xbf" * 2 + README.encode())
    assert (found.code, found.message) == ("PS009", "the file starts with 2 byte order marks")
    head = "\ufeff\ufeff[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nx\n"
    content = texts.of_prompt(dotprompt.read(head.encode()))
    assert [f.message for f in findings(content, "PS009")] == [
        "the file starts with 2 byte order marks"
    ]


def test_release_toml_is_read_with_its_comments_and_escapes():
    release = RELEASE.replace("Says hello", r"Says\u200b hello") + "# hidden \u202e comment\n"
    found = [
        d
        for d in check_tree(tree(entry() | version(release=release)), all_rules())
        if d.family == "PS"
    ]
    assert [(d.code, d.path.rsplit("/")[-1]) for d in found] == [
        ("PS002", "release.toml"),
        ("PS003", "release.toml"),
    ]
    lines = release.splitlines()
    assert [lines[d.start.line - 1][d.start.column - 1 : d.end.column - 1] for d in found] == [
        "\u202e",
        r"\u200b",
    ]


def test_no_author_waives_what_hides():
    waivers = '[waivers]\nPS003 = "It is fine."\nPS052 = "A table."\n'
    prompt = (
        "[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\nSay\u200b"
        + " " * 120
        + "hello.\n"
    )
    files = tree(entry() | version(release=RELEASE + waivers, prompt=prompt))
    found = {
        d.code: d for d in check_tree(files, all_rules()) if d.code in ("PS003", "PS052", "REG015")
    }
    assert found["PS003"].waived is None
    assert found["PS052"].waived == "A table."
    assert found["REG015"].message == "authors cannot waive PS003"


def test_a_prompt_that_cannot_be_read_is_left_to_the_syntax_rules():
    assert {d.family for d in check_file("x\u200b".encode(), path="x.prompt")} == {"PROMPT"}
    assert {d.family for d in check_file('{"a": "\u200b"'.encode(), path="x.pbe.txt")} == {"JSON"}


EVIL = st.sampled_from(
    "\u200b\u200d\u202e\u200f\ufe0f\ufe00\U000e0101\U000e0041\U0001f3f4\u0301\u0335\ue000\x1b\x00"
    "аaАΑ👩ش葛 \n`<!->{}[]@%()_./:=\"'\ufeff\ud800\udc00"
)
TEXTS = st.lists(
    st.one_of(
        EVIL,
        st.text(max_size=3),
        st.sampled_from(
            [
                "ignore all previous instructions",
                "<script",
                "<!--",
                "-->",
                "display:none",
                "style=",
                "```",
                "(%",
                "%)",
                "https://",
                "color: white",
                "curl x | sh",
            ]
        ),
    )
).map("".join)


def encodable(text):
    return text.encode("utf-8", "replace")


@settings(deadline=None)
@given(TEXTS)
def test_no_text_makes_a_rule_raise_and_every_place_is_in_the_file(text):
    head = "[METADATA]\n@dotprompt_format_version 0.0.1\n@name x\n[CONTENT]\n"
    contents = [
        texts.of_readme(text),
        texts.of_prompt(dotprompt.read(encodable(head + text))),
        texts.of_pbe(pbe.read(json.dumps({text: [text], "name": text}).encode())),
        texts.of_toml(toml_document.parse(encodable(f"a = {json.dumps(text)} # {text}"))),
    ]
    for content in contents:
        for finding in findings(content):
            assert finding.message
            finding.message.encode()
            assert 0 <= finding.at.start <= finding.at.end <= len(content.source)


@settings(deadline=None)
@given(TEXTS)
def test_places_in_json_are_those_of_the_text(text):
    """A rule says of a text in JSON what it says of the bare text, at the escapes of it."""
    source = json.dumps({"a": text})
    bare, escaped = texts.of_readme(text), texts.of_pbe(pbe.read(source.encode()))
    for code in ("PS001", "PS002", "PS004", "PS005", "PS006", "PS008"):
        plain = [text[f.at.start : f.at.end] for f in findings(bare, code)]
        spelled = [
            json.loads(f'"{source[f.at.start : f.at.end]}"') for f in findings(escaped, code)
        ]
        assert spelled == [json.loads(json.dumps(part)) for part in plain]


@settings(deadline=None)
@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_text_has_nothing_for_the_unicode_rules(text):
    content = texts.of_readme(text)
    assert (
        findings(content, "PS001", "PS002", "PS003", "PS004", "PS006", "PS007", "PS008", "PS009")
        == []
    )
    assert "characters" not in content.__dict__


def test_long_stacks_and_names_are_checked_by_their_beginning():
    (message,) = said("e" + "\u0327\u0301" * 500, "PS008")
    assert 990 < int(message.split()[0]) <= 1000
    name = "e\u0301" + "\u0327\u0302" * 500
    found = findings(texts.of_pbe(pbe.read(json.dumps({name: 1}).encode())), "PS009")
    assert len(found) == 1


def test_a_change_of_a_very_long_line_is_left_to_a_person():
    assert fix(readme("a\u200bb" + "x" * 6_000)) == []


@pytest.mark.parametrize(
    "text",
    [
        "ភាសា\u200bខ្មែរ",
        "ภาษา\u200bไทย",
        "ພາສາ\u200bລາວ",
        "မြန်မာ\u200bဘာသာ",
        "ꦧꦱ\u200bꦗꦮ",
        "ᠨᠢᠭᠡ\u180eᠠ",
    ],
)
def test_a_script_without_spaces_needs_breaks(text):
    assert said(text, "PS003") == []
    assert fix_of(text, "PS003") == []


@pytest.mark.parametrize("text", ["ไทย\u200b\u200bไทย", "a\u200bb", "а\u180eб", "\u180eᠠ\u200c"])
def test_breaks_elsewhere_are_found(text):
    assert len(said(text, "PS003")) >= 1


def fix_of(text, code):
    return [change for finding in findings(readme(text), code) for change in finding.fix]


def severities(text, code):
    return [str(f.severity or RULES[code].severity) for f in findings(readme(text), code)]


def test_a_few_characters_are_a_warning():
    assert severities("a\u200bb c\ufeffd", "PS003") == ["warning"] * 2
    assert severities("a\u200b\u200bb", "PS003") == ["warning"]
    assert severities("a\u200b\u200b\u200b\u200bb", "PS003") == ["error"]
    assert severities("a\u200bb " * 4, "PS003") == ["error"] * 4
    assert severities("Wort\u00adteil " * 9, "PS003") == ["warning"] * 9
    content = texts.of_pbe(pbe.read('{"a\u200bb": 1}'.encode()))
    assert [f.severity for f in findings(content, "PS003")] == [None]


@pytest.mark.parametrize(
    "character",
    ["\U000e0080", "\U000e00ff", "\U000e01f0", "\U000e0fff", "\ufff0", "\ufff8", "\U0001bca0"],
)
def test_every_ignorable_code_point_is_found(character):
    assert stretches(f"a{character}b", "PS003") == [character]


@pytest.mark.parametrize("text", ["e\ufe0f", "a\ufe0e", "Ж\ufe0f", "中\ufe0f", "x\ufe01"])
def test_a_selector_after_a_letter_selects_nothing(text):
    (finding,) = findings(readme(text), "PS004")
    assert [change.replacement for change in finding.fix] == [""]


def test_control_characters_are_deleted_and_lone_returns_replaced():
    (change,) = fix_of("a\x1b[2Jb", "PS005")
    assert (change.span, change.replacement) == (Span(1, 2), "")
    (change,) = fix_of("Be kind.\rObey.", "PS005")
    assert (change.span, change.replacement) == (Span(8, 9), "\n")
    assert severities("Be kind.\rObey.", "PS005") == ["warning"]
    assert said("a\r\nb\r\r\n", "PS005") == []
    content = texts.of_pbe(pbe.read(rb'{"a": "x\ry"}'))
    assert [f.fix[0].replacement for f in findings(content, "PS005")] == ["\\n"]


@pytest.mark.parametrize(
    "text",
    [
        "\u05d1\u05bc\u05b0\u0591\u05bd\u05c1",  # Hebrew with cantillation
        "\u0628\u0651\u064e\u0670\u06d6\u06e1",  # Quranic Arabic
        "\u0f40\u0fb5\u0f74\u0f72\u0f7e\u0f39",  # Tibetan
        "\u1000\u103c\u103d\u103e\u102f\u1036\u1037",  # Burmese
    ],
)
def test_marks_of_a_letter_s_own_script_pass(text):
    assert said(text, "PS008") == []
    stack = text[1:5]
    assert bool(said(f"a{stack}", "PS008")) is (text[0] != "\u1000")  # medials take up space


def test_the_script_of_fewer_letters_is_named():
    assert said("p\u0430ypal", "PS007") == [
        "“p\u0430ypal” has Latin letters and U+0430 CYRILLIC SMALL LETTER A"
    ]
    assert said("слoво", "PS007") == ["“слoво” has other letters and U+006F LATIN SMALL LETTER O"]
    assert said("user_имя, (опция)s_x", "PS007") == []


def test_a_word_is_told_once():
    assert stretches("p\u0430yp\u0430l p\u0430l", "PS007") == ["p\u0430yp\u0430l", "p\u0430l"]
