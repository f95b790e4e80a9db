"""What is imported from another format, and exported to it, is for its own library as it was.

What a `.prompt` cannot hold is in the table of the import, and what no `.prompt` can be is refused.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from psreg.authoring.importing import entries
from psreg.authoring.importing.formats import prompts_in
from psreg.authoring.importing.found import Found, said, unix_lines
from psreg.authoring.importing.messages import joined
from psreg.authoring.literal import trimmed
from psreg.client.exports.exported import Exported, Open, exported
from psreg.client.exports.markdown_targets import yaml_text
from psreg.client.exports.targets import exports, target_of
from psreg.core.errors import FindingsError
from support.loaders import EDGES, HOSTILE, Loaders, NotLoadedError

VARIABLES = ("who", "topic", "x", "v_1")
TEMPLATES = ("dotprompt", "prompty")
RARE = ("first-name", "role", "self", "true")
VALUES = {name: f"<{name.upper()}>" for name in (*VARIABLES, "first-name", "role")}
DEFAULTS = (
    *('"plain"', "plain", "3", "0", "-2.5", '"a # b: {c} {{d}} \\\\"', "''", '"${env:HOME}"'),
    *("yes", "1.10", "1.0", "null", "~", '" blanks "', '"a\\nb"', "[a, b]", "{a: b}", "2020-01-01"),
)
SETTINGS = ("model: m", "config: {temperature: 0.5}", "x-own: 1", "output: {format: json}")
PLAIN = ("Be kind.", "Say it again.\n", "Listen: ", " and ", "\n", "é", "#", "%", "}", "\\", "{x}")
TEXTS = st.sampled_from(PLAIN)
ANY = st.sampled_from([*HOSTILE, *EDGES, "{", "\\{{", "\nuser:\n", "# System :\n"])


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A use of a variable."""

    name: str


@dataclass(frozen=True, kw_only=True)
class Document:
    """What a document of a format says, before it is written."""

    messages: Sequence[tuple[str, Sequence[str | Variable]]]
    defaults: Mapping[str, str]
    settings: Sequence[str]
    description: str

    def written(self, variable: str, role: str, head: str) -> str:
        """Return it with front matter `head`, and each variable and role as a format has it."""
        texts = (
            (name, "".join(p if isinstance(p, str) else variable.format(p.name) for p in parts))
            for name, parts in self.messages
        )
        body = "\n\n".join((role.format(name) if name else "") + text for name, text in texts)
        about = [f"description: {yaml_text(self.description)}", *self.settings]
        return "\n".join(["---", *about, *filter(None, [head]), "---", body])


@st.composite
def documents(draw, roles: Sequence[str]) -> Document:
    """Draw a document, of which one message may have a text or a variable that is none."""
    variable = st.builds(Variable, name=st.sampled_from(VARIABLES))
    parts = st.lists(st.one_of(TEXTS, TEXTS, variable), min_size=1, max_size=5)
    count = draw(st.sampled_from([1, 1, 2, 3]))
    messages = [(draw(st.sampled_from(roles)), draw(parts)) for _ in range(count)]
    if draw(st.booleans()):
        messages[0] = ("", messages[0][1])
    if draw(st.booleans()):
        rare = st.builds(Variable, name=st.sampled_from(RARE))
        messages[-1][1].insert(draw(st.integers(0, 5)), draw(st.one_of(ANY, ANY, rare)))
    defaults = st.dictionaries(st.sampled_from(VARIABLES), st.sampled_from(DEFAULTS), max_size=2)
    return Document(
        messages=messages,
        defaults=draw(defaults),
        settings=draw(st.lists(st.sampled_from(SETTINGS), max_size=2, unique=True)),
        description=draw(st.one_of(st.just("Says it."), ANY)),
    )


@dataclass(frozen=True, kw_only=True)
class Trip:
    """A document of a format that was imported, and what the table says about that."""

    found: Found
    notes: str
    made: Exported

    @property
    def original(self) -> Mapping[str, str]:
        """The variables of the entry, and what the document calls them."""
        known = set(VALUES)
        return {
            name: name if name in known else re.sub(r"_[0-9]+\Z", "", name)
            for name in self.found.variables
        }

    def value(self, name: str) -> str:
        """Return the value of a variable; what the text does not mean as one is told."""
        if name in self.found.variables:
            return VALUES.get(self.original[name], "")
        assert f"these are variables now: `{name}`" in self.notes
        return f"{{{name}}}"


def imported(path: str, data: bytes, *, is_alone: bool = True) -> Trip | str:
    """Return what becomes of a file, or why nothing does."""
    (found,) = prompts_in({PurePosixPath(path): data}, {}, lambda _: True, is_alone=is_alone)
    if not isinstance(found, Found):
        return found.reason
    try:
        wrapped = entries.artifact(found)
    except ValueError as error:
        return str(error)
    facts = {"name": "again", "version": "1.0.0", "sha256": "0" * 64, "values": {}}
    made = exported(wrapped.data, "again.prompt", **facts)
    return Trip(found=found, notes="; ".join(entries.changes(found, wrapped)), made=made)


def read(
    loaders: Loaders, target: str, files: Mapping[str, bytes], values: Mapping[str, str]
) -> Any:
    with tempfile.TemporaryDirectory() as scratch:
        for path, data in files.items():
            (Path(scratch) / Path(path).name).write_bytes(data)
        return loaders.read(target, Path(scratch), values)


def compare(loaders: Loaders, target: str, path: str, data: bytes) -> Trip | None:
    """Check that a document is the same for its library before and after, but for what is told."""
    trip = imported(path, data)
    if isinstance(trip, str):
        event("refused by the import: " + trip[:50])
        assert trip
        return None
    kept = {name for name, default in trip.found.variables.items() if default is not None}
    before = {
        name: value
        for name, value in VALUES.items()
        if name not in {trip.original[each] for each in kept}
    }
    try:
        source = read(loaders, target, {path: data}, before)
    except NotLoadedError:
        event("not valid for its library")
        return None
    after = {
        identifier: trip.value(name)
        for name, identifier in trip.made.identifiers.items()
        if name not in kept
    }
    try:
        files = exports(trip.made, target_of(target))
        again = read(loaders, target, {str(p): d for p, d in files.items()}, after)
    except FindingsError as error:
        event(f"refused by the export: {error.code}")
        return trip
    event("compared")
    told = [(role, text) for role, text in source["messages"] if text or target not in TEMPLATES]
    if len(told) < len(trip.found.roles):
        event("a message that an empty default leaves out")
        assert "" in trip.found.variables.values()
        return trip
    if trip.made.named or len(told) == 1:
        assert [role for role, _ in again["messages"]] == [role for role, _ in told]
        for (_, text), (_, now) in zip(told, again["messages"], strict=True):
            assert trimmed(unix_lines(now)) == trimmed(unix_lines(text))
    else:
        assert {role for role, _ in again["messages"]} <= {"user"}
        assert joined(again["messages"]) == joined(told)
        assert len(told) < 2 or f"its {len(told)} messages are one text" in trip.notes
    event("several messages" if len(told) > 1 else "one message")
    if len(told) > 1 and trip.made.named:
        assert f"its {len(told)} messages begin with their roles" in trip.notes
    if said(source.get("description")):
        assert again["description"] == said(source["description"]).replace("(%", "( %")
    return trip


def told(trip: Trip, document: Document, where: str) -> None:
    """Check that the table names the settings, and each default that is not kept."""
    lost = " ".join(trip.found.lost)
    for setting in document.settings:
        assert setting.partition(":")[0] in trip.found.lost
    kept = {trip.original[name] for name, value in trip.found.variables.items() if value}
    for name, default in document.defaults.items():
        assert name in kept or f"{where}.{name}" in lost or default in ("null", "~", "''")


@given(document=documents(("system", "user", "model")))
@settings(max_examples=80)
def test_dotprompt(loaders, document) -> None:
    rows = [f"    {name}: {value}" for name, value in document.defaults.items()]
    head = "\n".join(
        ["input:", "  schema:", "    who: string", "    topic?: string", "  default:", *rows]
    )
    text = document.written("{{{{{}}}}}", '{{{{role "{}"}}}}\n', head * bool(rows))
    if trip := compare(loaders, "dotprompt", "a.prompt", text.encode()):
        told(trip, document, "input.default")


@given(document=documents(("system", "user", "assistant")), is_list=st.booleans())
@settings(max_examples=80)
def test_prompty(loaders, document, is_list) -> None:
    rows = document.defaults.items()
    if is_list:
        inputs = [f"  - {{name: {k}, kind: string, default: {v}}}" for k, v in rows]
    else:
        inputs = [f"  {k}:\n    kind: string\n    default: {v}" for k, v in rows]
    kind = "template: {format: {kind: jinja2}, parser: {kind: prompty}}"
    head = "\n".join(["name: a", kind, *(["inputs:", *inputs] if inputs else [])])
    text = document.written("{{{{ {} }}}}", "{}:\n", head)
    if trip := compare(loaders, "prompty", "a.prompty", text.encode()):
        told(trip, document, "inputs.default")


@st.composite
def requests(draw, target: str) -> dict[str, Any]:
    """Draw a request with messages of text."""
    roles = ["user", "assistant"] + ["system", "developer"] * (target == "openai")
    text = st.lists(st.one_of(TEXTS, ANY), min_size=1, max_size=4).map("".join)
    part = st.fixed_dictionaries({"type": st.just("text"), "text": text})
    rows = st.fixed_dictionaries(
        {
            "role": st.sampled_from(roles),
            "content": st.one_of(text, st.lists(part, min_size=1, max_size=3)),
        },
        optional={"name": st.just("Ana")} if target == "openai" else {},
    )
    request = {"messages": draw(st.lists(rows, min_size=1, max_size=3))}
    if target == "anthropic" and draw(st.booleans()):
        request["system"] = draw(text)
    for key in draw(st.lists(st.sampled_from(["model", "temperature"]), unique=True)):
        request[key] = 1
    return request


@pytest.mark.parametrize("target", ["openai", "anthropic"])
@given(data=st.data())
@settings(max_examples=40)
def test_messages(loaders, target, data) -> None:
    request = data.draw(requests(target))
    trip = compare(loaders, target, "a.json", json.dumps(request).encode())
    if trip:
        lost = {f"messages.{key}" for row in request["messages"] for key in row} | {*request}
        assert {*trip.found.lost} == lost - {"messages.role", "messages.content"} - {
            "messages", "system",
        }  # fmt: skip


MARKDOWN = {
    "claude-command": (".claude/commands/a.md", "${}", "arguments: [who, topic]"),
    "copilot-prompt": (".github/prompts/a.prompt.md", "${{input:{}}}", "mode: ask"),
    "copilot-instructions": (".github/instructions/a.instructions.md", "{}", 'applyTo: "**"'),
    "cursor-rule": (".cursor/rules/a.mdc", "{}", "alwaysApply: false"),
}


def expect(trip: Trip, variable: str, content: str, after: Mapping[str, Any]) -> str:
    """Return the content with the names that variables have now; Claude Code may count them."""
    if variable == "${}" and "argument-hint" not in after["metadata"]:
        return content  # they are called by their places, as before
    for at, (name, identifier) in enumerate(trip.made.identifiers.items()):
        is_counted = f"$ARGUMENTS[{at}]" in after["content"]
        now = f"$ARGUMENTS[{at}]" if is_counted else variable.format(identifier)
        written = re.escape(variable.format(trip.original.get(name, name)))
        ends = r"(?![A-Za-z0-9_])" if variable == "${}" else ""
        content = re.sub(written + ends, lambda _, now=now: now, content)
    return content


@pytest.mark.parametrize("target", [*MARKDOWN])
@given(document=documents(("",)))
@settings(max_examples=40)
def test_markdown(loaders, target, document) -> None:
    path, variable, head = MARKDOWN[target]
    source = document.written(variable, "", head).encode()
    trip = imported(path, source)
    if isinstance(trip, str):
        assert trip
        return
    try:
        files = exports(trip.made, target_of(target))
    except FindingsError:
        return
    before = read(loaders, "front-matter", {path: source}, {})
    after = read(loaders, "front-matter", {str(p): d for p, d in files.items()}, {})
    expected = expect(trip, variable, before["content"], after)
    assert joined([("", after["content"])]) == joined([("", expected)])
    if said(before["metadata"]["description"]):
        description = said(before["metadata"]["description"]).replace("(%", "( %")
        assert after["metadata"]["description"] == description
    for key in before["metadata"].keys() - {"description", "arguments"}:
        assert key in trip.found.lost


OTHER = "{{d}} \\"
FILLED = {"who": "<who>", "other": "<other>"}
OPEN = st.sampled_from([Open(name="who", default=None), Open(name="other", default=OTHER)])


@pytest.mark.parametrize("target", TEMPLATES)
@given(parts=st.lists(st.one_of(TEXTS, ANY, OPEN, OPEN), min_size=1, max_size=6))
@settings(max_examples=40)
def test_what_is_exported_is_imported_as_it_was(target, parts) -> None:
    about = {"name": "quiz", "version": "1.0.0", "sha256": "0" * 64, "description": "Asks."}
    made = Exported(**about, parts=tuple(parts))
    try:
        files = exports(made, target_of(target))
    except FindingsError:
        return
    trip = imported(f"a.{target.replace('dotprompt', 'prompt')}", *files.values())
    if isinstance(trip, str):
        assert re.search(r"braces around its variables|which is a comment in a|header of", trip)
        return
    assert trip.found.lost == ()
    texts = [
        each.written(
            str, lambda v: FILLED.get(re.sub(r"_[0-9]+\Z", "", v.name)) or trip.value(v.name)
        )
        for each in (made, trip.made)
    ]
    before, after = (joined([("", text)]) for text in texts)
    assert after == before
    assert {*trip.found.variables.values()} <= {None, OTHER}
