"""Positions count from 1 in code points; reports are ordered and know when they fail."""

from hypothesis import given
from hypothesis import strategies as st

from psreg.core.diagnostics import ERROR, INFO, WARNING, Diagnostic, LineIndex, Position, Report


def diagnostic(**changes):
    values = {
        "code": "PBE006",
        "slug": "version-not-semver",
        "severity": ERROR,
        "message": "m",
        "path": "a",
        "start": Position(1, 1),
        "end": Position(1, 2),
        **changes,
    }
    return Diagnostic(**values)


def test_positions():
    index = LineIndex("ab\r\nç😀d\n")
    assert index.position(0) == Position(1, 1)
    assert index.position(2) == Position(1, 3)
    assert index.position(4) == Position(2, 1)
    assert index.position(6) == Position(2, 3)
    assert index.position(99) == Position(3, 1)
    assert index.position(-5) == Position(1, 1)
    assert [index.line(n) for n in range(5)] == ["", "ab", "ç😀d", "", ""]
    assert [index.offset(index.position(n)) for n in range(9)] == list(range(9))


@given(st.text(alphabet="ab\n\r😀", max_size=40), st.integers(0, 40))
def test_a_position_leads_back_to_its_offset(text, offset):
    offset = min(offset, len(text))
    position = LineIndex(text).position(offset)
    lines = text.split("\n")
    assert sum(len(line) + 1 for line in lines[: position.line - 1]) + position.column - 1 == offset


def test_report_is_ordered_by_path_and_place():
    late = diagnostic(start=Position(10, 1))
    early = diagnostic(start=Position(2, 9))
    other = diagnostic(path="0")
    assert Report.of(1, [late, early, other]).diagnostics == (other, early, late)


def test_report_counts_and_fails():
    warned = Report.of(2, [diagnostic(severity=WARNING), diagnostic(severity=INFO)])
    assert (warned.count(ERROR), warned.count(WARNING), warned.count(INFO)) == (0, 1, 1)
    assert not warned.failed()
    assert warned.failed(strict=True)
    assert Report.of(1, [diagnostic()]).failed()
    assert not Report.of(1, [diagnostic(waived="a reason")]).failed()
    assert diagnostic().family == "PBE"
