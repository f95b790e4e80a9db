"""Try a prompt: load it as its specification says, hold the conversation, know why it ended.

A PBE is given to the assistant as the system message, which sets its parameters; then what starts
it is said: `start_play.instruction`, or, if there is nothing else to say, `install_instructions`
(PBE 1.0, "Loading"). A `.prompt` is rendered and said. Pure: what a person types comes in, and what
an assistant says is asked for through a port.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import PurePosixPath

from psreg.client.render import described, fill
from psreg.conversations.model import ChatReply, ChatRequest, Message
from psreg.conversations.saves import Save, SaveSystem, save_in
from psreg.core.diagnostics import ERROR, Mode
from psreg.core.errors import FindingsError, UsageError
from psreg.core.identity import Format, detect_format
from psreg.formats import pbe
from psreg.formats.pbe import Pbe
from psreg.lint.files.json_rules import JSON_RULES
from psreg.lint.files.pbe_rules import PBE_RULES
from psreg.lint.locate import judge

LEAVE = "/exit"
"""What a person types to end a conversation."""

Talk = Callable[[ChatRequest, Callable[[str], None]], ChatReply]
"""Continues a chat; the second argument is given what is said, as it is said."""


class Ended(StrEnum):
    """Why a conversation ended. Where the endpoint failed, its error's code stands instead."""

    EXIT = "exit"
    INPUT = "end of input"
    SCRIPT = "end of script"
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """A prompt made ready: `system` and `first` are what is said before anybody types.

    `alone` is said if nothing else is. `interactive` is False where the conversation ends with its
    script. `sha256` is of the file. `notes` are flaws that did not stop it.
    """

    file: str
    sha256: str
    system: str
    first: tuple[str, ...]
    alone: str
    interactive: bool
    saves: SaveSystem | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What was said and answered. `save` is what was asked for and found, with its `faults`.

    `finish` is why the assistant stopped, as the endpoint says.
    """

    said: str
    answer: str
    finish: str = ""
    asked: bool = False
    save: Save | None = None
    faults: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Session:
    """One conversation. `messages` are all that was said; `partial` what is being said now."""

    play: Play
    talk: Talk
    show: Callable[[str], None]
    settings: ChatRequest
    messages: list[Message] = field(default_factory=list)
    partial: list[str] = field(default_factory=list)
    model: str = ""
    ended: str = ""

    def __post_init__(self) -> None:
        if self.play.system:
            self.messages.append(Message(role="system", content=self.play.system))

    @property
    def unsaid(self) -> bool:
        """Whether nobody has said anything to the assistant."""
        return all(message.role == "system" for message in self.messages)

    def say(self, text: str) -> Exchange:
        """Say something to the assistant and return what comes of it. Raises EndpointError."""
        self.messages.append(Message(role="user", content=text))
        self.partial = []
        reply = self.talk(replace(self.settings, messages=tuple(self.messages)), self._hear)
        self.partial = []
        self.messages.append(Message(role="assistant", content=reply.text))
        self.model = reply.model or self.model
        saves = self.play.saves
        exchange = Exchange(said=text, answer=reply.text, finish=reply.finish)
        if saves is None or not saves.asked(text):
            return exchange
        save = save_in(reply.text)
        faults = saves.faults(save) if save else ("the answer holds no save",)
        return replace(exchange, asked=True, save=save, faults=faults)

    def _hear(self, piece: str) -> None:
        self.partial.append(piece)
        self.show(piece)

    def interrupt(self) -> None:
        """Keep what the assistant has said so far, and end."""
        if self.partial:
            self.messages.append(Message(role="assistant", content="".join(self.partial)))
        self.ended = Ended.INTERRUPTED


def held(
    session: Session, turns: Iterable[str], *, resume: str = "", until: str = ""
) -> Iterator[Exchange]:
    """Hold the conversation: what loads it, a save to resume, then `turns` until it ends.

    It is complete when an answer holds the text `until`, if there is one. `session.ended` says
    why it ended.

    Raises:
        EndpointError: there is no answer; what was said before stands in the session.
    """
    interactive = session.play.interactive
    loading = (*session.play.first, *([resume] if resume else ()))
    for text in loading:
        yield session.say(text)
    for text in turns:
        if text.strip() == LEAVE and interactive:
            session.ended = Ended.EXIT
            return
        exchange = session.say(text)
        yield exchange
        if until and until in exchange.answer:
            session.ended = Ended.COMPLETE
            return
    if session.unsaid and session.play.alone:
        yield session.say(session.play.alone)
    session.ended = Ended.INPUT if interactive else Ended.SCRIPT


def load(data: bytes, *, path: str, values: Mapping[str, str]) -> Play:
    """Return the prompt in `data`, called `path` in messages, ready to be tried.

    Raises:
        FindingsError: it cannot be used, not even in read mode; it is a persistent service.
        UsageError: it is of neither format; a PBE is given values.
    """
    name = PurePosixPath(path).name
    form = detect_format(name, data[:4096].decode("utf-8", "replace"))
    if form is None:
        raise UsageError("UNKNOWN_FORMAT", f"{path} is neither a PBE nor a .prompt file")
    digest = hashlib.sha256(data).hexdigest()
    if form is Format.PROMPT:
        filled = fill(data, path=path, values=values)
        missing = (f"no value for {{{name}}}" for name in filled.rendering.missing)
        unknown = (f"the prompt has no variable {name!r}" for name in filled.rendering.unknown)
        return Play(
            file=name,
            sha256=digest,
            system="",
            first=(filled.rendering.text,),
            alone="",
            interactive=True,
            saves=None,
            notes=(*map(described, filled.flaws), *missing, *unknown),
        )
    if values:
        raise UsageError("USAGE", f"{path} is a PBE, which has no variables to fill in")
    return _engine(pbe.read(data), path, digest)


def _engine(document: Pbe, path: str, digest: str) -> Play:
    found = [*judge(JSON_RULES, document.tree, document.tree, path, Mode.READ)]
    if document.tree.parsed:
        found += judge(PBE_RULES, document, document.tree, path, Mode.READ)
    errors = [d for d in found if d.severity is ERROR]
    if errors:
        reasons = "".join(f"\n  {described(error)}" for error in errors)
        hint = f"psreg check --read {path}"
        raise FindingsError("UNREADABLE", f"{path} cannot be run:{reasons}", hint)
    if document.pbe_class == "persistent_service":
        message = f"{path} is a persistent_service, which nothing executes today"
        raise FindingsError("NOT_EXECUTED", message, "the specification reserves the class")
    start = document.text("start_play", "instruction")
    return Play(
        file=PurePosixPath(path).name,
        sha256=digest,
        system=document.tree.text.removeprefix("\ufeff"),
        first=(start,) if start else (),
        alone=document.text("install_instructions") or "",
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


def resumed(play: Play, data: bytes, path: str) -> str:
    """Return the text of the save in `data`, to be said to the assistant.

    Raises:
        UsageError: NO_SAVES, the prompt has none.
        FindingsError: BAD_SAVE, it is no save of the shape of the save template; FOREIGN_SAVE, it
            is another prompt's.
    """
    if play.saves is None:
        raise UsageError("NO_SAVES", f"{play.file} has no save system to resume from")
    save = save_in(data.decode(errors="replace"))
    if save is None:
        raise FindingsError("BAD_SAVE", f"{path} is no JSON object")
    if foreign := play.saves.foreign(save):
        message = f"{path} is a save of `{foreign}`; {play.file} resumes `{play.saves.key}`"
        raise FindingsError("FOREIGN_SAVE", message, "try the prompt that it belongs to")
    if faults := play.saves.faults(save):
        reasons = "".join(f"\n  {fault}" for fault in faults)
        raise FindingsError("BAD_SAVE", f"{path} is not as the save template is:{reasons}")
    return save.text


def remark(play: Play, text: str) -> str:
    """Return what a person should know of a save that they are about to say; "" if nothing."""
    save = save_in(text) if play.saves and text.lstrip().startswith("{") else None
    if save is None or play.saves is None:
        return ""
    if foreign := play.saves.foreign(save):
        return f"this is a save of `{foreign}`; {play.file} resumes `{play.saves.key}`"
    return "; ".join(play.saves.faults(save)) if save.keys else ""
