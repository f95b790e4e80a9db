"""A row of the decision table: what kind of change demands which step of the version.

A row is one function, as a rule is: it gets two parsed artifacts or release.toml files and yields
what changed of its kind. Its docstring is the published text: the first sentence says what
changed, the rest why it asks for this step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from psreg.version import Step

T_contra = TypeVar("T_contra", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that changed. `pointer` is a JSON pointer or the name of a variable.

    `before` and `after` are short texts of the two values, "" where there is none. `behaviour`
    marks a change of wording that changes what the assistant does: a person should read it.
    """

    row: str
    step: Step
    message: str
    reason: str
    pointer: str = ""
    before: str = ""
    after: str = ""
    behaviour: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Generic[T_contra]):
    """One row: its id, the step it demands, and the function that finds such changes."""

    id: str
    step: Step
    find: Callable[[T_contra, T_contra], Iterator[Difference]]
    doc: str
