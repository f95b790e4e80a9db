"""Codes about rendering and comparing prompts."""

from __future__ import annotations

from psreg.core.error_codes.row import ErrorCode, Subject

PROMPTS = Subject(
    title="Rendering and comparing",
    codes=(
        ErrorCode(
            code="NOT_A_PROMPT",
            exit_code=1,
            meaning="The file is not a `.prompt`, so it has no variables to fill in.",
            remedy="Print the file with `psreg show FILE`.",
        ),
        ErrorCode(
            code="MISSING_VALUES",
            exit_code=1,
            meaning="Variables of the prompt have no value, and `--require-all` is set.",
            remedy="Give each a value with `--set NAME=VALUE` or `--vars FILE.json`.",
        ),
        ErrorCode(
            code="BAD_VALUES",
            exit_code=2,
            meaning="The file with values is not one JSON object of strings, numbers and booleans.",
            remedy='Write it like this: `{"name": "Ana"}`.',
        ),
        ErrorCode(
            code="NOT_COMPARABLE",
            exit_code=2,
            meaning="The two files have different formats.",
            remedy="Compare a PBE with a PBE, or a `.prompt` with a `.prompt`.",
        ),
        ErrorCode(
            code="NO_ARTIFACT",
            exit_code=2,
            meaning="The folder is not a version folder: one of those holds exactly one artifact.",
            remedy="Name a file, or a folder such as `pbes/prompt/email_reply/1.0.0`.",
        ),
    ),
)
