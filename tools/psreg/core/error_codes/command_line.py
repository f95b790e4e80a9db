"""Codes about what was typed, the settings and the process itself."""

from __future__ import annotations

from psreg.core.error_codes.row import ErrorCode, Subject

COMMAND_LINE = Subject(
    title="Command line and settings",
    codes=(
        ErrorCode(
            code="USAGE",
            exit_code=2,
            meaning="The command line is incomplete, contradicts itself or has an invalid value.",
            remedy="Read the message, then compare your command with `psreg COMMAND --help`.",
        ),
        ErrorCode(
            code="NO_SUCH_RULE",
            exit_code=2,
            meaning="No rule, family of rules or error has this code.",
            remedy="List the codes with `psreg explain --all` and `psreg explain --errors`.",
        ),
        ErrorCode(
            code="CONFIG_INVALID",
            exit_code=2,
            meaning="A settings file has a syntax error, an unknown key or an invalid value.",
            remedy="Correct the file at the line that the message names.",
        ),
        ErrorCode(
            code="POLICY_LOCKED",
            exit_code=3,
            meaning="The command or your settings change a setting that the administrator locked.",
            remedy="Remove the setting or the option, or ask the administrator of this machine.",
        ),
        ErrorCode(
            code="NO_HOME",
            exit_code=4,
            meaning="This user has no home folder, so psreg does not know where to keep its files.",
            remedy="Set `PSREG_HOME` to a folder that psreg may use.",
        ),
        ErrorCode(
            code="BAD_CLOCK",
            exit_code=2,
            meaning="`SOURCE_DATE_EPOCH` is not a valid time.",
            remedy="Set it to the seconds since 1970-01-01T00:00:00Z, or unset it.",
        ),
        ErrorCode(
            code="PORT_BUSY",
            exit_code=4,
            meaning="psreg cannot listen on this port; another program probably uses it.",
            remedy="Choose another port with `--port`; `--port 0` takes any that is free.",
        ),
        ErrorCode(
            code="CANCELLED",
            exit_code=2,
            meaning="The input ended before all questions were answered; nothing was written.",
            remedy="Run the command again. Press Enter to leave a question open.",
        ),
        ErrorCode(
            code="INTERRUPTED",
            exit_code=130,
            meaning="The command was interrupted, usually with Ctrl-C.",
            remedy="Run it again.",
        ),
    ),
)
