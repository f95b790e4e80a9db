"""One review with everything a review can hold, for golden files and for tests of the comment."""

from dataclasses import replace
from pathlib import PurePosixPath

from psreg.compatibility.compared_side import artifact_side
from psreg.compatibility.diff import Diff, Operand
from psreg.compatibility.floor_row import Difference
from psreg.core.diagnostics import INFO, WARNING, Position, Report
from psreg.core.identity import ReleaseId
from psreg.core.version import Step
from psreg.lint.score import Part, Score
from psreg.review.suggestions import Suggestion
from psreg.review.verdict import Reason, Review, ReviewedRelease, Verdict
from support.reports import HOSTILE, SITE, diagnostic

LETTER = "pbes/prompt/letter"
BEFORE = b"[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\nWrite to {name}.\n"
AFTER = BEFORE.replace(
    b"Write to {name}.\n",
    "Write to {whom}, @octocat.\n```\n<!-- psreg review -->\u202e\n".encode()
    + b"x" * 1200
    + b"\n/close\n",
)
SCORE = Score(
    total=15,
    parts=(Part(id="documentation", points=15, of=20), Part(id="evidence", points=0, of=20)),
)


def difference(step=Step.MAJOR, **changes):
    values = {
        "row": "PROMPT-VAR-REMOVED",
        "step": step,
        "message": "the variable `name` is gone",
        "reason": "Whoever gives it a value gets a text without it.",
    }
    return Difference(**values | changes)


def diff(*differences):
    operands = (
        Operand(title="before", side=replace(artifact_side(data, "prompt"), version=version))
        for data, version in ((BEFORE, "1.0.0"), (AFTER, "1.0.1"))
    )
    floor = max((d.step for d in differences), default=Step.NONE)
    return Diff(floor=floor, differences=differences, before=next(operands), after=next(operands))


def release(version="1.0.1", name="letter", **changes):
    found = diff(
        difference(),
        difference(
            Step.PATCH,
            message="the text was reworded",
            before="Write to {name}.",
            after=HOSTILE,
            behaviour=True,
        ),
    )
    values = {
        "id": ReleaseId(entry_class="prompt", name=name, version=version),
        "previous": "1.0.0",
        "new_name": False,
        "bump": Step.PATCH,
        "floor": found.floor,
        "diff": found,
        "similar_names": (),
        "score": SCORE,
        "capabilities_added": ("network",),
        "missing": {PurePosixPath(f"{LETTER}/1.0.1/README.md"): "# Letter\n\n## Use case\n"},
        "before": BEFORE,
        "after": AFTER,
    }
    return ReviewedRelease(**values | changes)


def first_release(**changes):
    nothing = {"previous": None, "diff": None, "bump": Step.NONE, "floor": Step.NONE}
    values = {"new_name": True, "similar_names": ("latter",), "missing": {}, "before": None}
    return release("0.1.0", "lettre", **{**nothing, **values, **changes})


def suggestion(after, **changes):
    values = {
        "path": f"{LETTER}/1.0.1/letter.prompt",
        "first": 4,
        "last": 4,
        "before": "x\n",
        "titles": ("Write 1.0.0",),
        "codes": ("PBE006",),
    }
    return Suggestion(after=after, **values | changes)


def reason(code="CHG011", effect=Verdict.NEEDS_HUMAN, **changes):
    values = {"message": "`letter` is a new name", "path": f"{LETTER}/entry.toml"}
    return Reason(code=code, effect=effect, **values | changes)


def review(verdict=Verdict.REJECT, **changes):
    values = {
        "reasons": (),
        "would_change_verdict": (),
        "releases": (),
        "suggestions": (),
        "in_diff": (),
        "report": Report.of(0, (), SITE),
        "base": "4f2e0c5ad7a8a7a3cf3f8fe7eb1a5a3e9c7b2d10",
        "head": "0b1c9b8d5c4f6f0f6a2a3f4c0f7c5d1e2a3b4c5d",
    }
    return Review(verdict=verdict, **values | changes)


ACCEPTED = review(Verdict.ACCEPT, releases=(release("1.1.0", missing={}, capabilities_added=()),))
WAITING = review(
    Verdict.NEEDS_HUMAN,
    reasons=(
        reason(),
        reason("PS010", message="it asks; waived: it is quoted | @octocat", waived=True),
    ),
    would_change_verdict=("a maintainer approves the new name `lettre`",),
    releases=(first_release(),),
    report=Report.of(
        3,
        [
            diagnostic("CHG011", "new-name", severity=INFO, path=f"{LETTER}/entry.toml"),
            diagnostic("PS010", "x", message="it asks", waived="Quoted | @octocat."),
        ],
        SITE,
    ),
)
REJECTED = review(
    reasons=(reason(), reason("PBE006", Verdict.REJECT, message="no version")),
    would_change_verdict=("release `letter` as 2.0.0", "fix the 2 errors in `a file`"),
    releases=(release(),),
    suggestions=(
        suggestion('  "pbe_version": "1.0.0",\r\n'),
        suggestion("a ``` b\n````\nc @octocat <b>\n", first=7, last=9, titles=("One", "Two `x`")),
        suggestion("", first=12, last=13),
        suggestion("x\n", before="x", first=20, last=20, titles=("End the last line",)),
        suggestion("/merge\n", first=30, last=30),
        suggestion("a\u202eb\n", first=31, last=31),
        suggestion("y" * 5_000, first=32, last=32),
    ),
    report=Report.of(
        3,
        [
            diagnostic(hint="write 1.0.0"),
            diagnostic("PS010", "x", message=HOSTILE, start=Position(9, 1), end=Position(9, 2)),
            diagnostic("CHG025", "y", severity=WARNING, path="a\n<!-- psreg review -->@octocat"),
        ],
        SITE,
    ),
)
REFUSED = review(
    reasons=(
        reason("NO_MERGE_BASE", Verdict.REJECT, message="nothing in common with main", path=""),
    ),
    would_change_verdict=("begin a branch at main",),
    report=Report(checked=0),
)
SAMPLES = {"accept": ACCEPTED, "needs_human": WAITING, "reject": REJECTED, "refused": REFUSED}
