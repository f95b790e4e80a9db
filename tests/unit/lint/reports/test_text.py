"""The text report shows the line and the place, and nothing in it can drive a terminal."""

from psreg.core.diagnostics import (
    ERROR,
    INFO,
    WARNING,
    Diagnostic,
    Edit,
    Fix,
    Position,
    Related,
    Report,
)
from psreg.core.terminal import one_line, plain, width
from psreg.lint.reports.text import report_lines


def diagnostic(**changes):
    values = {
        "code": "PBE006",
        "slug": "version-not-semver",
        "severity": ERROR,
        "message": "`pbe_version` is not MAJOR.MINOR.PATCH",
        "hint": "write 1.0.0",
        "path": "x.pbe.txt",
        "start": Position(3, 18),
        "end": Position(3, 23),
        "excerpt": '  "pbe_version": "1.0",',
        **changes,
    }
    return Diagnostic(**values)


def lines(*diagnostics, **options):
    return list(report_lines(Report.of(1, diagnostics), **options))


def test_a_finding_in_full():
    assert lines(diagnostic()) == [
        "error[PBE006] version-not-semver: `pbe_version` is not MAJOR.MINOR.PATCH",
        " --> x.pbe.txt:3:18",
        "  |",
        '3 |   "pbe_version": "1.0",',
        "  |                  ^^^^^",
        "  = help: write 1.0.0",
        "  = more: psreg explain PBE006",
        "",
        "checked 1 file: 1 error",
    ]


def fixable():
    edit = Edit(path="x.pbe.txt", start=Position(3, 19), end=Position(3, 22), replacement="1.0.0")
    return diagnostic(fix=Fix(title="write `1.0.0`", edits=(edit,)))


def test_what_can_be_fixed_is_marked_and_counted():
    shown = lines(fixable(), diagnostic())
    assert shown[0].startswith("error[PBE006] [*] version-not-semver: ")
    assert shown[-1] == "checked 1 file: 2 errors ([*] 1 fixable by --fix)"


def test_what_was_fixed_comes_first():
    report = Report(checked=1, fixed=(fixable(), diagnostic(message="m")))
    assert list(report_lines(report)) == [
        "fixed x.pbe.txt:3:18 PBE006: write `1.0.0`",
        "fixed x.pbe.txt:3:18 PBE006: m",
        "",
        "checked 1 file: no findings",
    ]
    assert next(report_lines(report, fixed="would fix")).startswith("would fix x.pbe.txt")


def test_related_places_and_several_lines():
    other = Related(message="first here", path="x", start=Position(1, 2), end=Position(1, 3))
    text = "\n".join(lines(diagnostic(end=Position(5, 1), related=(other,))))
    assert "= note: first here (x:1:2)" in text
    assert "^^^^^^" in text


def test_a_long_line_is_cropped_around_the_finding():
    line = "x" * 500 + "BAD" + "y" * 500
    shown = lines(diagnostic(excerpt=line, start=Position(1, 501), end=Position(1, 504)))
    source, caret = shown[3], shown[4]
    assert len(source) < 120
    assert source[caret.index("^") :].startswith("BAD")
    assert caret.count("^") == 3
    assert source.endswith("…")


def test_carets_stand_below_wide_and_escaped_characters():
    line = "日本\u202e\tX"
    shown = lines(diagnostic(excerpt=line, start=Position(3, 5), end=Position(3, 6)))
    assert shown[3] == "3 | 日本\\u{202e}    X"
    assert width(shown[4].rstrip("^")) == width(shown[3].rstrip("X"))


def test_waived_and_informational_findings():
    report = [
        diagnostic(waived="because"),
        diagnostic(severity=INFO),
        diagnostic(severity=WARNING),
    ]
    text = lines(*report, infos=False)
    assert text[-1] == "checked 1 file: 1 warning, 1 note, 1 waived"
    assert sum("[PBE006]" in line for line in text) == 1
    assert list(report_lines(Report(checked=3)))[-1] == "checked 3 files: no findings"


def test_color_only_where_wanted():
    assert "\x1b[" in "".join(lines(diagnostic(), color=True))
    assert "\x1b[" not in "".join(lines(diagnostic()))


def test_a_finding_without_an_excerpt():
    assert lines(diagnostic(excerpt="", hint=""))[2] == "  = more: psreg explain PBE006"


def test_text_that_would_drive_a_terminal():
    hostile = "a\x1b]0;pwned\x07\u202eb\u200b\U000e0041\r"
    assert plain(hostile) == r"a\u{001b}]0;pwned\u{0007}\u{202e}b\u{200b}\u{e0041}\u{000d}"
    assert plain("é日\n\t") == "é日\n\t"
    assert one_line("a\tb\nc") == "a    b c"
    assert width("日e\u0301") == 3
