"""The answers of an OpenAI-compatible endpoint: JSON, or a stream of events, as text.

Any other shape is an `EndpointError`. A surrogate at the end of a piece waits for its other half;
one that stays alone becomes U+FFFD, so that the text can be written to a file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from psreg.conversations.model import ChatReply, DuplicateKeyError, EndpointError

_TAGS = ("think", "thinking", "reasoning")
_MAX_LEAD = 1000
"""Characters within which reasoning must begin."""

_OPEN = re.compile(rf"\s{{0,{_MAX_LEAD}}}<({'|'.join(_TAGS)})>", re.IGNORECASE)
_OPENS = tuple(f"<{tag}>" for tag in _TAGS)


class ReasoningFilter:
    """Takes a text in pieces and passes on the answer; `reasoning` is what was kept back."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._held = ""
        self._close = ""
        self._closed = False
        self._answering = False

    @property
    def reasoning(self) -> str:
        """The reasoning so far."""
        return "".join(self._parts).strip()

    def answer(self, piece: str) -> str:
        """Return the part of the answer that is known after the next `piece` of the text."""
        if self._answering:
            return piece
        self._held += piece
        while self._close or self._begun():
            if not self._close:
                self._answering = True
                return self._rest().lstrip() if self._closed else self._rest()
            if not self._collect():
                return ""
        return ""

    def end(self) -> str:
        """Return the rest of the answer at the end of the text."""
        if self._close:
            self._parts.append(self._rest())
        return self._rest().lstrip() if self._closed else self._rest()

    def _begun(self) -> bool:
        """Tell whether it is known if the text goes on with reasoning."""
        opened = _OPEN.match(self._held)
        if opened:
            self._close, self._held = f"</{opened[1].lower()}>", self._held[opened.end() :]
        start = self._held.lstrip().lower()
        undecided = len(self._held) < _MAX_LEAD and any(tag.startswith(start) for tag in _OPENS)
        return bool(opened) or not undecided

    def _collect(self) -> bool:
        """Move reasoning from what is held to the parts; return whether its closing tag came."""
        end = self._held.lower().find(self._close)
        if end >= 0:
            self._parts.append(f"{self._held[:end]}\n\n")
            self._held, self._close = self._held[end + len(self._close) :].lstrip(), ""
            self._closed = True
            return True
        kept = len(self._close) - 1  # a part of the closing tag may be at the end
        self._parts.append(self._held[:-kept])
        self._held = self._held[-kept:]
        return False

    def _rest(self) -> str:
        held, self._held = self._held, ""
        return held


_CLOSED = re.compile(rf"(?s:(.*?\n))[ \t]*</(?:{'|'.join(_TAGS)})>[ \t]*(?:\n|\Z)", re.IGNORECASE)
_ANY_OPEN = re.compile(rf"<(?:{'|'.join(_TAGS)})>", re.IGNORECASE)


def split_reasoning(text: str) -> tuple[str, str]:
    """Return the reasoning at the start of `text` that only a closing tag ends, and the answer.

    The template of some models contains the opening tag, so that it is not in what they write.
    """
    found = _CLOSED.match(text)
    if found is None or _ANY_OPEN.search(found[1]):
        return "", text
    return found[1].strip(), text[found.end() :].lstrip()


_LONGEST_SAID = 300
"""Maximum characters of an endpoint's error message that are shown."""

_HALF = re.compile("[\ud800-\udfff]")
_DONE = "[DONE]"


def json_of(data: bytes) -> Any:
    """Return the JSON value that `data` is.

    Raises:
        EndpointError: ENDPOINT_ANSWER; DuplicateKeyError if an object has a key twice.
    """
    try:
        return json.loads(data, parse_constant=_no_number, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise wrong("it is not JSON") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = Counter(key for key, _ in pairs)
        raise DuplicateKeyError(names.most_common(1)[0][0])
    return found


def _no_number(literal: str) -> NoReturn:
    raise ValueError(f"{literal} is not JSON")


def wrong(what: str) -> EndpointError:
    """Return the error for an answer that cannot be used because of `what`."""
    return EndpointError("ENDPOINT_ANSWER", f"the answer of the endpoint is invalid: {what}")


def chat_of(value: Any) -> ChatReply:
    """Return the reply in the JSON answer of `/v1/chat/completions`. Raises EndpointError."""
    message, choice = _choice(value, "message")
    if message is None:
        raise wrong("it has no choices[0].message")
    apart = _reasoning(message)
    text = message.get("content", "") or ("" if apart else message.get("content"))
    if not isinstance(text, str):
        raise wrong("choices[0].message.content is not a string")
    thinking = ReasoningFilter()
    unopened, answer = split_reasoning(thinking.answer(_whole(text)) + thinking.end())
    return ChatReply(
        text=answer,
        reasoning="\n\n".join(filter(None, (apart, thinking.reasoning, unopened))),
        finish=_text(choice.get("finish_reason")),
        model=_text(value.get("model")),
        usage=_usage(value),
    )


def _reasoning(message: Mapping[str, Any]) -> str:
    """Return the reasoning that is not part of the content; endpoints have two names for it."""
    return _whole(_text(message.get("reasoning_content")) or _text(message.get("reasoning")))


def _usage(value: Any) -> Mapping[str, int]:
    """Return the numbers of tokens that an endpoint reports."""
    usage = value.get("usage")
    given = usage if isinstance(usage, dict) else {}
    counts = {key: given.get(key) for key in ("prompt_tokens", "completion_tokens")}
    return {key: n for key, n in counts.items() if type(n) is int and n >= 0}


@dataclass(slots=True, kw_only=True)
class Streamed:
    """A reply that arrives in pieces: `pieces` yields those of the answer, `reply` joins them.

    `check` is called with the JSON value of every event.
    """

    check: Callable[[Any], None]
    parts: list[str] = field(default_factory=list)
    finish: str = ""
    model: str = ""
    usage: Mapping[str, int] = field(default_factory=dict)
    done: bool = False
    _half: str = ""
    _apart: list[str] = field(default_factory=list)
    _thinking: ReasoningFilter = field(default_factory=ReasoningFilter)

    def pieces(self, lines: Iterable[bytes]) -> Iterator[str]:
        """Yield the pieces of text in the lines of an event stream.

        Raises:
            EndpointError: ENDPOINT_ANSWER, an event is invalid; ENDPOINT_CUT, the stream ends
                before the reply does.
        """
        for data in _events(lines):
            if data == _DONE:
                self.done = True
                break
            if piece := self._thinking.answer(self._piece(data)):
                self.parts.append(piece)
                yield piece
        last = self._thinking.answer("\ufffd") if self._half else ""
        if last := last + self._thinking.end():
            self.parts.append(last)
            yield last
        if not (self.done or self.finish):
            message = "the endpoint ended the stream in the middle of the answer"
            raise EndpointError("ENDPOINT_CUT", message)

    @property
    def reply(self) -> ChatReply:
        """The whole reply so far."""
        unopened, answer = split_reasoning("".join(self.parts))
        apart = ("".join(self._apart), self._thinking.reasoning, unopened)
        return ChatReply(
            text=answer,
            reasoning="\n\n".join(filter(None, apart)),
            finish=self.finish,
            model=self.model,
            usage=self.usage,
        )

    def take(self, whole: ChatReply) -> None:
        """Take a reply that came as a whole."""
        self.parts, self._apart = [whole.text], [whole.reasoning]
        self.finish, self.model, self.usage = whole.finish, whole.model, whole.usage

    def _piece(self, data: str) -> str:
        """Return the text of one event without an incomplete character at its end."""
        value = json_of(data.encode())
        self.check(value)
        delta, choice = _choice(value, "delta")
        self.model = self.model or _text(value.get("model"))
        self.usage = _usage(value) or self.usage
        self._apart.append(_reasoning(delta or {}))
        self.finish = _text(choice.get("finish_reason")) or self.finish
        text = (delta or {}).get("content") or ""
        if not isinstance(text, str):
            raise wrong("choices[0].delta.content is not a string")
        text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return _whole(text)


def models_of(value: Any) -> tuple[str, ...]:
    """Return the models in the JSON answer of `/v1/models`. Raises EndpointError."""
    rows = value.get("data") if isinstance(value, dict) else None
    if not isinstance(rows, list):
        raise wrong("it has no list of models")
    names = (row.get("id") if isinstance(row, dict) else None for row in rows)
    return tuple(sorted(_whole(name) for name in names if isinstance(name, str)))


def said(value: Any) -> str:
    """Return the endpoint's message about an error, on one line; "" if there is none."""
    error = value.get("error", value.get("detail")) if isinstance(value, dict) else None
    words = error.get("message") if isinstance(error, dict) else error
    return " ".join(_whole(_text(words)).split())[:_LONGEST_SAID]


def _choice(value: Any, member: str) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Return the object `member` of the first choice (None without one), and that choice."""
    if not isinstance(value, dict):
        raise wrong("it is not an object")
    if "error" in value and "choices" not in value:
        words = said(value) or "an error without a message"
        raise EndpointError("ENDPOINT_REFUSED", f"the endpoint answers: {words}")
    choices = value.get("choices")
    if not isinstance(choices, list):
        raise wrong("it has no list of choices")
    choice = choices[0] if choices else {}
    found = choice.get(member) if isinstance(choice, dict) else []
    if not isinstance(found, dict | None):
        raise wrong(f"choices[0].{member} is not an object")
    return found, choice


def _events(lines: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of the events in `lines` (HTML, "Server-sent events")."""
    data: list[str] = []
    for raw in lines:
        try:
            line = raw.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise wrong("the stream is not UTF-8") from error
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []
    if data:
        yield "\n".join(data)


def _whole(text: str) -> str:
    """Return `text` with pairs of surrogates joined, and single ones replaced."""
    if _HALF.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
