"""What is left of a trial: its transcript, and the `[[tested]]` row for release.toml.

The transcript is evidence that psreg can read. Its first record has the artifact, platform, model,
date and settings in `run`; its last record says in `ended` why the conversation ended. Programs
that do not know these members can ignore them.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from psreg.conversations.trial import Session, Turn
from psreg.core.errors import FindingsError
from psreg.protocols.pb2s.proof_rules import CUT_OFF


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialMetadata:
    """The facts about a trial besides its messages. `platform` is "" if it is not known.

    `model` is the requested one. `result` is `pass`, `partial` or `fail` as the user judged it, or
    "", and `notes` say what did not work.
    """

    platform: str
    model: str
    day: date
    settings: Mapping[str, float | int]
    result: str = ""
    notes: str = ""


def transcript(session: Session, at: TrialMetadata) -> str:
    """Return the transcript so far as JSON Lines; `ended` is missing while the trial runs.

    The part of an answer that has arrived is in it.
    """
    partial = Turn(role="assistant", content="".join(session.partial), cut=True)
    records = [_record(turn) for turn in (*session.turns, *([partial] if session.partial else []))]
    records[0]["run"] = _run(session, at)
    if session.ended:
        records[-1]["ended"] = str(session.ended)
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)


def _record(turn: Turn) -> dict[str, Any]:
    more = {
        "reasoning": turn.reasoning,
        "finish_reason": turn.finish if turn.finish in CUT_OFF else "",
        "cut": turn.cut,
    }
    given = {key: value for key, value in more.items() if value}
    return {"role": turn.role, "content": turn.content, **given}


def _run(session: Session, at: TrialMetadata) -> dict[str, Any]:
    """Return the header of a run: what was run, where, when, and with what result."""
    answered = session.model or at.model
    more = {
        "requested": at.model if at.model != answered else "",
        "models": session.models if len(session.models) > 1 else (),
        "tokens": session.tokens,
        "undone": session.undone,
        "result": at.result,
        "notes": at.notes,
    }
    return {
        "artifact": session.prompt.file,
        "sha256": session.prompt.sha256,
        **({"platform": at.platform} if at.platform else {}),
        "model": answered,
        "date": at.day.isoformat(),
        "settings": dict(at.settings),
        **{key: value for key, value in more.items() if value},
    }


def row_of(session: Session, at: TrialMetadata, evidence: str) -> str:
    """Return the `[[tested]]` row for release.toml, with blanks for the user to fill in."""
    settings = ", ".join(f"{key} = {value}" for key, value in at.settings.items())
    blank = "" if at.platform else "   # the id of the platform"
    judge = "" if at.result else "   # pass, partial or fail: read the transcript and decide"
    lines = [
        "[[tested]]",
        f"platform = {_quoted(at.platform)}{blank}",
        f"model = {_quoted(session.model or at.model)}",
        f"date = {at.day.isoformat()}",
        f'sha256 = "{session.prompt.sha256}"',
        f"result = {_quoted(at.result)}{judge}",
        *([f"notes = {_quoted(at.notes)}"] if at.notes else []),
        *([f"settings = {{{settings}}}"] if settings else []),
        *([f"evidence = {_quoted(evidence)}   # ended: {session.ended}"] if evidence else []),
    ]
    return "".join(f"{line}\n" for line in lines)


def with_row(release: bytes, row: str, path: str) -> bytes:
    """Return release.toml with one more `[[tested]]` row at its end; nothing else changes.

    Raises:
        FindingsError: UNREADABLE; the file is not TOML, or a row cannot be added to it.
    """
    ending = b"\r\n" if b"\r\n" in release else b"\n"
    gap = ending if release.endswith(b"\n") or not release else ending * 2
    added = row.encode().replace(b"\n", ending)
    edited = (release + gap if release else b"") + added
    try:
        tomllib.loads(edited.decode())
    except (ValueError, RecursionError) as error:
        hint = f"Run `psreg check {path}`, then add the row yourself."
        message = f"a row cannot be added to {path}: {error}"
        raise FindingsError("UNREADABLE", message, hint, tuple(row.splitlines())) from error
    return edited


def _quoted(text: str) -> str:
    """Return `text` as a TOML string: like JSON, except for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
