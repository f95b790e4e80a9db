"""Codes about forges, such as GitHub."""

from __future__ import annotations

from psreg.core.error_codes.row import ErrorCode, Subject

FORGES = Subject(
    title="Forges",
    codes=(
        ErrorCode(
            code="NO_FORGE",
            exit_code=2,
            meaning="The command does not run in a job of a forge that psreg knows, or the remote "
            "is on another host.",
            remedy="Leave out `--post` or `--open`, and open the pull request yourself.",
        ),
        ErrorCode(
            code="NO_TOKEN",
            exit_code=2,
            meaning="There is no token with which to write to the forge.",
            remedy="Set the variable in the message. In a pipeline, only the trusted job has it.",
        ),
        ErrorCode(
            code="NO_HEAD",
            exit_code=2,
            meaning="The forge does not say which commit this job is to review.",
            remedy="Run the job for a pull request, as the workflows that `psreg init` writes do.",
        ),
        ErrorCode(
            code="SUPERSEDED",
            exit_code=4,
            meaning="The pull request or its base moved during the review, so the verdict was "
            "withdrawn.",
            remedy="Run the review again.",
        ),
        ErrorCode(
            code="NO_ISSUE",
            exit_code=2,
            meaning="The event that started the job is not about an issue.",
            remedy="Run the job when an issue is opened or edited.",
        ),
        ErrorCode(
            code="ISSUE_CLOSED",
            exit_code=2,
            meaning="The issue is closed, so its prompt is not submitted.",
            remedy="Open the issue again.",
        ),
        ErrorCode(
            code="BAD_ENVIRONMENT",
            exit_code=4,
            meaning="A variable or the event file that the forge always provides is missing or "
            "cannot be read.",
            remedy="Run the command in a job of the forge, and pass its environment on unchanged.",
        ),
        ErrorCode(
            code="COMMENT_TOO_LONG",
            exit_code=2,
            meaning="The comment is longer than the forge accepts.",
            remedy="Divide the change into several pull requests.",
        ),
        ErrorCode(
            code="FORGE_UNREACHABLE",
            exit_code=4,
            meaning="The forge cannot be reached, is too slow or too busy.",
            remedy="Try again later.",
        ),
        ErrorCode(
            code="FORGE_REFUSED",
            exit_code=4,
            meaning="The forge refused the request.",
            remedy="Check that the token is valid and has the permissions that the message names.",
        ),
        ErrorCode(
            code="FORGE_ANSWER",
            exit_code=4,
            meaning="The answer of the forge is not what its documentation promises.",
            remedy="Check the address of the forge's API; a proxy may answer in its place.",
        ),
        ErrorCode(
            code="FORGE_TOO_MUCH",
            exit_code=4,
            meaning="A list of the forge has more items than psreg reads.",
            remedy="Close or split the pull request; it is too large to review.",
        ),
    ),
)
