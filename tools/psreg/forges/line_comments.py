"""Remarks at the lines of a pull request: which of ours stay, which go, which are new.

A remark is known again by its first line, which is hidden: it says of which text it is. Whether
somebody else has written one that begins like it is for the forge's adapter to tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from psreg.forges.rest_api import ForgeRefusedError

_NOT_THERE = (400, 422)
"""How GitLab and GitHub refuse a remark about lines that their diff does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What is to be said of the lines `first` to `last` that `path` has at the head."""

    path: str
    first: int
    last: int
    body: str

    @property
    def key(self) -> tuple[str, int]:
        """What it is known by: its first line and where it stands."""
        return first_line(self.body), self.last


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """A remark of ours as the forge has it; `key` as above, of line 0 if it is out of date."""

    id: int
    key: tuple[str, int]


def first_line(body: str) -> str:
    """Return the line by which a remark is known."""
    return body.partition("\n")[0].rstrip("\r")


def settle(
    posted: Iterable[Posted],
    remarks: Sequence[Remark],
    delete: Callable[[int], None],
    create: Callable[[Remark], None],
) -> int:
    """Delete and create until what is `posted` are the `remarks`; return how many are refused.

    Raises:
        ForgeError: from `delete` and `create`, except that a line is not in the diff.
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
