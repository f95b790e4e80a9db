"""Comments on lines of a pull request: which of ours to keep, delete and create.

A comment is recognized by its first line, which is hidden and identifies the text it is about. The
forge's adapter leaves out comments that other accounts wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from psreg.forges.rest_api import ForgeRefusedError

_NOT_THERE = (400, 422)
"""The statuses with which GitLab and GitHub refuse a remark on lines outside of their diff."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A comment on the lines `first` to `last` of `path` at the head."""

    path: str
    first: int
    last: int
    body: str

    @property
    def key(self) -> tuple[str, int]:
        """What identifies it: the first line of its text, and its last line in the file."""
        return first_line(self.body), self.last


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """A remark of ours on the forge; `key` is as above, with line 0 if it is outdated."""

    id: int
    key: tuple[str, int]


def first_line(body: str) -> str:
    """Return the line that identifies a remark."""
    return body.partition("\n")[0].rstrip("\r")


def settle(
    posted: Iterable[Posted],
    remarks: Sequence[Remark],
    delete: Callable[[int], None],
    create: Callable[[Remark], None],
) -> int:
    """Delete and create remarks until `posted` are the `remarks`; return how many are refused.

    Raises:
        ForgeError: from `delete` and `create`, except for lines that are not in the diff.
    """
    wanted = {remark.key: remark for remark in remarks}
    for one in posted:
        if wanted.pop(one.key, None) is None:
            delete(one.id)
    refused = 0
    for remark in wanted.values():
        try:
            create(remark)
        except ForgeRefusedError as error:
            if error.status not in _NOT_THERE:
                raise
            refused += 1
    return refused
