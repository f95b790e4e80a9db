"""One report with everything a report can hold, for golden files of all formats."""

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

SITE = "https://prompts.example/"
PBE = "pbes/interactive_engine/caf\u00e9 quiz/1.0.0/caf\u00e9 quiz.pbe.txt"
README = "pbes/prompt/letter/1.0.0/README.md"
HOSTILE = (
    "@octocat, see #12: [free](https://evil.example) <img src=x> <!-- psreg report --> "
    "| new cell `code` and `open \u202e" + "y" * 200 + "\r\n::error::forged 100%"
)


def diagnostic(code="PBE006", slug="version-not-semver", **changes):
    values = {
        "severity": ERROR,
        "message": "`pbe_version` is not MAJOR.MINOR.PATCH",
        "path": PBE,
        "start": Position(3, 18),
        "end": Position(3, 23),
        "url": f"rules/{code}/",
        "fingerprint": "0123456789abcdef" * 2,
    }
    return Diagnostic(code=code, slug=slug, **values | changes)


VERSION_FIX = Fix(
    title="Write the version in full",
    edits=(Edit(path=PBE, start=Position(3, 18), end=Position(3, 23), replacement='"1.0.0"'),),
)
NAME_FIX = Fix(
    title="Write the name in snake_case, everywhere",
    edits=(
        Edit(path=PBE, start=Position(2, 16), end=Position(2, 20), replacement="quiz"),
        Edit(path=README, start=Position(9, 1), end=Position(9, 5), replacement="quiz"),
        Edit(path=PBE, start=Position(8, 4), end=Position(8, 8), replacement="quiz"),
    ),
)
SAMPLE = Report.of(
    3,
    [
        diagnostic(
            hint="write 1.0.0",
            pointer="/pbe_version",
            excerpt='  "pbe_version": "1.0",',
            fix=VERSION_FIX,
        ),
        diagnostic(
            "PBE004",
            "name-not-snake-case",
            start=Position(2, 20),
            end=Position(2, 22),
            excerpt='  "日本語": "𝒳 caf\u00e9 quiz",',
            fix=NAME_FIX,
            fingerprint="a" * 32,
            related=(
                Related(
                    message="the folder is called so",
                    path=README,
                    start=Position(1, 1),
                    end=Position(2, 4),
                ),
            ),
        ),
        diagnostic(start=Position(7, 18), end=Position(9, 2), excerpt='  "pbe_version": {'),
        diagnostic(
            "PROMPT010",
            "a-rule-nobody-knows",
            severity=WARNING,
            message=HOSTILE,
            hint="leave it out,\nall of it",
            path=README,
            fingerprint="b" * 32,
        ),
        diagnostic(
            "PS010", "remote-text", severity=INFO, message="fetches text", fingerprint="c" * 32
        ),
        diagnostic(
            "REG011",
            "not-tested",
            message="no run is recorded",
            waived="Nobody could | run @it yet.",
            waived_by="release",
            fingerprint="d" * 32,
        ),
        diagnostic(
            "REG012",
            "no-licence",
            severity=WARNING,
            message="no licence is stated",
            waived="Agreed by mail.",
            waived_by="policy",
            fingerprint="e" * 32,
        ),
    ],
    SITE,
)
