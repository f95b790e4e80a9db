"""Reading `.prompt` files, and filling them in."""

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.diagnostics import Span
from psreg.formats.dotprompt import MAX_BYTES, MOST_BRACES, read, render
from support.paths import VECTORS
from support.walks import sampled

META = "[METADATA]\n@dotprompt_format_version 0.0.1\n"
PIECES = st.lists(
    st.sampled_from(
        [
            *("[METADATA]", "[DEFAULTS]", "[CONTENT]", "[ content ]", "\n", "\n", "\r\n", "\ufeff"),
            *("@a b", "@", "@a >", "@dotprompt_format_version 0.0.1", "---", "(%", "%)", " ", "\t"),
            *("{a}", "{{", "}}", "text", "é"),
        ]
    )
)


def codes(prompt):
    return [issue.code for issue in prompt.issues]


def entries(text, section="METADATA"):
    """Return the entries of `text` below the header of `section`."""
    lead = META if section == "METADATA" else f"{META}[{section}]\n"
    prompt = read(f"{lead}{text}\n[CONTENT]\nx\n".encode())
    found = prompt.metadata if section == "METADATA" else prompt.defaults
    return {key: value for key, value in found.items() if key != "dotprompt_format_version"}


def content(text):
    return read(f"{META}[CONTENT]\n{text}".encode()).content


@pytest.mark.parametrize("section", ["METADATA", "DEFAULTS"])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@a b c", {"a": "b c"}),
        ("@a  b ", {"a": "b"}),
        ("@a \tb", {"a": "b"}),
        ("  @a b", {"a": "b"}),
        ("@a ", {"a": ""}),
        ("@a (% none %)", {"a": ""}),
        ("@a (% x %) b (% y %)", {"a": "b"}),
        ("@a-b_1 c", {"a-b_1": "c"}),
        ("@A 1\n@a 2", {"A": "1", "a": "2"}),
        ("@a 1\n@a 2", {"a": "2"}),
        ("@a\tb", {}),
        ("@a", {}),
        ("@ a", {}),
        ("@", {}),
        ("@é a", {}),
        ("@a.b c", {}),
        ("a b", {}),
        ("@a > b", {"a": "> b"}),
        ("@a b > c", {"a": "b > c"}),
        ("@a >b", {"a": ">b"}),
        ("@a >", {"a": ""}),
        ("@a >  \n\n  b \n\n\tc\nd", {"a": "b\nc\nd"}),
        ("@a > (% x %)\n (% y %) b\n(% z\nz %)\nc", {"a": "b\nc"}),
        ("@a >\nb\n  @c d\ne", {"a": "b", "c": "d"}),
        ("@a >\nb\n@no.key c\nd", {"a": "b"}),
        ("@a >\nb @ c\n> d", {"a": "b @ c\n> d"}),
        ("@a {b} {{c}}", {"a": "{b} {{c}}"}),
        ("@a \u00a0b\u00a0", {"a": "\u00a0b\u00a0"}),
        ("@a b\u2028c\x0cd\x85e", {"a": "b\u2028c\x0cd\x85e"}),
    ],
)
def test_entries(section, text, found):
    assert entries(text, section) == found
    assert entries(text.replace("\n", "\r\n"), section) == found


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("a", "a"),
        ("a\n", "a"),
        ("\n \n  a  \n\t\n\n", "  a  "),
        ("a\n\n\nb", "a\n\n\nb"),
        ("a\n(% x %)\nb", "a\nb"),
        ("a\n  (% x %) (% y %)  \nb", "a\nb"),
        ("a\n(% x\n\ny %)\nb", "a\nb"),
        ("a (% x %), b", "a , b"),
        ("a (% x\ny %)\nb", "a \nb"),
        ("a\n(% x\ny %) b\nc", "a\n b\nc"),
        ("a (% x\ny %) b", "a  b"),
        ("(% x %)\n\na\n\n(% y %)", "a"),
        ("a\n\n(% x %)\n\nb", "a\n\n\nb"),
        ("a (% b", "a (% b"),
        ("a\r\nb\r\n", "a\nb"),
        (
            "@a b\n[content]\n [METADATA]\n[METADATA] x",
            "@a b\n[content]\n [METADATA]\n[METADATA] x",
        ),
        ("a\u2028\nb", "a\u2028\nb"),
        ("", ""),
    ],
)
def test_content(text, sent):
    assert content(text) == sent


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (META + "[CONTENT]\nx", []),
        ("\ufeff" + META + "[CONTENT]\nx", ["PROMPT018"]),
        ("\n(% c %)\n" + META + "[CONTENT]\nx", []),
        (META + "[content]\nx", ["PROMPT015"]),
        (META + "  [CONTENT]\nx", ["PROMPT015"]),
        (META + "[CONTENT]  \nx", []),
        (META + "[CONTENT] (% c %)\nx", []),
        (META + "[CONTENT]\nx\n[DEFAULTS] \n", ["PROMPT002"]),
        (META + "[DEFAULTS]\n[METADATA]\n[CONTENT]\nx", ["PROMPT002"]),
        (META + "[CONTENT]\n[CONTENT]\n[CONTENT]\nx", ["PROMPT002", "PROMPT002"]),
        (META + "[METADATA]\n", ["PROMPT002", "PROMPT003"]),
        (META + "[ CONTENT", ["PROMPT008", "PROMPT003"]),
        ("x\n" + META + "[CONTENT]\nx", ["PROMPT008"]),
        ("x", ["PROMPT003", "PROMPT003"]),
        ("", ["PROMPT003", "PROMPT003"]),
        ("---\nx", ["PROMPT019"]),
        ("\n (% c %)\n# Copyright\n---\t\nx", ["PROMPT019"]),
        ("----\nx", ["PROMPT003", "PROMPT003"]),
        ("# x\n\n", ["PROMPT003", "PROMPT003"]),
        (META + "[CONTENT]\n(% x", ["PROMPT004"]),
        (META + "[CONTENT]\n{{\n}}", ["PROMPT012"]),
        (META.replace("0.0.1", "0.0.2") + "[CONTENT]\nx", ["PROMPT011"]),
    ],
)
def test_issues_of_a_file(text, found):
    prompt = read(text.encode())
    assert codes(prompt) == found
    fatal = {"PROMPT002", "PROMPT003", "PROMPT011", "PROMPT019"}
    assert prompt.readable is not bool(fatal.intersection(found))


def test_a_section_in_the_wrong_place_is_read_all_the_same():
    prompt = read(b"[CONTENT]\n{a}\n[METADATA]\n@dotprompt_format_version 0.0.1\n@name b\n")
    assert codes(prompt) == ["PROMPT002"]
    assert prompt.metadata["name"] == "b"
    assert prompt.content == "{a}"


@pytest.mark.parametrize("data", [b"\xff\xfe[\0", b"a\xed\xa0\x80", b"\xe9", b"ab\xc3"])
def test_what_is_not_utf8_is_named_at_its_first_byte(data):
    prompt = read(data)
    assert codes(prompt) == ["PROMPT001"]
    assert not prompt.readable
    assert prompt.text[prompt.issues[0].span.start] == "\ufffd"


def test_a_file_may_have_256_kib_and_no_more():
    text = f"{META}[CONTENT]\n".encode()
    full = text + b"a" * (MAX_BYTES - len(text))
    assert codes(read(full)) == []
    assert codes(read(full + b"a")) == ["PROMPT024"]


def test_positions_lead_into_the_original_text():
    text = (
        "\ufeff[METADATA]\r\n@dotprompt_format_version 0.0.1\r\n"
        "@name (% who? %) Ana\r\n@text >\r\n  one\r\n  two (% x %)\r\n"
        "(% \r\n%)[CONTENT]\r\n(% c %)é {a}, (% c\r\n c %){b}{a} {{c}}\r\n"
    )
    prompt = read(text.encode())

    def at(span):
        return text[span.start : span.end]

    assert [(at(e.key_span), at(e.span)) for e in prompt.entries] == [
        ("dotprompt_format_version", "0.0.1"),
        ("name", "Ana"),
        ("text", "one\r\n  two"),
    ]
    assert [at(header.span) for header in prompt.headers] == ["[METADATA]", "[CONTENT]"]
    uses = [(v.name, at(span)) for v in prompt.variables for span in v.spans]
    assert uses == [("a", "{a}"), ("a", "{a}"), ("b", "{b}")]
    assert [at(literal.span) for literal in prompt.literals] == ["{{c}}"]
    assert prompt.content == "é {a}, {b}{a} {{c}}"


def test_variables_are_in_order_of_first_use_with_their_defaults():
    prompt = read(f"{META}[DEFAULTS]\n@b \n@z 1\n[CONTENT]\n{{a}}{{b}}{{a}}".encode())
    assert [(v.name, v.default, len(v.spans)) for v in prompt.variables] == [
        ("a", None, 2),
        ("b", "", 1),
    ]


def test_pointers_name_entries_and_sections():
    text = f"{META}@name Ana\n@name Eva\n[CONTENT]\nx"
    prompt = read(text.encode())
    assert text[slice(*_ends(prompt.span("/metadata/name")))] == "Eva"
    assert text[slice(*_ends(prompt.key_span("/metadata/name")))] == "name"
    assert prompt.span("/metadata/none") == prompt.key_span("/metadata") == Span(0, 10)
    assert text[slice(*_ends(prompt.span("/content")))] == "[CONTENT]"
    assert prompt.span("") == prompt.span("/defaults/x") == Span(0, 0)


def _ends(span):
    return span.start, span.end


@given(st.binary() | PIECES.map("".join).map(str.encode))
def test_reading_never_fails_and_points_into_the_text(data):
    prompt = read(data)
    spans = [issue.span for issue in prompt.issues]
    spans += [span for entry in prompt.entries for span in (entry.span, entry.key_span)]
    spans += [span for variable in prompt.variables for span in variable.spans]
    assert all(0 <= span.start <= span.end <= len(prompt.text) for span in spans)


@given(PIECES.map("".join))
def test_a_variable_stands_where_it_is_said_to(text):
    prompt = read(f"{META}[CONTENT]\n{text}".encode())
    for variable in prompt.variables:
        for span in variable.spans:
            shown = prompt.text[span.start : span.end]
            assert "(%" in shown or shown == f"{{{variable.name}}}"


REPEATED = (
    *("{", "{{", "}}", "{{}}", "{{\n}}", "{{x", "{{x}", "{{a}}", "{a}", "(%", "(%%)", "%)"),
    *("(% x\n%)\n", "\n", "\r\n", "[METADATA]\n", "[", "@", "@a b\n", "@a >\n", " ", "a"),
)
STARTS = ("[DEFAULTS]\n", "[CONTENT]\n", "[CONTENT]\n{", "@a >\n")


@pytest.mark.parametrize(
    ("start", "piece"), sampled([*product(STARTS, REPEATED)], 22, kinds=lambda case: case)
)
def test_long_runs_of_anything_are_read_and_rendered(start, piece):
    # NOTE: a step that takes quadratic time would make this run for hours.
    text = META + start + piece * (200_000 // len(piece))
    prompt = read(text.encode())
    assert prompt.text == text
    if prompt.readable:
        render(prompt, {"a": "1"}, squeeze=True)


def test_deeply_nested_pairs_are_read():
    prompt = read(f"{META}[CONTENT]\n{'{{' * 19_000}{{x}}{'}}' * 19_000}".encode())
    assert [variable.name for variable in prompt.variables] == ["x"]


PLAIN = st.text(st.characters(exclude_characters="{}()%\r\n[]", exclude_categories=["Cs"]))
LINES = st.lists(PLAIN).map("\n".join)
NAMES = st.text("abcXYZ019_-", min_size=1)


def prompt_of(content, defaults=""):
    return read(f"{META}[DEFAULTS]\n{defaults}\n[CONTENT]\n{content}".encode())


def filled(content, **values):
    return render(prompt_of(content), values).text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("{a}", "1"),
        ("{a}{a} {b}", "11 {b}"),
        ("{{a}}", "{a}"),
        ("{{{a}}}", "{1}"),
        ("{{{{a}}}}", "{{a}}"),
        ('{{"k": {a}, "l": {{"m": {a}}}}}', '{"k": 1, "l": {"m": 1}}'),
        ("{{a}", "{1"),
        ("{a}}", "1}"),
        ("{{\n{a}\n}}", "{{\n1\n}}"),
        ("{ a } {} }{ {{}}", "{ a } {} }{ {}"),
        ("{(% c %)a}", "1"),
        ("{(% c %){a}}", "{a}"),
    ],
)
def test_braces_in_the_output(content, text):
    assert filled(content, a="1") == text


def test_a_value_beats_a_default_even_when_it_is_empty():
    prompt = prompt_of("{a}|{b}|{c}|{d}", "@a x\n@b y\n@c {d} {{z}}")
    rendering = render(prompt, {"a": "", "d": "{a}", "e": "?"})
    assert rendering.text == "|y|{d} {{z}}|{a}"
    assert (rendering.missing, rendering.unknown) == ((), ("e",))


def test_missing_names_come_in_order_of_first_use_and_defaults_are_known():
    rendering = render(prompt_of("{b}{a}{b}", "@unused 1"), {"unused": "2"})
    assert rendering.text == "{b}{a}{b}"
    assert (rendering.missing, rendering.unknown) == (("b", "a"), ())


def test_squeezing_drops_the_blank_lines_of_the_prompt_only():
    rendering = render(prompt_of("a\n\n \n{b}\n\n{c}"), {"b": "1\n\n2", "c": ""}, squeeze=True)
    assert rendering.text == "a\n1\n\n2\n"


def test_a_prompt_that_is_not_readable_is_not_rendered():
    with pytest.raises(ValueError, match="not readable"):
        render(read(b"---\n"), {})


@given(LINES.filter(lambda text: text == text.strip("\n")))
def test_text_without_marks_is_rendered_as_it_is(text):
    lines = text.split("\n")
    if lines[0].strip(" \t\f\v") and lines[-1].strip(" \t\f\v"):
        assert filled(text) == text


@given(NAMES, st.text(st.characters(exclude_categories=["Cs"])))
def test_a_value_goes_in_literally(name, value):
    assert render(prompt_of(f"<{{{name}}}>"), {name: value}).text == f"<{value}>"


@given(st.recursive(PLAIN, lambda inner: st.lists(inner).map(lambda x: f"{{{'|'.join(x)}}}")))
def test_doubled_braces_come_out_single(text):
    doubled = text.replace("{", "{{").replace("}", "}}")
    assert filled(f"<{doubled}>") == f"<{text}>"


def test_the_vectors_hold():
    for vector in json.loads((VECTORS / "prompt.json").read_text("utf-8")):
        prompt = read(vector["file"].encode())
        text = render(prompt, vector["values"]).text if prompt.readable else None
        assert text == vector["output"], vector["id"]


def test_more_variables_than_anyone_fills_in_are_an_issue_at_the_first_too_many():
    content = "{a}" * MOST_BRACES
    head = "[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\n"
    assert not [i for i in read(f"{head}{content}".encode()).issues if i.code == "PROMPT024"]
    prompt = read(f"{head}{content}{{b}}".encode())
    (issue,) = (i for i in prompt.issues if i.code == "PROMPT024")
    assert issue.span is not None
    assert prompt.text[issue.span.start : issue.span.end] == "{"


def test_a_comment_after_the_content_takes_no_line_from_it():
    text = (
        "[CONTENT]\nSay (% so %) it.\n\n[METADATA]\n(% here %)\n@dotprompt_format_version 0.0.1\n"
    )
    assert read(text.encode()).content == "Say  it."


DEFAULTS_WITH_HELP = """\
(% About the file. %)
[METADATA]
@dotprompt_format_version 0.0.1
(% About the name. %)
@name x
[DEFAULTS]
(% How long,
   in words. %)
@length 100
@plain 1

(% A section, not a variable. %)

@after >
  one (% inside %)
  two
\t(% First. %)\r
(% Second. %)
(% @gone 1 %)
(%  %)
  @tone warm (% or cold %)
@last x   (% beside %)  (% too far %)

(% Of nothing. %)
[CONTENT]
(% In the text. %)
{length} (% there %)
"""


def test_comments_beside_a_default_say_what_it_is_for():
    prompt = read(DEFAULTS_WITH_HELP.encode())
    assert prompt.help_texts == {
        "length": "How long, in words.",
        "after": "inside",
        "tone": "First. Second. or cold",
        "last": "beside",
    }
    assert read(b"[DEFAULTS]\n(% a %)\n@x 1 (% b").help_texts == {"x": "a"}
    assert read(b"(% a %)").help_texts == {}


@pytest.mark.parametrize("piece", ["(% a %)", "(% a %)\n", "\n@k v (% a %)", "(%\n%)", " "])
def test_very_many_comments_are_read(piece):
    text = f"[METADATA]\n[DEFAULTS]\n@a b{piece * (200_000 // len(piece))}\n@c d\n[CONTENT]\nx"
    assert set(read(text.encode()).help_texts) <= {"a", "c", "k"}
