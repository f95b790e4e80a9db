"""What a conformance run has at hand, and what it finds out with each thing it tries.

Each protocol has one function from a `Run` to its `Probe`s, a row of the table in `conform.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from psreg.conversations.model import Ask, Post
from psreg.core.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Something to say to the endpoint. `id` names it in the report."""

    id: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The endpoint as two ports, and what the command line says.

    `prompts` are the caller's, () for the protocol's own. `trace` reads the endpoint's trace log
    as it is now, None if none was named. `documented` says that the endpoint's temperature is
    documented, whatever it is (READINGS PB2S-A13).
    """

    ask: Ask
    post: Post
    model: str = ""
    prompts: tuple[Prompt, ...] = ()
    trace: Callable[[], bytes] | None = None
    documented: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One thing that was tried: what was said, what was answered, what the rules say of it.

    The `path` of the diagnostics is the `id`; their `excerpt` is the evidence. `notes` say what
    could not be verified.
    """

    id: str
    prompt: str
    answer: str
    diagnostics: tuple[Diagnostic, ...] = ()
    notes: tuple[str, ...] = ()
