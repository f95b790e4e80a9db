"""The input of a conformance run, and its result for each prompt.

Each protocol has one function from a `Run` to its `Probe`s, a row of the table in `conform.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from psreg.conversations.model import Ask, Post
from psreg.core.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A message for the endpoint. `id` identifies it in the report."""

    id: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The endpoint as two ports, and the options of the command line.

    `prompts` are the caller's, () for the protocol's own. `trace` reads the endpoint's current
    trace log, None if there is none. `documented` means that the endpoint's temperature is
    documented, whatever it is (PB2S-A13).
    """

    ask: Ask
    post: Post
    model: str = ""
    prompts: tuple[Prompt, ...] = ()
    trace: Callable[[], bytes] | None = None
    documented: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One prompt, its answer and the findings about it.

    The `path` of the diagnostics is the `id`; their `excerpt` is the evidence. `notes` list what
    could not be verified.
    """

    id: str
    prompt: str
    answer: str
    diagnostics: tuple[Diagnostic, ...] = ()
    notes: tuple[str, ...] = ()
