"""Try a prompt: load it as its specification says, hold the conversation, and record it.

A PBE becomes the system message, which sets the parameters of the assistant, and so does its
`start_play.instruction`, which the assistant answers at once (PBE-17): the user never says it. Only
if there is nothing else to answer, the user says the `install_instructions`. A `.prompt` is
rendered and said by the user. Either can be placed in the other role.

Pure: user turns are an argument, and the assistant is a port.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any

from psreg.client.render import fill
from psreg.conversations.model import ChatReply, ChatRequest, Message
from psreg.core.classes import RESERVED_CLASSES, Format, detect_format
from psreg.core.diagnostics import ERROR, Mode, described
from psreg.core.errors import FindingsError, UsageError
from psreg.formats import pbe
from psreg.formats.conversation.saves import Save, SaveSystem, save_in, save_system
from psreg.formats.pbe import Pbe
from psreg.formats.platforms import PLATFORMS
from psreg.formats.protocol_versions import STUB
from psreg.lint.files.pbe_rules import PBE_RULES
from psreg.lint.files.syntax_rules import JSON_RULES
from psreg.lint.locate import judge
from psreg.protocols.pb2s.proof_rules import CUT_OFF

LEAVE, UNDO, AGAIN, EDIT = "/exit", "/undo", "/again", "/edit"
COMMANDS = frozenset((LEAVE, UNDO, AGAIN, EDIT))
"""What the user types to end a conversation, take back a turn, have it answered again, or edit."""

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
    """A prompt ready to be sent: the messages of `context` come before the first turn.

    The assistant answers them at once if it `opens`. The user says `fallback` if there is nothing
    else to answer. `loading` are the texts with which a recorded conversation may begin, in place
    of turns of the user. `interactive` is False if the conversation ends with its script. `sha256`
    is the file's. `notes` are warnings about the file.
    """

    file: str
    sha256: str
    context: tuple[Message, ...]
    opens: bool
    fallback: str
    loading: frozenset[str]
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

    @property
    def cut(self) -> bool:
        """Whether a limit or a filter cut the answer off."""
        return self.finish in CUT_OFF


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of the conversation. `cut` means that a part of the answer is missing.

    `reasoning` is what the assistant wrote before its answer; it is neither sent back nor judged.
    """

    role: str
    content: str
    reasoning: str = ""
    finish: str = ""
    cut: bool = False


@dataclass(slots=True, kw_only=True)
class Session:
    """One conversation: its `turns`, and the `partial` answer that is being received.

    `sending` is called before a request, so that nothing is lost if there is no answer. `models`
    are those that answered, `tokens` the numbers of tokens that the endpoint reported. `undone`
    counts the answers that the user took back or had written again.
    """

    prompt: LoadedPrompt
    ask: AskStreaming
    show: Callable[[str], None]
    settings: ChatRequest
    sending: Callable[[], None] = lambda: None
    turns: list[Turn] = field(default_factory=list)
    partial: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    tokens: dict[str, int] = field(default_factory=dict)
    undone: int = 0
    ended: str = ""

    def __post_init__(self) -> None:
        self.turns += [Turn(role=m.role, content=m.content) for m in self.prompt.context]

    @property
    def nothing_answered(self) -> bool:
        """Whether there is no answer yet."""
        return all(turn.role != "assistant" for turn in self.turns)

    @property
    def model(self) -> str:
        """The model that answered last, "" if the endpoint does not say."""
        return self.models[-1] if self.models else ""

    def say(self, text: str) -> Exchange:
        """Send a user turn and return the exchange. Raises EndpointError."""
        self.turns.append(Turn(role="user", content=text))
        return self.answered(text)

    def answered(self, said: str = "") -> Exchange:
        """Have the turns so far answered; the user `said` the last one. Raises EndpointError."""
        self.partial = []
        self.sending()
        messages = tuple(Message(role=turn.role, content=turn.content) for turn in self.turns)
        reply = self.ask(replace(self.settings, messages=messages), self._receive)
        self.partial = []
        self._take(reply)
        saves = self.prompt.saves
        exchange = Exchange(said=said, answer=reply.text, finish=reply.finish)
        if saves is None or not saves.is_trigger(said):
            return exchange
        save = save_in(reply.text)
        faults = saves.faults(save) if save else ("the answer contains no save",)
        return replace(exchange, save_requested=True, save=save, faults=faults)

    def undo(self) -> str | None:
        """Take back the last turn of the user and its answer; return it, None if there is none."""
        said = [at for at, turn in enumerate(self.turns) if turn.role == "user"]
        if not said or said[-1] < len(self.prompt.context):
            return None
        text = self.turns[said[-1]].content
        del self.turns[said[-1] :]
        self.undone += 1
        return text

    def _take(self, reply: ChatReply) -> None:
        answer = Turn(
            role="assistant",
            content=reply.text,
            reasoning=reply.reasoning,
            finish=reply.finish,
            cut=reply.cut,
        )
        self.turns.append(answer)
        if reply.model and reply.model not in self.models[-1:]:
            self.models.append(reply.model)
        for name, count in reply.usage.items():
            self.tokens[name] = self.tokens.get(name, 0) + count

    def _receive(self, piece: str) -> None:
        self.partial.append(piece)
        self.show(piece)

    def stop(self, reason: str) -> None:
        """End for a `reason` that is not the conversation's own, and keep the partial answer.

        An answer with the key in it is dropped; a part of the key may have arrived already.
        """
        if self.partial and reason != "ENDPOINT_KEY":
            self.turns.append(Turn(role="assistant", content="".join(self.partial), cut=True))
        self.partial = []
        self.ended = reason


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
    if session.prompt.opens:
        yield session.answered()
    if resume:
        yield session.say(resume)
    for typed in turns:
        text: str | None = typed
        if interactive and typed.strip() in (LEAVE, UNDO, AGAIN):
            if typed.strip() == LEAVE:
                session.ended = EndReason.EXIT
                return
            text = session.undo()
            if typed.strip() == UNDO or text is None:
                continue
        exchange = session.say(text or "")
        yield exchange
        if until and until in exchange.answer:
            session.ended = EndReason.COMPLETE
            return
    if session.nothing_answered:
        fallback = session.prompt.fallback
        yield session.say(fallback) if fallback else session.answered()
    session.ended = EndReason.INPUT if interactive else EndReason.SCRIPT


def load(data: bytes, *, path: str, values: Mapping[str, str], placement: str = "") -> LoadedPrompt:
    """Return the prompt in `data`, ready to be sent; messages call it `path`.

    `placement` is the role that says it, `system` or `user`; "" is the usual one of its format.

    Raises:
        FindingsError: it is invalid even in read mode, or its class is reserved.
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
            context=(Message(role=placement or "user", content=filled.rendering.text),),
            opens=placement != "system",
            fallback="",
            loading=frozenset((filled.rendering.text,)),
            interactive=True,
            saves=None,
            notes=(*map(described, filled.flaws), *missing, *unknown),
        )
    if values:
        raise UsageError("USAGE", f"{path} is a PBE, which has no variables to fill in")
    return _engine(pbe.read(data), path, digest, placement or "system")


def _engine(document: Pbe, path: str, digest: str, placement: str) -> LoadedPrompt:
    found = [*judge(JSON_RULES, document.tree, document.tree, path, Mode.READ)]
    if document.tree.parsed:
        found += judge(PBE_RULES, document, document.tree, path, Mode.READ)
    errors = [d for d in found if d.severity is ERROR]
    if errors:
        hint = f"Run `psreg check --read {path}`."
        reasons = tuple(map(described, errors))
        raise FindingsError("UNREADABLE", f"{path} cannot be run:", hint, reasons)
    if document.pbe_class in RESERVED_CLASSES:
        stated = f"`{document.pbe_class}`, a reserved class"
        message = f"{path} is a {stated} that nothing executes today"
        raise FindingsError("NOT_EXECUTED", message)
    start = document.text("start_play", "instruction") or ""
    text = document.tree.text.removeprefix("\ufeff")
    texts = (text, start) if start and placement == "system" else (text,)
    return LoadedPrompt(
        file=PurePosixPath(path).name,
        sha256=digest,
        context=tuple(Message(role=placement, content=content) for content in texts),
        opens=bool(start) or placement == "user",
        fallback=document.text("install_instructions") or "",
        loading=frozenset((text, *filter(None, (start,)))),
        interactive=document.pbe_class == "interactive_engine",
        saves=save_system(document),
    )


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


_MEMBERS = ("id", "endpoint", "model", "key")
_HINT = "Write [[platform]] tables with `id`, `endpoint`, `model` and `key`, all of them texts."


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """One platform to try. `model` is "" for the endpoint's own, `key` for the usual variable."""

    id: str
    endpoint: str
    model: str = ""
    key: str = ""


def platforms_of(data: bytes, path: str, extra: Sequence[str] = ()) -> tuple[Platform, ...]:
    """Return the platforms in `data`, at least one; `extra` as in `known_platform`.

    Raises:
        UsageError: BAD_PLATFORMS; NO_SUCH_PLATFORM.
    """
    try:
        rows = tomllib.loads(data.decode()).get("platform")
    except (ValueError, RecursionError) as error:  # that of a long number is no TOMLDecodeError
        raise UsageError("BAD_PLATFORMS", f"{path} is not TOML: {error}", _HINT) from error
    if not isinstance(rows, list) or not rows:
        raise UsageError("BAD_PLATFORMS", f"{path} has no [[platform]]", _HINT)
    found = tuple(_platform(row, path, extra) for row in rows)
    ids = [platform.id for platform in found]
    if twice := next((name for name in ids if ids.count(name) > 1), ""):
        raise UsageError("BAD_PLATFORMS", f"{path}: `{twice}` occurs twice", _HINT)
    return found


def _platform(row: Any, path: str, extra: Sequence[str]) -> Platform:
    if not isinstance(row, dict) or not {"id", "endpoint"} <= row.keys() <= set(_MEMBERS):
        raise UsageError("BAD_PLATFORMS", f"{path}: a platform has other members", _HINT)
    if not all(isinstance(value, str) for value in row.values()):
        raise UsageError("BAD_PLATFORMS", f"{path}: a member is not a text", _HINT)
    return Platform(**{**row, "id": known_platform(row["id"], extra)})


def known_platform(name: str, extra: Sequence[str] = ()) -> str:
    """Return `name` if it is the id of a platform. Raises UsageError NO_SUCH_PLATFORM.

    `extra` are the ids that the policy of a registry adds.
    """
    if name not in {*PLATFORMS, *extra, STUB}:
        hint = f"Use one of {', '.join((*PLATFORMS, *extra))}."
        raise UsageError("NO_SUCH_PLATFORM", f"unknown platform `{name}`", hint)
    return name
