"""Try a prompt: load it as its specification says, hold the conversation, and record it.

A PBE becomes the system message, which sets the parameters of the assistant. Then its opening is
sent: `start_play.instruction`, or `install_instructions` if there is nothing else to send (PBE-17).
A `.prompt` is rendered and sent. Pure: user turns are an argument, and the assistant is a port.

The transcript is evidence that psreg can read. Its first record has the artifact, model and
settings in `run`; its last record says in `ended` why the conversation ended. Programs that do not
know these members can ignore them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any

from psreg.client.render import fill
from psreg.conversations.model import ChatReply, ChatRequest, Message
from psreg.conversations.saves import Save, SaveSystem, save_in
from psreg.core.classes import Format, detect_format
from psreg.core.diagnostics import ERROR, Mode, described
from psreg.core.errors import FindingsError, UsageError
from psreg.formats import pbe
from psreg.formats.pbe import Pbe
from psreg.lint.files.pbe_rules import PBE_RULES
from psreg.lint.files.syntax_rules import JSON_RULES
from psreg.lint.locate import judge

LEAVE = "/exit"
"""What the user types to end a conversation."""

AskStreaming = Callable[[ChatRequest, Callable[[str], None]], ChatReply]
"""Continues a chat; the second argument receives the answer piece by piece."""


class EndReason(StrEnum):
    """Why a conversation ended; if the endpoint failed, the error code is used instead."""

    EXIT = "exit"
    INPUT = "end of input"
    SCRIPT = "end of script"
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPrompt:
    """A prompt ready to be sent: `system` and `opening` come before the first turn of the user.

    `fallback` is sent if there is nothing else to send. `interactive` is False if the conversation
    ends with its script. `sha256` is the file's. `notes` are warnings about the file.
    """

    file: str
    sha256: str
    system: str
    opening: tuple[str, ...]
    fallback: str
    interactive: bool
    saves: SaveSystem | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One user turn and its answer. `save` is the requested save in it, with its `faults`.

    `finish` is why the assistant stopped, as the endpoint reports it.
    """

    said: str
    answer: str
    finish: str = ""
    save_requested: bool = False
    save: Save | None = None
    faults: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Session:
    """One conversation: its `messages`, and the `partial` answer that is being received."""

    prompt: LoadedPrompt
    ask: AskStreaming
    show: Callable[[str], None]
    settings: ChatRequest
    messages: list[Message] = field(default_factory=list)
    partial: list[str] = field(default_factory=list)
    model: str = ""
    ended: str = ""

    def __post_init__(self) -> None:
        if self.prompt.system:
            self.messages.append(Message(role="system", content=self.prompt.system))

    @property
    def nothing_sent(self) -> bool:
        """Whether no user turn has been sent."""
        return all(message.role == "system" for message in self.messages)

    def say(self, text: str) -> Exchange:
        """Send a user turn and return the exchange. Raises EndpointError."""
        self.messages.append(Message(role="user", content=text))
        self.partial = []
        reply = self.ask(replace(self.settings, messages=tuple(self.messages)), self._receive)
        self.partial = []
        self.messages.append(Message(role="assistant", content=reply.text))
        self.model = reply.model or self.model
        saves = self.prompt.saves
        exchange = Exchange(said=text, answer=reply.text, finish=reply.finish)
        if saves is None or not saves.is_trigger(text):
            return exchange
        save = save_in(reply.text)
        faults = saves.faults(save) if save else ("the answer contains no save",)
        return replace(exchange, save_requested=True, save=save, faults=faults)

    def _receive(self, piece: str) -> None:
        self.partial.append(piece)
        self.show(piece)

    def interrupt(self) -> None:
        """Keep the partial answer, and end."""
        if self.partial:
            self.messages.append(Message(role="assistant", content="".join(self.partial)))
        self.ended = EndReason.INTERRUPTED


def converse(
    session: Session, turns: Iterable[str], *, resume: str = "", until: str = ""
) -> Iterator[Exchange]:
    """Hold the conversation: the opening, a save to resume, then `turns` until it ends.

    It is complete when an answer contains the text `until`, unless that is "". `session.ended`
    says why it ended.

    Raises:
        EndpointError: there is no usable answer; the session keeps the messages before it.
    """
    interactive = session.prompt.interactive
    loading = (*session.prompt.opening, *([resume] if resume else ()))
    for text in loading:
        yield session.say(text)
    for text in turns:
        if text.strip() == LEAVE and interactive:
            session.ended = EndReason.EXIT
            return
        exchange = session.say(text)
        yield exchange
        if until and until in exchange.answer:
            session.ended = EndReason.COMPLETE
            return
    if session.nothing_sent and session.prompt.fallback:
        yield session.say(session.prompt.fallback)
    session.ended = EndReason.INPUT if interactive else EndReason.SCRIPT


def load(data: bytes, *, path: str, values: Mapping[str, str]) -> LoadedPrompt:
    """Return the prompt in `data`, ready to be sent; messages call it `path`.

    Raises:
        FindingsError: it is invalid even in read mode, or is a persistent service.
        UsageError: it has neither format, or values are given for a PBE.
    """
    name = PurePosixPath(path).name
    form = detect_format(name, data[:4096].decode("utf-8", "replace"))
    if form is None:
        raise UsageError("UNKNOWN_FORMAT", f"{path} is neither a PBE nor a .prompt file")
    digest = hashlib.sha256(data).hexdigest()
    if form is Format.PROMPT:
        filled = fill(data, path=path, values=values)
        missing = (f"no value for `{{{name}}}`" for name in filled.rendering.missing)
        unknown = (f"unknown variable `{name}`" for name in filled.rendering.unknown)
        return LoadedPrompt(
            file=name,
            sha256=digest,
            system="",
            opening=(filled.rendering.text,),
            fallback="",
            interactive=True,
            saves=None,
            notes=(*map(described, filled.flaws), *missing, *unknown),
        )
    if values:
        raise UsageError("USAGE", f"{path} is a PBE, which has no variables to fill in")
    return _engine(pbe.read(data), path, digest)


def _engine(document: Pbe, path: str, digest: str) -> LoadedPrompt:
    found = [*judge(JSON_RULES, document.tree, document.tree, path, Mode.READ)]
    if document.tree.parsed:
        found += judge(PBE_RULES, document, document.tree, path, Mode.READ)
    errors = [d for d in found if d.severity is ERROR]
    if errors:
        hint = f"Run `psreg check --read {path}`."
        reasons = tuple(map(described, errors))
        raise FindingsError("UNREADABLE", f"{path} cannot be run:", hint, reasons)
    if document.pbe_class == "persistent_service":
        message = f"{path} is a `persistent_service`, a reserved class that nothing executes today"
        raise FindingsError("NOT_EXECUTED", message)
    start = document.text("start_play", "instruction")
    return LoadedPrompt(
        file=PurePosixPath(path).name,
        sha256=digest,
        system=document.tree.text.removeprefix("\ufeff"),
        opening=(start,) if start else (),
        fallback=document.text("install_instructions") or "",
        interactive=document.pbe_class == "interactive_engine",
        saves=_saves(document),
    )


def _saves(document: Pbe) -> SaveSystem | None:
    template = document.get("save_system", "save_template")
    key = document.text("save_system", "load_detection", "recognition_key")
    phrases = document.get("save_system", "trigger_phrases")
    if not isinstance(template, dict) or not key or not isinstance(phrases, list):
        return None
    triggers = tuple(phrase for phrase in phrases if isinstance(phrase, str))
    return SaveSystem(key=key, template=template, triggers=triggers)


def save_to_resume(prompt: LoadedPrompt, data: bytes, path: str) -> str:
    """Return the text of the save in `data`, to send to the assistant.

    Raises:
        UsageError: NO_SAVES, the prompt has no save system.
        FindingsError: BAD_SAVE, it does not match the save template; FOREIGN_SAVE, it belongs to
            another prompt.
    """
    if prompt.saves is None:
        raise UsageError("NO_SAVES", f"{prompt.file} has no save system to resume from")
    save = save_in(data.decode(errors="replace"))
    if save is None:
        raise FindingsError("BAD_SAVE", f"{path} is not a JSON object")
    if foreign := prompt.saves.foreign_key(save):
        message = f"{path} is a save of `{foreign}`; {prompt.file} resumes `{prompt.saves.key}`"
        raise FindingsError("FOREIGN_SAVE", message, "Try the prompt that the save belongs to.")
    if faults := prompt.saves.faults(save):
        message = f"{path} does not match the save template:"
        raise FindingsError("BAD_SAVE", message, details=tuple(faults))
    return save.text


def save_warning(prompt: LoadedPrompt, text: str) -> str:
    """Return a warning about a save that the user is about to send; "" if there is none."""
    save = save_in(text) if prompt.saves and text.lstrip().startswith("{") else None
    if save is None or prompt.saves is None:
        return ""
    if foreign := prompt.saves.foreign_key(save):
        return f"this is a save of `{foreign}`; {prompt.file} resumes `{prompt.saves.key}`"
    return "; ".join(prompt.saves.faults(save)) if save.keys else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialMetadata:
    """The facts about a trial besides its messages. `platform` is "" if it is not known."""

    platform: str
    model: str
    day: date
    settings: Mapping[str, float | int]


def transcript(session: Session, at: TrialMetadata) -> str:
    """Return the transcript so far as JSON Lines; `ended` is missing while the trial runs."""
    records: list[dict[str, Any]] = [
        {"role": message.role, "content": message.content} for message in session.messages
    ]
    if not records:
        return ""
    records[0]["run"] = {
        **({"platform": at.platform} if at.platform else {}),
        "artifact": session.prompt.file,
        "sha256": session.prompt.sha256,
        "model": session.model or at.model,
        "date": at.day.isoformat(),
        "settings": dict(at.settings),
    }
    if session.ended:
        records[-1]["ended"] = str(session.ended)
        if session.ended == EndReason.INTERRUPTED and session.partial:
            records[-1]["cut"] = True
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)


def row_of(session: Session, at: TrialMetadata, evidence: str) -> str:
    """Return the `[[tested]]` row for release.toml, with blanks for the user to fill in."""
    settings = ", ".join(f"{key} = {value}" for key, value in at.settings.items())
    blank = "" if at.platform else "   # the id of the platform"
    lines = [
        "[[tested]]",
        f"platform = {_quoted(at.platform)}{blank}",
        f"model = {_quoted(at.model or session.model)}",
        f"date = {at.day.isoformat()}",
        f'sha256 = "{session.prompt.sha256}"',
        'result = ""   # pass, partial or fail: read the transcript and decide',
        *([f"settings = {{{settings}}}"] if settings else []),
        *([f"evidence = {_quoted(evidence)}   # ended: {session.ended}"] if evidence else []),
    ]
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    """Return `text` as a TOML string: like JSON, except for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
