"""Which codes there are; rules about waivers ask for them."""

from __future__ import annotations

from functools import cache

from psreg.core.spelling import nearest


@cache
def known_codes() -> frozenset[str]:
    """Return the codes of all rules."""
    # NOTE: the table of all rules holds the rules that ask, so it is read when they run.
    from psreg.lint.rules import RULES  # noqa: PLC0415

    return frozenset(rule.code for rule in RULES)


def near_code(code: str) -> str:
    """Return a hint for a code that no rule has."""
    near = nearest(code.upper(), sorted(c for c in known_codes()))
    return f"Did you mean {near}?" if near else "See `psreg explain --all` for the codes."
