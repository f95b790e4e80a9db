"""Fitting parts of different weight into a text of limited length.

Every part has a share that it may use whatever the others need; what is left goes to the parts in
order of weight. What does not fit is counted, so that nobody takes a part for the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of a text: `before`, as many of the `blocks` as fit, `after`; nothing of no block.

    `more` says that blocks are left out, with `{}` for how many. Where room is short, the parts of
    the least `weight` go first; `share` are the characters that a part has in any case.
    """

    blocks: tuple[str, ...]
    weight: int
    share: int
    before: str = ""
    after: str = ""
    more: str = "\n…and {} more.\n"

    def text(self, count: int) -> str:
        """Return the part with the first `count` blocks."""
        if not self.blocks:
            return ""
        if not count:
            return self.left_out(count)
        return "".join([self.before, *self.blocks[:count], self.left_out(count), self.after])

    def left_out(self, count: int) -> str:
        """Return what says that the blocks behind the first `count` are not there."""
        return self.more.format(len(self.blocks) - count) if count < len(self.blocks) else ""


def fitted(parts: Sequence[Part], limit: int) -> str:
    """Return the parts, in their order, in at most `limit` characters.

    The shares together, and what says that blocks are left out, have to fit into `limit`.
    """
    sizes = [list(accumulate(map(len, part.blocks), initial=0)) for part in parts]
    counts = [0] * len(parts)
    room = limit - sum(len(part.text(0)) for part in parts)
    ranked = sorted(range(len(parts)), key=lambda at: -parts[at].weight)
    for shared in (True, False):
        for at in ranked:
            part, used = parts[at], _size(parts[at], sizes[at], counts[at])
            while counts[at] < len(part.blocks):
                size = _size(part, sizes[at], counts[at] + 1)
                if size - used > room or (shared and size > part.share):
                    break
                room -= size - used
                used = size
                counts[at] += 1
    return "".join(part.text(count) for part, count in zip(parts, counts, strict=True))


def _size(part: Part, sizes: Sequence[int], count: int) -> int:
    """Return how long the part is with the first `count` blocks."""
    around = len(part.before) + len(part.after) if count else 0
    return around + sizes[count] + len(part.left_out(count))
