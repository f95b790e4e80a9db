"""The table of error codes: complete, unique, and in sentences that one can act on."""

import re

from psreg.core.error_codes import ERROR_CODES, SUBJECTS

ROWS = [row for subject in SUBJECTS for row in subject.codes]


def test_codes_are_unique_and_are_not_like_those_of_rules():
    assert len(ERROR_CODES) == len(ROWS)
    assert all(re.fullmatch(r"[A-Z]+(_[A-Z]+)*", row.code) for row in ROWS)


def test_titles_are_unique():
    assert len({subject.title for subject in SUBJECTS}) == len(SUBJECTS)


def test_a_row_is_complete():
    for row in ROWS:
        assert re.fullmatch(r"[A-Z`-].*[^.]\.|(psreg|mkdocs) .*[^.]\.", row.meaning), row.code
        assert re.fullmatch(r"[A-Z].*[^.]\.", row.remedy), row.code
        assert row.meaning.count("`") % 2 == row.remedy.count("`") % 2 == 0, row.code
        assert row.exit_code in {None, 1, 2, 3, 4, 130}, row.code


def test_refusals_of_trust_end_with_three():
    assert {row.exit_code for row in ROWS if row.code.startswith(("TRUST_", "KEY"))} == {3}
