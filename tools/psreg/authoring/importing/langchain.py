"""Prompts of LangChain: JSON and YAML of `load_prompt`, and what `langchain_core.load` writes.

Their languages of templates are f-strings, Mustache and Jinja. `partial_variables` are defaults. A
file that `template_path` names is read if the source has it beside the prompt.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from psreg.authoring.importing.documents import JSON, YAML, document, stated, table
from psreg.authoring.importing.found import Fields, Found, Refused, SourceFile, said
from psreg.authoring.importing.markdown import prompt_of
from psreg.authoring.importing.messages import NOT_TEXT, joined, message_text
from psreg.authoring.importing.template_languages import F_STRING, LANGUAGES, converted
from psreg.formats.dotprompt import MAX_BYTES

_UNSAID = "input_variables"
"""What a prompt that does not say what it is has; LangChain takes it for one text."""

_IN_JSON = re.compile(rf'"_type"\s*:\s*"(?:prompt|few_shot|chat)|"lc"\s*:\s*1\b|"{_UNSAID}"\s*:')
_IN_YAML = re.compile(
    rf"^_type[ \t]*:[ \t]*[\"']?(?:prompt|few_shot|chat)|^{_UNSAID}[ \t]*:", re.MULTILINE
)
_ONE = ("prompt", "PromptTemplate")
_SEVERAL = ("chat", "chat_prompt", "ChatPromptTemplate")
_ROLES: Mapping[str, str] = {
    "System": "system",
    "Human": "user",
    "AI": "assistant",
    "system": "system",
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
}
_MESSAGE = re.compile(r"(System|Human|AI|Chat)Message(PromptTemplate)?")
_PARTIAL = "partial_variables"
_OF_TEMPLATES = ("input_variables", _PARTIAL, "template", "template_format", "template_path")
_OF_MESSAGES = (*_OF_TEMPLATES, "role", "type", "content", "prompt")
_OF_CHATS = ("input_variables", _PARTIAL, "template_format", "messages")
_OF_JINJA = re.compile(r"\{[{%#]")
_PAIR = ("role", "content")
_STEM = "prompt"
"""A file of this name says nothing; its folder does."""

_SHOWN = 60


def claims(file: SourceFile, _fields: Fields) -> bool:
    """Tell whether a file has a prompt of LangChain, by its suffix and what it says it is."""
    suffix = file.path.suffix.lower()
    says = _IN_JSON if suffix in JSON else _IN_YAML if suffix in YAML else None
    return says is not None and says.search(file.text) is not None


def read(file: SourceFile, fields: Fields) -> Iterator[Found | Refused]:
    """Yield the one prompt of a file; nothing if it is another document.

    Raises:
        ValueError: it is not valid, or no `.prompt` can hold it; the message says why.
    """
    whole = document(file)
    if not isinstance(whole, dict) or not (kind := _kind(whole) or _unsaid(whole)):
        return
    prompt = _Prompt(file)
    if kind in _ONE:
        prompt.add("user", [_facts(whole)])
    elif kind in _SEVERAL:
        prompt.add_chat(_facts(whole))
    else:
        raise ValueError(f"a `{kind[:_SHOWN]}` of LangChain is not a text with variables")
    yield prompt.found(fields)


def _kind(value: Mapping[str, Any]) -> str:
    """Return what an object of LangChain is; "" for what is not one."""
    names = value.get("id")
    if value.get("lc") == 1 and isinstance(names, list) and names:
        return said(names[-1])
    return said(value.get("_type"))


def _unsaid(value: Mapping[str, Any]) -> str:
    """Return what LangChain takes a document for that does not say what it is; "" for no prompt."""
    is_prompt = _UNSAID in value and ("template" in value or "template_path" in value)
    return _ONE[0] if is_prompt else ""


def _facts(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what an object of LangChain says, but for what it is."""
    facts = stated(value.get("kwargs") if "lc" in value else value)
    return {key: value for key, value in facts.items() if key != "_type"}


class _Prompt:
    """What a document says: messages in one language, and what has no place in a `.prompt`."""

    def __init__(self, file: SourceFile) -> None:
        self._file, self._data = file, file.data
        self._messages: list[tuple[str, str, bool]] = []
        self._language, self._size = F_STRING, 0
        self._languages: dict[str, None] = {}
        self._values: dict[str, Any] = {}
        self._others: dict[str, Any] = {}

    def add(self, role: str, templates: Iterable[Mapping[str, Any]]) -> None:
        """Add a message, which is made of templates."""
        self._messages.append((role, "".join(map(self._template, templates)), False))

    def _template(self, facts: Mapping[str, Any]) -> str:
        self._note(facts, _OF_TEMPLATES)
        text = facts.get("template")
        language = said(facts.get("template_format", self._language))
        if language not in LANGUAGES:
            raise ValueError(f"its `template_format` is `{language[:_SHOWN]}`")
        self._languages[language] = None
        if "template_path" in facts:
            other = self._file.beside(said(facts["template_path"]))
            self._data += other.data
            text = other.text
        if not isinstance(text, str):
            raise ValueError("its `template` is not a text")  # noqa: TRY004 - that of a source
        # NOTE: else a small chat may name a large file very often.
        self._size += len(text)
        if self._size > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES:,} characters")
        return text

    def _note(self, facts: Mapping[str, Any], known: Collection[str]) -> None:
        """Take `partial_variables`, and what has no place."""
        values = table(facts.get(_PARTIAL))
        for name in sorted(values.keys() & self._values.keys()):
            if values[name] != self._values[name]:
                raise ValueError(f"its `{_PARTIAL}` have two values for `{name[:_SHOWN]}`")
        self._values |= values
        self._others |= {key: value for key, value in facts.items() if key not in known}

    def add_chat(self, facts: Mapping[str, Any]) -> None:
        """Add the messages of a chat."""
        rows = facts.get("messages")
        if not isinstance(rows, list):
            raise ValueError("it has no list of `messages`")  # noqa: TRY004 - that of a source
        self._language = facts.get("template_format", self._language)
        for row in rows:
            is_pair = isinstance(row, list) and len(row) == len(_PAIR)
            self._add_message(dict(zip(_PAIR, row, strict=True)) if is_pair else row)
        self._note(facts, _OF_CHATS)

    def _add_message(self, row: Any) -> None:
        kind = _kind(row := _object(row, "a message"))
        form = _MESSAGE.fullmatch(kind)
        if kind and not form:
            raise ValueError(f"a message is a `{kind[:_SHOWN]}`, which is not a text with a role")
        facts = _facts(row)
        of_class = form[1] if form else "Chat"
        role = _role(facts.get("role", facts.get("type")) if of_class == "Chat" else of_class)
        self._note(facts, _OF_MESSAGES)
        if form and not form[2]:
            self._add_literal(role, facts)
        elif "prompt" in facts:
            parts = facts["prompt"] if isinstance(facts["prompt"], list) else [facts["prompt"]]
            self.add(role, map(_template_in, parts))
        else:
            template = {key: facts[key] for key in _OF_TEMPLATES if key in facts}
            self.add(role, [{"template": facts.get("content"), **template}])

    def _add_literal(self, role: str, facts: Mapping[str, Any]) -> None:
        text = message_text(facts)
        if text is None:
            raise ValueError(NOT_TEXT)
        self._messages.append((role, text, True))

    def found(self, fields: Fields) -> Found | Refused:
        """Return the prompt of all messages, or why it has none.

        Raises:
            ValueError: it has logic, or messages that do not go together.
        """
        language, *others = [*self._languages] or [F_STRING]
        if others:
            raise ValueError(f"its messages are in `{language}` and in `{others[0]}`")
        texts = [
            (role, _escaped(text, language) if is_literal else text)
            for role, text, is_literal in self._messages
        ]
        if len(texts) > 1 and not all(role for role, _ in texts):
            raise ValueError("one of its messages does not say its role")
        made = converted(joined(texts), LANGUAGES[language], self._values, _PARTIAL)
        made = made._replace(roles=tuple(role for role, _ in texts))
        found = prompt_of(
            self._file,
            fields,
            name=self._file.path.parent.name if self._file.path.stem == _STEM else "",
            matter=self._others,
            reads=lambda *_: made,
        )
        digest = hashlib.sha256(self._data).hexdigest()
        return found if isinstance(found, Refused) else replace(found, sha256=digest)


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is not an object")  # noqa: TRY004 - that of a source
    return value


def _template_in(part: Any) -> Mapping[str, Any]:
    kind = _kind(part := _object(part, "a part of a message"))
    if kind and kind not in _ONE:
        raise ValueError(f"a part of a message is a `{kind[:_SHOWN]}`, which is not a text")
    return _facts(part)


def _role(name: Any) -> str:
    """Return the role of a message, as messages name it; "" if it does not say one."""
    if name is not None and (not isinstance(name, str) or name not in _ROLES):
        raise ValueError(f"a message has the role `{said(name)[:_SHOWN]}`")
    return _ROLES[name] if name else ""


def _escaped(text: str, language: str) -> str:
    """Return the template of a text without variables."""
    if language == F_STRING:
        return text.replace("{", "{{").replace("}", "}}")
    if braces := _OF_JINJA.search(text):
        raise ValueError(f"a message that is not a template has `{braces[0]}`")
    return text
