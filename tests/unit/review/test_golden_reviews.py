"""Reviews with everything in them, as comment and as text; PSREG_WRITE_GOLDEN=1 writes them anew."""

import os
from dataclasses import replace

import pytest

from psreg.core.version import Step
from psreg.review.comment import MARKER, review_markdown, withdrawn_markdown
from psreg.review.review_report import review_lines, step_text
from psreg.review.verdict import Verdict
from support.paths import GOLDEN
from support.reviews import SAMPLES, release, review

EXPECTED = GOLDEN / "reviews"
RUN = "https://forge.example/team/prompts/actions/runs/7"
FORMS = {
    "md": lambda review: review_markdown(review, RUN),
    "txt": lambda review: "".join(f"{line}\n" for line in review_lines(review)),
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("form", FORMS)
def test_a_review_looks_as_agreed(name, form):
    text = FORMS[form](SAMPLES[name])
    path = EXPECTED / f"{name}.{form}"
    if os.environ.get("PSREG_WRITE_GOLDEN") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    assert text.encode() == path.read_bytes()


def test_there_is_no_other_golden_file():
    found = {path.name for path in EXPECTED.iterdir()}
    assert found == {f"{name}.{form}" for name in SAMPLES for form in FORMS}


def test_quietly_what_may_be_merged_is_not_spoken_of():
    assert list(review_lines(SAMPLES["accept"], quiet=True)) == []
    lines = list(review_lines(SAMPLES["reject"], quiet=True))
    assert any(line.startswith("reject: ") for line in lines)
    assert not [line for line in lines if line.startswith("  score ")]


def test_a_step_from_nowhere():
    below = release(previous=None, new_name=False)
    assert step_text(below) == "lower than all releases of this name"
    assert step_text(release(bump=Step.NONE)).startswith("follows 1.0.0")


@pytest.mark.parametrize(
    ("verdict", "fails", "green"),
    [
        (Verdict.ACCEPT, True, True),
        (Verdict.NEEDS_HUMAN, False, True),
        (Verdict.NEEDS_HUMAN, True, False),
        (Verdict.REJECT, False, False),
    ],
)
def test_what_may_be_merged_is_green(verdict, fails, green):
    assert replace(review(verdict), needs_human_fails=fails).passes is green


def test_a_verdict_of_the_past_is_withdrawn():
    assert "The run" not in withdrawn_markdown()
    assert withdrawn_markdown().startswith(MARKER)
    assert RUN in withdrawn_markdown(RUN)
