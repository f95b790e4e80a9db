"""Targets that libraries and chat programs load: JSON, and templates of other languages."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from psreg.client.exports.exported import Exported, Message, Open
from psreg.client.exports.markdown_targets import front_matter, generated, refuse, yaml_text
from psreg.core.errors import FindingsError
from psreg.formats.conversation.prompt_messages import ASSISTANT, SYSTEM, USER


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def text(prompt: Exported) -> dict[str, str]:
    """Return the final text, exactly."""
    return {f"{prompt.name}.txt": prompt.final()}


def openai(prompt: Exported) -> dict[str, str]:
    """Return the messages of a chat completion of OpenAI."""
    messages = [_said(role, text) for role, text in prompt.final_messages()]
    return {f"{prompt.name}.openai.json": _json({"messages": messages})}


def _said(role: str, text: str) -> dict[str, str]:
    return {"role": role, "content": text}


def anthropic(prompt: Exported) -> dict[str, str]:
    """Return the messages of a request to Anthropic; what it says to the system is beside them."""
    messages = [*prompt.final_messages()]
    system = {"system": messages.pop(0)[1]} if messages[0][0] == SYSTEM else {}
    _refuse_roles((role for role, _ in messages), (USER, ASSISTANT), prompt, "Anthropic")
    rows = [_said(role, text) for role, text in messages]
    return {f"{prompt.name}.anthropic.json": _json({**system, "messages": rows})}


def _refuse_roles(
    roles: Iterable[str], allowed: Collection[str], prompt: Exported, program: str
) -> None:
    """Check that a program has the roles of messages.

    Raises:
        FindingsError: `CANNOT_EXPORT`.
    """
    if other := next((role for role in roles if role not in allowed), None):
        raise FindingsError(
            "CANNOT_EXPORT",
            f"{program} would not take the message of the role {other} in {prompt.name} "
            f"{prompt.version}",
            "Export it to another target, such as openai.",
        )


_OF_LANGCHAIN: Mapping[str, str] = {
    SYSTEM: "SystemMessagePromptTemplate",
    USER: "HumanMessagePromptTemplate",
    ASSISTANT: "AIMessagePromptTemplate",
}


def langchain(prompt: Exported) -> dict[str, str]:
    """Return a template as `langchain_core.load.dumps` writes it: of a text, or of a chat."""
    roles = [each.role for each in prompt.messages]
    _refuse_roles(roles, _OF_LANGCHAIN, prompt, "LangChain")
    names = prompt.identifiers
    defaults = {
        names[each.name]: each.default for each in prompt.variables if each.default is not None
    }
    needed = sorted({*names.values()} - defaults.keys())
    about = {
        "input_variables": needed,
        "partial_variables": defaults,
        "metadata": {"generated": generated(prompt)},
    }
    if roles == [USER]:
        document = _template(prompt.messages[0], names, about)
    else:
        templates = (_template(each, names, {}) for each in prompt.messages)
        rows = [
            _constructor("chat", _OF_LANGCHAIN[role], {"prompt": template})
            for role, template in zip(roles, templates, strict=True)
        ]
        document = _constructor("chat", "ChatPromptTemplate", {"messages": rows, **about})
    return {f"{prompt.name}.langchain.json": _json(document)}


def _template(
    message: Message, names: Mapping[str, str], about: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a message as a template that needs all of its variables, unless `about` says more."""
    template = message.written(
        lambda part: part.replace("{", "{{").replace("}", "}}"),
        lambda each: f"{{{names[each.name]}}}",
    )
    used = sorted({names[part.name] for part in message.parts if isinstance(part, Open)})
    facts = {"input_variables": used, "template": template, "template_format": "f-string"}
    return _constructor("prompt", "PromptTemplate", {**facts, **about})


def _constructor(module: str, name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object of LangChain."""
    identity = ["langchain", "prompts", module, name]
    return {"lc": 1, "type": "constructor", "id": identity, "kwargs": facts}


_BRACE = re.compile(r"\{(?=[{%#]|\Z)")
_ROLES = re.compile(
    r"(?im)^[^\S\n]*#?\s*(?:system|user|assistant|developer)\s*(?:\[[^\]\n]*\])?\s*:\s*$"
    "|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]"
)
_REFERENCE = re.compile(r"\A\$\{")


def prompty(prompt: Exported) -> dict[str, str]:
    """Return a Prompty file, a template in Jinja.

    Its parser drops the line breaks around a message, and all kinds of them but line feeds.
    """
    names = prompt.identifiers
    for each in prompt.messages:
        literal = each.written(str, lambda _: "\0")
        refuse(literal, _ROLES, prompt, "Prompty")
        refuse(literal, _BLANK, prompt, "Prompty")
    for value in (prompt.description, *(each.default or "" for each in prompt.variables)):
        refuse(value, _REFERENCE, prompt, "Prompty")
    rows = {"name": yaml_text(prompt.name), "description": yaml_text(prompt.description)}
    if prompt.variables:
        rows["inputs"] = "\n" + "\n".join(
            _prompty_input(each, names[each.name]) for each in prompt.variables
        )
    rows["template"] = '{format: {kind: "jinja2"}, parser: {kind: "prompty"}}'
    said = (f"{each.role}:\n{_jinja(each, names)}\n" for each in prompt.messages)
    return {f"{prompt.name}.prompty": front_matter(rows, prompt) + "\n".join(said)}


def _jinja(message: Message, names: Mapping[str, str]) -> str:
    return message.written(
        lambda part: _BRACE.sub('{{ "{" }}', part), lambda each: f"{{{{ {names[each.name]} }}}}"
    )


def _prompty_input(variable: Open, name: str) -> str:
    lines = [f"  {name}:", "    kind: string"]
    if variable.default is not None:
        lines.append(f"    default: {yaml_text(variable.default)}")
    return "\n".join(lines)


_BLANK = re.compile(r"\A[\s\ufeff]*\Z")
_BLANKS = "".join(chr(code) for code in range(0x3001) if chr(code).isspace()) + "\ufeff"
"""What the template engines of Python and JavaScript strip from the ends of a text."""

_OPEN_BRACE, _BACKSLASH = "psreg_brace", "psreg_backslash"
_START, _END = "psreg_start", "psreg_end"
_MARKER = re.compile(r"<<<dotprompt:")
_OF_DOTPROMPT: Mapping[str, str] = {SYSTEM: "system", USER: "user", ASSISTANT: "model"}


def dotprompt(prompt: Exported) -> dict[str, str]:
    """Return a `.prompt` of Google's Dotprompt, a template in Handlebars.

    Handlebars cannot write every literal brace, so that those it would read are a variable; so are
    the blanks around the text, which Dotprompt would strip.
    """
    names = prompt.identifiers
    body = "".join(_dotprompt_messages(prompt))
    inner = body.strip(_BLANKS)
    start, _, end = body.partition(inner)
    ends = {name: blanks for name, blanks in ((_START, start), (_END, end)) if blanks}
    body = f"{_mustache(_START) if start else ''}{inner}{_mustache(_END) if end else ''}"
    defaults = {
        names[each.name]: each.default for each in prompt.variables if each.default is not None
    }
    characters = {_OPEN_BRACE: "{", _BACKSLASH: "\\"}
    own = {name: what for name, what in characters.items() if _mustache(name) in body} | ends
    rows = {"name": yaml_text(prompt.name), "description": yaml_text(prompt.description)}
    schema = [
        f"    {names[each.name]}{'?' * (each.default is not None)}: string"
        for each in prompt.variables
    ]
    schema += [f"    {name}?: string" for name in own]
    defaults |= own
    if schema:
        parts = ["", "  schema:", *schema]
        if defaults:
            parts += ["  default:", *(f"    {k}: {yaml_text(v)}" for k, v in defaults.items())]
        rows["input"] = "\n".join(parts)
    return {f"{prompt.name}.prompt": front_matter(rows, prompt) + body}


def _dotprompt_messages(prompt: Exported) -> Iterator[str]:
    roles = [each.role for each in prompt.messages]
    _refuse_roles(roles, _OF_DOTPROMPT, prompt, "Dotprompt")
    for message in prompt.messages:
        literal = message.written(str, lambda _: "\0")
        refuse(literal, _MARKER, prompt, "Dotprompt")
        refuse(literal, _BLANK, prompt, "Dotprompt")
        if roles != [USER]:
            yield f'{{{{role "{_OF_DOTPROMPT[message.role]}"}}}}'
        yield message.written(_handlebars, lambda each: _mustache(prompt.identifiers[each.name]))


def _handlebars(part: str) -> str:
    """Return a literal part without `{{`, and with no brace or backslash before a variable."""
    braced = re.sub(r"\{(?=\{|\Z)", _mustache(_OPEN_BRACE), part)
    before = r"\\+(?=\{\{\{psreg_|\Z)"
    return re.sub(before, lambda run: _mustache(_BACKSLASH) * len(run[0]), braced)


def _mustache(name: str) -> str:
    return f"{{{{{{{name}}}}}}}"


_BRACES = re.compile(r"\{\{")


def open_webui(prompt: Exported) -> dict[str, str]:
    """Return what the workspace of Open WebUI imports; the open variables are asked for."""
    prompt = prompt.with_defaults()
    refuse(prompt.written(str, lambda _: "{"), _BRACES, prompt, "Open WebUI")
    content = prompt.written(str, lambda each: f"{{{{{prompt.identifiers[each.name]}}}}}")
    row = {"command": prompt.name, "name": prompt.name, "title": prompt.name, "content": content}
    return {f"{prompt.name}.open-webui.json": _json([row])}


_SPECIAL = re.compile(r"\{\{\s*\w+\s*\}\}")


def librechat(prompt: Exported) -> dict[str, str]:
    """Return a preset that LibreChat imports."""
    final = prompt.final()
    refuse(final, _SPECIAL, prompt, "LibreChat")
    preset = {
        "presetId": None,
        "title": prompt.name,
        "endpoint": "openAI",
        "promptPrefix": final,
    }
    return {f"{prompt.name}.librechat.json": _json(preset)}
