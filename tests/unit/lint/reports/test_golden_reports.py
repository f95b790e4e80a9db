"""One report with everything in it, in every format; PSREG_WRITE_GOLDEN=1 writes the files anew."""

import json
import os

import pytest

from psreg.cli.rules import all_rules
from psreg.lint.reports.report_formats import FORMATS, rendered
from support.paths import GOLDEN
from support.reports import SAMPLE

EXPECTED = GOLDEN / "reports"


@pytest.mark.parametrize("form", FORMATS)
def test_the_sample_looks_as_agreed(form):
    text = rendered(SAMPLE, form, all_rules)
    if form == "sarif":  # the table of rules has its own tests
        log = json.loads(text)
        log["runs"][0]["tool"]["driver"]["rules"] = "…"
        for result in log["runs"][0]["results"]:
            result.pop("ruleIndex", None)
        text = json.dumps(log, ensure_ascii=False, indent=2) + "\n"
    path = EXPECTED / f"sample.{form}"
    if os.environ.get("PSREG_WRITE_GOLDEN") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    assert text == path.read_text()


def test_every_format_has_its_golden_file_and_no_other_one():
    assert {path.suffix[1:] for path in EXPECTED.iterdir()} == set(FORMATS)
