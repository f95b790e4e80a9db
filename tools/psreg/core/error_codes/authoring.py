"""Codes about starting entries and versions."""

from __future__ import annotations

from psreg.core.error_codes.row import ErrorCode, Subject

AUTHORING = Subject(
    title="Entries and versions",
    codes=(
        ErrorCode(
            code="CLASS_UNKNOWN",
            exit_code=2,
            meaning="There is no class of this name.",
            remedy="Choose one of the classes that `psreg new --help` lists.",
        ),
        ErrorCode(
            code="CLASS_DIFFERS",
            exit_code=2,
            meaning="The file is of another class than the entry.",
            remedy="Start an entry of the file's class, under a name of its own.",
        ),
        ErrorCode(
            code="NAME_TAKEN",
            exit_code=2,
            meaning="An entry has this name or this alias already.",
            remedy="Choose another name, or add a version to the entry with `psreg bump`.",
        ),
        ErrorCode(
            code="NAME_REFUSED",
            exit_code=2,
            meaning="The name breaks a rule about names: it is reserved, retired, or too similar "
            "to another one.",
            remedy="Choose another name; `psreg explain CODE` explains the rule in the message.",
        ),
        ErrorCode(
            code="NAME_AMBIGUOUS",
            exit_code=2,
            meaning="Entries of several classes have this name.",
            remedy="Rename all but one of them.",
        ),
        ErrorCode(
            code="ANSWERS",
            exit_code=2,
            meaning="The file with answers cannot be read, or an answer is not acceptable; "
            "nothing was written.",
            remedy="Correct the answers that the message names.",
        ),
        ErrorCode(
            code="CANNOT_BUMP",
            exit_code=1,
            meaning="The latest version is incomplete or has errors, so psreg cannot copy it.",
            remedy="Run `psreg check` on its folder and correct what it finds.",
        ),
        ErrorCode(
            code="NOTHING_CHANGED",
            exit_code=1,
            meaning="The file means the same as the latest release.",
            remedy="Change the file, or run `psreg bump NAME patch` to release it unchanged.",
        ),
        ErrorCode(
            code="NOTHING_TO_COMPARE",
            exit_code=2,
            meaning="The entry has only one version, so there is nothing to compare it with.",
            remedy="Name a changed copy: `psreg bump NAME auto --from FILE`.",
        ),
        ErrorCode(
            code="RELEASED",
            exit_code=1,
            meaning="The version is released, and a released version never changes its number.",
            remedy="Start the next version with the command in the hint.",
        ),
    ),
)
