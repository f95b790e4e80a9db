"""Every offset in a segment leads back to the characters of the file that spell it."""

import json
import re
import tomllib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from psreg.core.diagnostics import Span
from psreg.formats import dotprompt, pbe, toml_document
from psreg.lint.content import texts
from psreg.lint.segments import Kind

LONE = st.characters(categories=["Cs"])
TEXTS = st.text(st.one_of(st.characters(), LONE, st.sampled_from('\\"\n\u200b😀\ud83d\ude00\x00')))


def of_value(value, **how):
    return texts.of_pbe(pbe.read(json.dumps(value, **how).encode("utf-8", "surrogatepass")))


def spelled(content, segment, start, end):
    span = segment.span(start, end)
    return content.source[span.start : span.end]


def test_a_pbe_has_a_segment_for_each_name_and_text():
    content = of_value({"a": "one", "b/~": ["two", {"c": "three"}, 4, None, True]})
    assert [(p.kind, p.pointer, p.text) for p in content.segments] == [
        (Kind.KEY, "/a", "a"),
        (Kind.VALUE, "/a", "one"),
        (Kind.KEY, "/b~1~0", "b/~"),
        (Kind.VALUE, "/b~1~0/0", "two"),
        (Kind.KEY, "/b~1~0/1/c", "c"),
        (Kind.VALUE, "/b~1~0/1/c", "three"),
    ]
    assert content.text == "a\none\nb/~\ntwo\nc\nthree"


def test_escapes_are_crossed_whole():
    source = r'{"k\u00e9y": "a\u0062\"\ud83d\ude00\n\/z"}'
    content = texts.of_pbe(pbe.read(source.encode()))
    key, value = content.segments
    assert (key.text, value.text) == ("kéy", 'ab"😀\n/z')
    assert spelled(content, key, 1, 2) == r"\u00e9"
    pieces = [spelled(content, value, at, at + 1) for at in range(len(value.text))]
    assert pieces == ["a", r"\u0062", r"\"", r"\ud83d\ude00", r"\n", r"\/", "z"]


@settings(deadline=None)
@given(st.dictionaries(TEXTS, TEXTS, max_size=4), st.booleans())
def test_spans_of_json_decode_to_what_they_stand_for(value, ascii_only):
    source = json.dumps(value, ensure_ascii=True)
    if not ascii_only and not re.search("[\ud800-\udfff]", "".join((*value, *value.values()))):
        source = json.dumps(value, ensure_ascii=False)
    content = texts.of_pbe(pbe.read(source.encode()))
    assert content.source == source
    for segment in content.segments:
        for at in range(len(segment.text)):
            assert json.loads(f'"{spelled(content, segment, at, at + 1)}"') == segment.text[at]
        whole = spelled(content, segment, 0, len(segment.text))
        assert json.loads(f'"{whole}"') == segment.text


@settings(deadline=None)
@example('"')
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_spans_of_toml_decode_to_what_they_stand_for(text):
    source = f"k = {json.dumps(text)}  # \\u0041 {chr(92)}".replace("\x7f", "")
    tree = toml_document.parse(source.encode())
    if not tree.parsed:  # JSON spells some characters in pairs, TOML has none of these
        return
    content = texts.of_toml(tree)
    (segment,) = content.segments
    start = len('k = "')  # a text of one quote is not the first quote
    assert segment.text.startswith(tree.value["k"], start)
    for at in range(start, start + len(tree.value["k"])):
        spelling = spelled(content, segment, at, at + 1)
        assert tomllib.loads(f'k = "{spelling}"')["k"] == segment.text[at]


def test_toml_decodes_long_escapes_and_leaves_what_is_none():
    source = "a = \"\\U0001F600\\b\\t\\f\\r\\\\\"\nb = '\\UFFFFFFFF'\n"
    content = texts.of_toml(toml_document.parse(source.encode()))
    assert content.segments[0].text == "a = \"😀\b\t\f\r\\\"\nb = '\\UFFFFFFFF'\n"
    assert not content.ascii
    plain = texts.of_toml(toml_document.parse(b"a = 1\n"))
    assert plain.ascii
    assert plain.segments[0].span(1, 2) == Span(1, 2)


def test_a_prompt_and_a_readme_are_read_whole():
    source = "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nHi (% note %)\n"
    content = texts.of_prompt(dotprompt.read(source.encode()), ("files",))
    assert (content.text, content.kind, content.capabilities) == (source, "prompt", ("files",))
    assert content.prompt is not None
    assert texts.of_readme("# Hi\n").segments[0].span(2, 4) == Span(2, 4)


@pytest.mark.parametrize(
    ("source", "is_ascii"),
    [
        ('{"a": "plain\\n"}', True),
        ('{"a": "\\u0041"}', True),
        ('{"a": "\\u200b"}', False),
        ('{"a": "é"}', False),
    ],
)
def test_ascii_means_the_decoded_text(source, is_ascii):
    assert texts.of_pbe(pbe.read(source.encode())).ascii is is_ascii


def test_what_does_not_parse_has_no_segments():
    content = texts.of_pbe(pbe.read(b"{"))
    assert content.segments == ()
    assert list(content.find(re.compile("x"))) == []


def test_find_searches_only_where_a_needle_is():
    content = of_value({"a": "Ignore", "b": ["ignore me", "no"]})
    word = re.compile("ignore", re.IGNORECASE)
    found = [(p.pointer, m.span()) for p, m in content.find(word, "ignore")]
    assert found == [("/a", (0, 6)), ("/b/0", (0, 6))]
    assert list(content.find(word, "absent")) == []
    assert list(content.find(re.compile("absent"))) == []


def test_code_is_known():
    text = "a `b` c\n```\nd `e`\n```\n`f"
    (segment,) = texts.of_readme(text).segments
    assert [text[s.start : s.end] for s in segment.code] == ["`b`", "```\nd `e`\n```\n"]
    assert segment.in_code(text.index("b"))
    assert not segment.in_fence(text.index("b"))
    assert segment.in_fence(text.index("d"))
    assert not segment.in_code(text.index("f"))


def test_characters_are_those_of_the_decoded_text():
    assert of_value({"a": "é\n"}).characters == frozenset("aé\n")


def test_a_text_of_many_words_has_the_same_marks():
    words = [f"word{number}" for number in range(6_000)]
    many, few = texts.of_readme(" ".join(words)), texts.of_readme(" ".join(words[:10]))
    assert few.marks <= many.marks
    assert {"wor", "word", "word5", "word5999"} <= many.marks


@pytest.mark.parametrize(
    "part", ["ig", "ignore ", "nore ", "rules", "s ", "äng", "you'", " ", "all "]
)
def test_words_are_found_in_a_long_text_where_they_are(part):
    text = "Ignore, all-rules! Signore Längs you're rules\nIGNORE " * 1_200
    where = texts.of_readme(text)
    assert where.is_long
    ends = part[:-1].isalnum() and part[-1] == " "
    said = re.sub(r"[^a-zäöüß0-9]", " ", text.lower()) if ends else text.lower()
    places = [m.start() for m in re.finditer(f"(?={part})", said.replace("\n", " "))]
    assert where.places(part) == places
    ((begin, end),) = where.blocks.parts(0b111000)
    assert where.places_in(0b111000, part) == [at for at in places if begin <= at < end]
    assert where.places_in((1 << 1_001) - 1, part) == places
    assert not texts.of_readme("ignore").is_long


MARKS = {
    "ignor": r"(?<![a-z0-9])ignor",
    "all": r"(?<![a-z0-9])all",
    "12": r"(?<![a-z0-9])12(?![a-z0-9])",
    "-": "-",
    "é": "é",
    "": "",
}
WORDS = ["ignore", "ignored", "signore", "all", "a.b", "x" * 90, "é", "-", "12", "123"]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), max_size=20),
    st.sampled_from([" ", "\n", "   ", "." * 70]),
    st.sampled_from(list(MARKS)),
    st.integers(1, 300),
)
def test_a_match_may_begin_near_what_it_needs(words, blank, mark, size):
    where = texts.of_readme(blank.join(words))
    near = list(where.blocks.parts(where.blocks.near([frozenset([mark]), frozenset()], size)))
    beside = list(where.blocks.parts(where.blocks.begun(frozenset([mark]))))
    for found in re.finditer(MARKS[mark], where.flat):
        at = found.start()
        for begin in range(max(0, at - size), min(at + 80, len(where.flat))):
            assert any(first <= begin < end for first, end in near)
        assert at == len(where.flat) or any(first <= at < end for first, end in beside)


def test_what_is_not_in_a_long_text_is_near_nothing():
    blocks = texts.of_readme("one two " * 99).blocks
    assert blocks.near([frozenset(["three"])], 9) == blocks.begun(frozenset(["t", "one"])) == 0
    assert list(blocks.parts(0)) == []
    assert blocks.with_part("wo ") == blocks.near([], 9)
    assert blocks.with_part("no") == 0


def test_rows_of_words_are_found_in_a_long_text():
    row = " ".join(str(number) for number in range(10, 40))
    text = f"{'1 or 2. ' * 9_000}{row}{' and so on' * 9_000}"
    pattern = re.compile(r"(?:[0-9]{2} ){12,}")
    (found,) = texts.of_readme(text).find_among(pattern, map(str, range(100)))
    assert found[1].span() == (72_000, 72_090)
    assert [each[1].span() for each in texts.of_readme(row).find_among(pattern, ())] == [(0, 87)]
    (found,) = of_value({"a": text}).find_among(pattern, ())
    assert found[0].pointer == "/a"


def test_values_are_no_names_of_members():
    assert of_value({"a": "b", "c": ["d"]}).values == ["b", "d"]
    assert texts.of_readme("a").values == ["a"]
