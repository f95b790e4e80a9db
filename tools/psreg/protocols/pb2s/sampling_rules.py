"""The rules about sampling, as far as an exchange tells of it (READINGS PB2S-A13)."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.pb2s.reply import Reply

HIGHEST_TEMPERATURE = 0.2


@rule("PB2S023", spec="pb2s-0.2/PB2S-09 pb2s-0.2/PB2S-A13", severity=ERROR)
def temperature_too_high(reply: Reply) -> Iterator[Finding]:
    """The temperature that the exchange tells is above 0.2, and nothing says why.

    ## Why
    The same question should get the same examination. A higher temperature is allowed where it is
    documented. An endpoint that tells no temperature cannot be judged, and is not.

    ## Fix
    Lower the temperature. Where it has to be higher, say so in the README, and put a `waiver` with
    the reason into the reply, the proof or its `sampler`.

    ```text
    before   "sampler": {"temperature": 0.9}
    after    "sampler": {"temperature": 0.2, "seed": 7}
    ```
    """
    for pointer, value in reply.temperatures:
        if value > HIGHEST_TEMPERATURE and not reply.waived:
            yield Finding(
                message=f"the temperature is {value:g}; the highest is {HIGHEST_TEMPERATURE}",
                at=pointer,
                hint="Lower it, or document it and say so in `waiver`.",
            )
            return  # a sampler is told in more than one place, and is the same one


@rule("PB2S024", spec="pb2s-0.2/PB2S-09", severity=WARNING)
def seed_not_fixed(reply: Reply) -> Iterator[Finding]:
    """The seed differs from that of an earlier answer in the same run.

    ## Why
    A fixed seed is what makes an answer repeatable where the model allows it. One that changes
    from answer to answer is told, but fixed it is not.

    ## Fix
    Use one seed for all answers.

    ```text
    before   "seed": 7   "seed": 8
    after    "seed": 7   "seed": 7
    ```
    """
    for pointer, value in reply.seeds:
        if reply.seed is not None and value != reply.seed:
            yield Finding(
                message=f"the seed is {value}; an earlier answer had {reply.seed}",
                at=pointer,
                hint="Use one seed for all answers.",
            )
            return
