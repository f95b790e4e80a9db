"""The program of a PLSP loop: a text with the instruction of one cycle on each line.

Blank lines and lines that begin with `#` mean nothing. When the lines are used up, the last one is
sent again in every cycle, so a program of one line is a loop.
"""

from __future__ import annotations

from dataclasses import dataclass

from psreg.core.errors import UsageError
from psreg.protocols.plsp.dialect import PREFIX, read_instruction


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What to say, cycle by cycle, without the prefix; at least one instruction."""

    instructions: tuple[str, ...]

    def instruction(self, cycle: int, before: str = "") -> str:
        """Return the instruction of a `cycle`, from 0, with directives put `before` it."""
        text = self.instructions[min(cycle, len(self.instructions) - 1)]
        return f"INSTR: {before}{text}"


def program_of(data: bytes, path: str, *, imf: str) -> Program:
    """Return the program that `data` is, written in the dialect `imf`, "" for one of its own.

    Raises:
        UsageError: BAD_PROGRAM; it has no instruction, or one that is not in the dialect.
    """
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        prefix = PREFIX.match(line)
        instruction = line[prefix.end() if prefix else 0 :].strip()
        if not instruction or instruction.startswith("#"):
            continue
        instructed = read_instruction(instruction)
        if imf and instructed.fault:
            place = f"{path}:{number}"
            hint = "its grammar is on the page about PLSP; --imf '' takes any language"
            raise UsageError("BAD_PROGRAM", f"{place}: {instructed.fault}", hint)
        found.append(instruction)
    if not found:
        hint = "write an instruction such as @set:$a=1; on each line"
        raise UsageError("BAD_PROGRAM", f"{path} has no instruction", hint)
    return Program(instructions=tuple(found))
