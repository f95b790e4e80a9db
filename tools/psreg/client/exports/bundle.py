"""A prompt together with those that it calls as `@psreg:NAME`, in one text for an assistant.

Each is between two lines that have the digest of its artifact, which its own text cannot contain:
nothing in a prompt ends its part early.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from psreg.core.dataclass import dataclass
from psreg.core.errors import FindingsError, PsregError
from psreg.core.identity import calls_in
from psreg.formats.json.json_document import strings_in

MOST = 100
"""The prompts of a bundle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A prompt of a bundle: what it is, the text that an assistant gets, and what that calls."""

    name: str
    version: str
    sha256: str
    text: str
    calls: Sequence[str] = ()

    @property
    def title(self) -> str:
        """Name and version, if it has one."""
        return f"{self.name} {self.version}".strip()


def called(value: object) -> tuple[str, ...]:
    """Return the names that a text, or any text in a JSON value, calls, in order of the names."""
    return tuple(sorted({name for text in strings_in(value) for name in calls_in(text)}))


def in_order(main: Part, read: Callable[[str, Part], Part]) -> list[Part]:
    """Return `main` after all that it calls; each is after what it calls itself.

    `read` returns the part of a name that another part calls.

    Raises:
        FindingsError: `CALLS_IN_A_CYCLE`; `TOO_MANY_CALLS`.
    """
    done: dict[str, Part] = {}
    path = {main.name: main}
    while path:
        name, part = next(reversed(path.items()))
        missing = next((other for other in part.calls if other not in done), None)
        if missing is None:
            done[name] = path.pop(name)
            continue
        if missing in path:
            raise _cycle([*path, missing])
        if len(done) + len(path) == MOST:
            raise FindingsError(
                "TOO_MANY_CALLS",
                f"a bundle has at most {MOST} prompts, and {main.name} calls more",
                "Leave out `--bundle`.",
            )
        path[missing] = read(missing, part)
    return [*done.values()]


def _cycle(names: Sequence[str]) -> PsregError:
    return FindingsError(
        "CALLS_IN_A_CYCLE",
        f"these prompts call each other: {' -> '.join(names)}",
        "Tell the author of one of them.",
    )


def written(parts: Sequence[Part]) -> str:
    """Return the text of a bundle, whose last part is the one to run."""
    *others, main = parts
    if not others:
        return main.text
    names = ", ".join(f"`@psreg:{each.name}`" for each in others)
    told = f"Run {main.title}, the last prompt below. Where it says {names}, use that prompt.\n\n"
    return told + "\n".join(_fenced(parts))


def _fenced(parts: Iterable[Part]) -> Iterable[str]:
    for part in parts:
        label = f"{part.title} sha256:{part.sha256}"
        end = "" if part.text.endswith("\n") else "\n"
        yield f"===== BEGIN {label} =====\n{part.text}{end}===== END {label} =====\n"
