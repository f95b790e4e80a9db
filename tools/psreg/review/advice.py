"""What would change a verdict, one sentence each: what an author mends, what a person approves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from psreg.core.diagnostics import ERROR, Diagnostic, Report
from psreg.core.identity import PBES
from psreg.review.rules.version_rules import below_the_floor
from psreg.review.verdict import Reason, ReviewedRelease, Verdict

_LISTED = 3
"""Files with errors that are named before the rest is counted."""

_IN_ENTRY = 4
"""Parts of the shortest path of a file in an entry's folder."""

APPROVALS: Mapping[str, str] = {
    "CHG002": "a keeper approves the purge of `{path}`",
    "CHG010": "a keeper approves a major release of `{name}`",
    "CHG011": "a keeper approves the new name `{name}`",
    "CHG012": "a keeper approves what `{name}` asks the assistant to use",
    "CHG013": "a keeper approves the files outside pbes/",
    "CHG014": "each entry comes in a pull request of its own, or a keeper approves them together",
    "CHG017": "the review knows who asks: let it run where the forge says so, or pass --author-id",
    "CHG018": "an owner of `{name}` approves it",
    "CHG019": "a keeper approves it, as `{name}` has no owner",
    "CHG020": "a keeper approves the owners of `{name}`",
    "CHG023": "a keeper approves the other licence of `{name}`",
    "CHG024": "`{name}` keeps its evidence, or a keeper approves without",
    "CHG026": "`{name}` is signed again, or a keeper approves without",
    "CHG027": "a keeper approves that a yanked version of `{name}` comes back",
    "CHG028": "a keeper approves the deprecation of `{name}`",
    "CHG029": "a keeper approves that a retired name is given away again",
    "CHG030": "a keeper approves the aliases of `{name}`",
    "CHG031": "what requires it is mended first, or a keeper approves",
    "NAME004": "a keeper finds `{name}` different enough from its neighbours",
    "NAME005": "a keeper finds that `{name}` does not pass for another entry",
    "PS081": "a keeper has read what is new in `{name}`",
}
"""What a person approves, by the code of a finding that needs one."""


def advice(
    report: Report, reasons: Iterable[Reason], releases: Iterable[ReviewedRelease]
) -> Iterator[str]:
    """Yield what would change the verdict: first what stands in the way, then who has to agree."""
    for release in releases:
        if release.least:
            yield f"release `{release.id.name}` as {release.least}"
    step = below_the_floor.code  # said in better words just now
    errors = [d for d in report.standing() if d.severity is ERROR and d.code != step]
    if errors:
        yield from _mend(errors)
    human = (reason for reason in reasons if reason.effect is Verdict.NEEDS_HUMAN)
    yield from dict.fromkeys(map(_approve, human))


def _mend(errors: Sequence[Diagnostic]) -> Iterator[str]:
    paths = list(dict.fromkeys(error.path for error in errors))
    count = "the error" if len(errors) == 1 else f"the {len(errors)} errors"
    where = f"{len(paths)} files"
    if len(paths) <= _LISTED:
        where = ", ".join(f"`{path}`" for path in paths)
    yield f"mend {count} in {where}"
    if any(error.fix for error in errors):  # one fix may mend several of them
        yield f"`psreg check --fix` mends {'it' if len(errors) == 1 else 'some of them, or all'}"


def _approve(reason: Reason) -> str:
    parts = PurePosixPath(reason.path).parts
    name = parts[2] if len(parts) >= _IN_ENTRY and parts[0] == PBES else reason.path
    sentence = APPROVALS.get(reason.code)
    if sentence is None or reason.waived:
        return f"a keeper agrees that {reason.code} is waived in `{name}`"
    return sentence.format(name=name, path=reason.path)
