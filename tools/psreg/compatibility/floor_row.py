"""A row of the decision table: which kind of change requires which version step.

A row is one function, like a rule: it gets the same part of two releases, the older one first, and
yields the changes of its kind. Its docstring is the published text: the first sentence says what
changed, the rest why it requires this step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from psreg.core.version import Step

T = TypeVar("T")

MAJOR, MINOR, PATCH = Step.MAJOR, Step.MINOR, Step.PATCH

READ = "behaviour, please read"
"""The mark of a new wording that changes what the assistant does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A change found by a row's function: a message, its location, and the two values as text.

    `pointer` is a JSON pointer into the newer file (into the older one if the value was removed),
    the name of a variable, or the path of a file; "" is the whole artifact. `before` and `after`
    are "" if there is no value.
    """

    message: str
    pointer: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One difference: a `Changed` with the id, the step and the reason of its row.

    `behaviour` marks a change of wording that changes what the assistant does: a person should
    read it, however small the step is.
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
class Row(Generic[T]):
    """One row: its id, the step it requires, and the function that finds such changes."""

    id: str
    step: Step
    behaviour: bool
    find: Callable[[T, T], Iterator[Changed]]
    doc: str

    @property
    def summary(self) -> str:
        """The first sentence of the docstring: what changed."""
        return " ".join(self.doc.partition("\n\n")[0].split())

    @property
    def reason(self) -> str:
        """The docstring after its summary, on one line: why this requires the step."""
        return " ".join(self.doc.partition("\n\n")[2].split())

    def differences(self, before: T, after: T) -> Iterator[Difference]:
        """Yield the changes of this kind from `before` to `after`."""
        reason = self.reason
        for changed in self.find(before, after):
            yield Difference(
                row=self.id,
                step=self.step,
                message=changed.message,
                reason=reason,
                pointer=changed.pointer,
                before=changed.before,
                after=changed.after,
                behaviour=self.behaviour,
            )


def row(
    identifier: str, step: Step, *, behaviour: bool = False
) -> Callable[[Callable[[T, T], Iterator[Changed]]], Row[T]]:
    """Make a row of a function; `behaviour` marks all differences that it finds."""

    def define(find: Callable[[T, T], Iterator[Changed]]) -> Row[T]:
        doc = find.__doc__ or ""
        return Row(id=identifier, step=step, behaviour=behaviour, find=find, doc=doc)

    return define
