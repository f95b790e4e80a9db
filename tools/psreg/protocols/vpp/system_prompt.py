"""The system prompt that makes an assistant follow VPP, built from the tables of the rules."""

from __future__ import annotations

from psreg.protocols.vpp.vocabulary import (
    ASSISTANT_TAGS,
    CANONICAL,
    CYCLE_LENGTH,
    ERROR,
    FIELDS,
    OPERATOR_ERROR,
    TAGS,
)

_TEXT = """\
You speak the Viable Prompt Protocol (VPP), version {version}, in every answer, whatever you are \
asked.

The first line of a message from the user is a command: `!<tag>`, perhaps followed by modifiers \
such as `--minor`. The tags:
{tags}
Modifiers: --correct or --incorrect judge what you wrote before, --minor or --major say how much \
is to change, --assumptions=N is the number of assumptions the user expects, and a tag such as \
--<q> announces the tag of the NEXT turn.

Each of your answers has three parts:
1. The first line is the tag of the command in angle brackets and nothing else, without the \
exclamation mark: `!<q> --minor` is answered with `<q>`.
2. Your text.
3. The last line is the footer and nothing else, exactly in this form:
{footer}
Tag is the tag of your first line, an underscore, and how often you have used that tag in this \
conversation. Sources names what you rely on, or is none. Assumptions counts what you assume. \
Cycle runs 1/{cycle}, 2/{cycle}, {cycle}/{cycle} and begins again. Locus names the part of the \
work. No value holds | or ]. Nothing follows the footer, and it stands in no code block.

A message without a command goes on with the turn before it: use the tag of that turn.
If a command is invalid (its tag is unknown, its modifiers contradict each other or do not exist), \
your first line is `<{error}>`, your text says what is wrong, and the footer closes it as always. \
The command `!<{error}> --<tag>` asks you to answer with `<tag>`, `!<{operator}>` with `<o>`, and \
`!<{error}>` alone with `<{error}>` and a description of what went wrong.
"""


def system_prompt(version: str) -> str:
    """Return the system prompt that explains VPP, with `version` in the footer."""
    example = {
        "Version": f"v{version}",
        "Tag": f"{ASSISTANT_TAGS[0]}_1",
        "Sources": "none",
        "Assumptions": "0",
        "Cycle": f"1/{CYCLE_LENGTH}",
        "Locus": CANONICAL.steps[0].locus,
    }
    return _TEXT.format(
        version=version,
        tags="\n".join(f"- {tag.name}: {tag.intent}" for tag in TAGS),
        footer=f"[{' | '.join(f'{name}={example[name]}' for name in FIELDS)}]",
        cycle=CYCLE_LENGTH,
        error=ERROR,
        operator=OPERATOR_ERROR,
    )
