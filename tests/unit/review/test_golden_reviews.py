"""Reviews with everything in them, as comment and as text; PSREG_WRITE_GOLDEN=1 writes them anew."""

import os

import pytest

from psreg.review.comment import review_markdown
from psreg.review.review_report import review_lines
from support.places import GOLDEN
from support.reviews import SAMPLES

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
