"""What `psreg try` shows, keeps and says at the end; where what is typed comes from.

The transcript is written anew after each exchange, so that whatever ends the program, what was
said is kept.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from errno import ENOENT
from pathlib import Path

from psreg.conversations.saves import save_in
from psreg.conversations.trial import LEAVE, Exchange, Session, remark
from psreg.conversations.trial_record import Circumstances, row_of, transcript
from psreg.core.errors import UsageError
from psreg.formats.conversation.reader import read_conversation
from psreg.system.atomic import cannot_write, write_file
from psreg.system.console import Console
from psreg.system.files import MAX_FILE, read_named

_LONGEST = 256 * 1024
"""Bytes of one line that is typed."""


@dataclass(slots=True, kw_only=True)
class Trial:
    """One run of `psreg try`. `faults` are those of the last save that was asked for."""

    console: Console
    session: Session
    circumstances: Circumstances
    record: Path | None
    save: Path | None
    faults: tuple[str, ...] = ()
    saved: bool = False
    _open: bool = False

    @property
    def shown(self) -> bool:
        """Whether the conversation is shown at all."""
        return not (self.console.machine or self.console.quiet)

    def show(self, piece: str) -> None:
        """Show what the assistant says, as it says it."""
        if self.shown:
            self._open = True
            self.console.piece(piece)

    def echo(self, text: str) -> None:
        """Show what is said to it, where nobody sees it being typed."""
        if self.shown:
            self.console.line(f"> {text}")

    def heard(self, exchange: Exchange) -> None:
        """Keep what was said, and the save in it."""
        self._end_line()
        self._write()
        if exchange.finish == "length":
            self.console.warn("psreg: warning: the model's limit cut this answer off")
        if not exchange.asked:
            return
        self.faults = exchange.faults
        for fault in exchange.faults:
            self.console.warn(f"psreg: this is no save: {fault}")
        if self.save is not None and exchange.save is not None and not exchange.faults:
            write_file(self.save, f"{exchange.save.text}\n".encode())
            self.saved = True
            self.console.note(f"psreg: wrote {self.save}")

    def open(self) -> None:
        """Make sure that what will be said can be kept, before anything is.

        Raises:
            UnavailableError: CANNOT_WRITE.
            UsageError: NO_SAVES; EXISTS, there is a file that is no save of this prompt.
        """
        if self.save is not None:
            self._check_save(self.save)
        if self.record is not None:
            _make_folder(self.record)
            write_file(self.record, b"")

    def _check_save(self, place: Path) -> None:
        saves = self.session.play.saves
        if saves is None:
            raise UsageError("NO_SAVES", f"{self.session.play.file} has no save system")
        if not place.absolute().parent.is_dir():
            raise cannot_write(place, FileNotFoundError(ENOENT, "its folder is not there"))
        if place.exists():
            found = save_in(read_named(place, MAX_FILE).decode(errors="replace"))
            if found is None or saves.key not in found.value:
                message = f"{place} is there already, and is no save of this prompt"
                raise UsageError("EXISTS", message, "name another file")

    def close(self) -> None:
        """Keep what was said, however it ended."""
        self._end_line()
        self._write()

    def report(self) -> None:
        """Say why it ended, and print the row for release.toml."""
        evidence = f"evidence/{self.record.name}" if self.record else ""
        row = row_of(self.session, self.circumstances, evidence)
        if self.console.machine:
            self.console.json(self._document(row))
            return
        self.console.note(f"psreg: it ended: {self.session.ended}")
        if self.record is not None:
            self.console.note(f"psreg: wrote {self.record}; its row in release.toml:\n\n{row}")

    def _document(self, row: str) -> dict[str, object]:
        session = self.session
        return {
            "schema": "psreg.try/1",
            "artifact": session.play.file,
            "sha256": session.play.sha256,
            "model": self.circumstances.model or session.model,
            "ended": str(session.ended),
            "turns": [{"role": m.role, "content": m.content} for m in session.messages],
            "record": str(self.record) if self.record else None,
            "save": str(self.save) if self.saved else None,
            "faults": list(self.faults),
            "row": row,
        }

    def _write(self) -> None:
        if self.record is not None:
            text = transcript(self.session, self.circumstances)
            write_file(self.record, text.encode("utf-8", "replace"))

    def _end_line(self) -> None:
        if self._open:
            self.console.piece("\n\n")
        self._open = False


def _make_folder(record: Path) -> None:
    """Make `evidence/`, which a new entry lacks; not more, since a path may be mistyped."""
    try:
        record.absolute().parent.mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(record, error) from error


def typed(console: Console, trial: Trial) -> Iterator[str]:
    """Yield the lines of standard input, blank ones left out; a terminal is prompted."""
    terminal = sys.stdin.isatty()
    if terminal and not trial.session.play.interactive:
        return  # it ends with its script, and there is none
    if terminal:
        console.note(f"psreg: type a line and press Enter; {LEAVE} or Ctrl-D ends it")
    while True:
        if terminal and trial.shown:
            console.piece("> ")
        line = sys.stdin.buffer.readline(_LONGEST)
        if not line:
            return
        text = line.decode(errors="replace").strip()
        if text:
            yield from _said(text, console, trial, echo=not terminal)


def script_of(path: Path, console: Console, trial: Trial) -> Iterator[str]:
    """Yield what a script says: its lines, or the user's turns of a transcript.

    Of a transcript that `psreg try` recorded the turns that load the prompt are left out.

    Raises:
        UsageError: BAD_SCRIPT, it says nothing, or is a transcript that cannot be read.
        UnavailableError: it cannot be read.
    """
    data = read_named(path, MAX_FILE)
    if path.suffix == ".jsonl":
        found = read_conversation(data, path.name)
        turns = [turn.content for turn in found.turns if turn.role == "user"]
        first = trial.session.play.first
        turns = turns[len(first) :] if tuple(turns[: len(first)]) == first else turns
        if found.issues:
            raise UsageError("BAD_SCRIPT", f"{path}: {found.issues[0].message}")
    else:
        turns = [line.strip() for line in data.decode(errors="replace").splitlines()]
    if not any(turns):
        raise UsageError("BAD_SCRIPT", f"{path} says nothing", "one line is one turn")
    return (said for turn in turns if turn for said in _said(turn, console, trial, echo=True))


def _said(text: str, console: Console, trial: Trial, *, echo: bool) -> Iterator[str]:
    """Give `text` on, after telling what a person should know of it."""
    if echo:
        trial.echo(text)
    if warning := remark(trial.session.play, text):
        console.warn(f"psreg: warning: {warning}")
    yield text
