"""The terminal side of `psreg try`: reads the user's turns, shows and records the conversation.

The transcript is rewritten before each request and after each answer, so that nothing is lost if
the program stops.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from errno import ENOENT
from pathlib import Path

from psreg.conversations.trial import (
    COMMANDS,
    EDIT,
    UNDO,
    Exchange,
    LoadedPrompt,
    Session,
    save_warning,
)
from psreg.conversations.trial_record import TrialMetadata, row_of, transcript, with_row
from psreg.core.errors import PsregError, UsageError
from psreg.formats.conversation.reader import read_conversation
from psreg.formats.conversation.saves import save_in
from psreg.system.atomic import cannot_write, write_file
from psreg.system.console import Console
from psreg.system.files import MAX_FILE, read_named, real_path
from psreg.system.message_input import QUOTES, MessageInput, edited_message

STANDARD_INPUT = Path("-")

_PARTS = 100
"""All but one of so many parts of an answer are kept if the program is killed."""

_LONG = 200_000
"""Characters of an answer that are kept so."""


@dataclass(slots=True, kw_only=True)
class Trial:
    """One conversation of `psreg try`. `faults` are those of the last requested save.

    `release` is the release.toml that gets the row, None for none.
    """

    console: Console
    session: Session
    metadata: TrialMetadata
    record: Path | None
    save: Path | None
    release: Path | None = None
    faults: tuple[str, ...] = ()
    saved: bool = False
    _open: bool = False
    _received: int = 0

    @property
    def shown(self) -> bool:
        """Whether the conversation is shown."""
        return not (self.console.machine or self.console.quiet)

    def show(self, piece: str) -> None:
        """Keep what has arrived of the assistant's answer, and show the next piece of it."""
        pieces = len(self.session.partial)
        self._received = len(piece) + (self._received if pieces > 1 else 0)
        # A long answer is not written for each piece, and a very long one not until its end.
        if self._received <= _LONG and pieces % max(1, pieces // _PARTS) == 0:
            self.write(durable=False)
        if self.shown:
            self._open = True
            self.console.piece(piece)

    def echo(self, text: str) -> None:
        """Show a user turn that was not typed on the terminal."""
        if self.shown:
            for line in text.split("\n"):
                self.console.line(f"> {line}")

    def keep(self, exchange: Exchange) -> None:
        """Record an exchange, and write the save in it."""
        self._end_line()
        self.write()
        if exchange.cut:
            filtered = exchange.finish == "content_filter"
            why = "by a content filter" if filtered else "at the model's limit"
            self.console.warn(f"psreg: warning: this answer was cut off {why}")
        if not exchange.save_requested:
            return
        self.faults = exchange.faults
        for fault in exchange.faults:
            self.console.warn(f"psreg: invalid save: {fault}")
        if self.save is not None and exchange.save is not None and not exchange.faults:
            write_file(self.save, f"{exchange.save.text}\n".encode())
            self.saved = True
            self.console.note(f"psreg: wrote {self.save}")

    def open(self) -> None:
        """Check that the save and the transcript can be written, before anything is sent.

        Raises:
            UnavailableError: CANNOT_WRITE.
            UsageError: NO_SAVES; EXISTS, the file exists and is not a save of this prompt.
        """
        if self.save is not None:
            self._check_save(self.save)
        if self.record is not None:
            _make_folder(self.record)
            write_file(self.record, b"")

    def _check_save(self, place: Path) -> None:
        saves = self.session.prompt.saves
        if saves is None:
            raise UsageError("NO_SAVES", f"{self.session.prompt.file} has no save system")
        if not place.absolute().parent.is_dir():
            raise cannot_write(place, FileNotFoundError(ENOENT, "its folder does not exist"))
        if place.exists():
            found = save_in(read_named(place, MAX_FILE).decode(errors="replace"))
            if found is None or saves.key not in found.value:
                message = f"{place} already exists and is not a save of this prompt"
                raise UsageError("EXISTS", message, "Name another file.")

    def close(self) -> None:
        """Write the transcript, however the conversation ended."""
        self._end_line()
        self.write()

    def report(self) -> None:
        """Print why the conversation ended, and the row for release.toml."""
        self._withdraw_pass()
        row = self.row
        if self.release is not None:
            edited = with_row(read_named(self.release, MAX_FILE), row, str(self.release))
            write_file(self.release, edited)
        if self.console.machine:
            return
        tokens = ", ".join(f"{n:,} {name}" for name, n in self.session.tokens.items())
        self.console.note(f"psreg: the conversation ended: {self.session.ended}")
        if tokens:
            self.console.note(f"psreg: {tokens}".replace("_", " "))
        if self.release is not None:
            self.console.note(f"psreg: wrote {self.record}, and its row to {self.release}")
        elif self.record is not None:
            for line in (f"psreg: wrote {self.record}; add to release.toml:", "", *row.split("\n")):
                self.console.note(line)

    def _withdraw_pass(self) -> None:
        """Replace the result `pass` if an answer was cut off, and write the transcript."""
        if self.metadata.result == "pass" and any(turn.cut for turn in self.session.turns):
            self.console.warn("psreg: warning: an answer was cut off; the result is `partial`")
            notes = self.metadata.notes or "An answer was cut off by a limit or a filter."
            self.metadata = replace(self.metadata, result="partial", notes=notes)
            self.write()

    @property
    def row(self) -> str:
        """The row for release.toml; it cites the transcript relative to that file."""
        evidence = f"evidence/{self.record.name}" if self.record else ""
        if self.record and self.release:
            evidence = cited_path(self.record, self.release)
        return row_of(self.session, self.metadata, evidence)

    def document(self) -> dict[str, object]:
        """Return the conversation as the JSON object that `psreg try --format json` prints."""
        session = self.session
        return {
            "schema": "psreg.try/1",
            "artifact": session.prompt.file,
            "sha256": session.prompt.sha256,
            "platform": self.metadata.platform,
            "model": session.model or self.metadata.model,
            "ended": str(session.ended),
            "turns": [{"role": turn.role, "content": turn.content} for turn in session.turns],
            "tokens": dict(session.tokens),
            "record": str(self.record) if self.record else None,
            "save": str(self.save) if self.saved else None,
            "faults": list(self.faults),
            "row": self.row,
        }

    def write(self, *, durable: bool = True) -> None:
        """Write the transcript so far."""
        if self.record is not None:
            text = transcript(self.session, self.metadata)
            write_file(self.record, text.encode("utf-8", "replace"), durable=durable)

    def _end_line(self) -> None:
        if self._open:
            self.console.piece("\n\n")
        self._open = False


def _make_folder(record: Path) -> None:
    """Create `evidence/` if it is missing, but no further folders: the path may be mistyped."""
    try:
        record.absolute().parent.mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(record, error) from error


def cited_path(record: Path, release: Path) -> str:
    """Return the path of a transcript as release.toml cites it: relative to its folder.

    Raises:
        UsageError: the transcript is not below that folder.
    """
    folder = real_path(release.absolute().parent)
    place = real_path(record.absolute().parent) / record.name
    if not place.is_relative_to(folder):
        message = f"{record} is not below the folder of {release}"
        raise UsageError("USAGE", message, "Record into the folder `evidence` beside release.toml.")
    return place.relative_to(folder).as_posix()


def typed_turns(console: Console, trial: Trial) -> Iterator[str]:
    """Yield the messages of standard input, with a prompt on a terminal."""
    terminal = sys.stdin.isatty()
    interactive = trial.session.prompt.interactive
    if terminal and not interactive:
        return  # the conversation ends with its script, and there is none
    if terminal:
        hint = f"put {QUOTES} before and after several lines"
        console.note(f"psreg: type a line and press Enter; {hint}; {', '.join(sorted(COMMANDS))}")
        console.note("psreg: /exit or Ctrl-D ends the conversation")
    source = MessageInput(COMMANDS if interactive else ())
    prompt = "> " if terminal and trial.shown else ""
    while True:
        if not source.editing:
            console.piece(prompt)
        text = source.message(prompt)
        if text is None:
            return
        if interactive and text == EDIT:
            text = _edited(console, go_on=terminal)
            trial.echo(text)
        elif interactive and text == UNDO:
            console.note("psreg: took back the last turn and its answer")
        if text:
            yield from _said(text, console, trial, echo=not terminal)


def _edited(console: Console, *, go_on: bool) -> str:
    """Return the message written in the editor; "" if that fails and the conversation can go on."""
    try:
        return edited_message()
    except PsregError as error:
        if not go_on:
            raise
        console.warn(f"psreg: {error.message}. {error.hint}".rstrip())
        return ""


def script_of(path: Path, prompt: LoadedPrompt) -> tuple[str, ...]:
    """Return the turns of a script: its lines, or the user turns of a transcript.

    The turns of a recorded transcript that load the prompt are omitted.

    Raises:
        UsageError: BAD_SCRIPT, the script is empty or an invalid transcript.
        UnavailableError: the file cannot be read.
    """
    data = sys.stdin.buffer.read(MAX_FILE) if path == STANDARD_INPUT else read_named(path, MAX_FILE)
    if path.suffix == ".jsonl":
        found = read_conversation(data, path.name)
        turns = [turn.content for turn in found.turns if turn.role == "user"]
        while turns and turns[0] in prompt.loading:
            del turns[0]
        if found.issues:
            raise UsageError("BAD_SCRIPT", f"{path}: {found.issues[0].message}")
    else:
        turns = [line.strip() for line in data.decode(errors="replace").splitlines()]
    if not any(turns):
        raise UsageError("BAD_SCRIPT", f"{path} is empty", "Write one turn per line.")
    return tuple(filter(None, turns))


def script_turns(script: Iterable[str], console: Console, trial: Trial) -> Iterator[str]:
    """Yield the turns of a script, and show them."""
    for turn in script:
        yield from _said(turn, console, trial, echo=True)


def _said(text: str, console: Console, trial: Trial, *, echo: bool) -> Iterator[str]:
    """Yield `text`, after showing it and warning about a save in it."""
    if echo:
        trial.echo(text)
    if warning := save_warning(trial.session.prompt, text):
        console.warn(f"psreg: warning: {warning}")
    yield text
