"""The test runs of a release as conversations: what was said, with findings at their lines.

A page shows a limited part of what was recorded; the file has all of it. Texts are shown as they
are, without markup of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby, islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from psreg.catalogue.pages.class_texts import class_chip, class_text
from psreg.catalogue.pages.frame import Page, address, entry_crumbs, entry_folder
from psreg.catalogue.pages.html import count, cut, link, note, section, text
from psreg.core.classes import Format
from psreg.core.diagnostics import INFO, Diagnostic
from psreg.formats import pbe
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.reader import read_conversation
from psreg.formats.conversation.run_header import RunHeader, run_header
from psreg.formats.conversation.saves import save_in, save_system
from psreg.formats.layout import EVIDENCE
from psreg.formats.platforms import PLATFORMS
from psreg.formats.protocol_versions import PROTOCOLS, STUB, ProtocolConformance, read_conformances

if TYPE_CHECKING:
    from psreg.registry.published import Entry, Release

STUB_LABEL = "psreg's stub, not a model"

_FOLDER = "runs/"
_SUFFIX = ".jsonl"

_MOST_FILES = 50
_MOST_CHARACTERS = 100_000
"""Of all conversations on one page: about 40 kB as it is sent."""

_LONGEST = 20_000
"""Characters of one message."""

_UNFOLDED = 2_000
"""Characters of a message that are shown at once, if a person sent it: as a rule, the prompt."""

_BEGINNING = 120

_LONGEST_SAVE = 4_000
"""Characters of a save that is shown as an example."""


def platform_name(platform: str) -> str:
    """Return what a person calls a platform."""
    return STUB_LABEL if platform == STUB else PLATFORMS.get(platform, platform)


def recorded(release: Release) -> list[str]:
    """Return the paths of the conversations in the evidence of a release, sorted."""
    start = f"{release.folder}/{EVIDENCE}/"
    found = (path for path in release.files if path.startswith(start) and path.endswith(_SUFFIX))
    return sorted(found)[:_MOST_FILES]


def where_shown(release: Release, path: str) -> str:
    """Return the address of the conversation recorded at `path`, an item of `recorded`."""
    kind, name, version = release.id.entry_class, release.id.name, release.record.version
    return f"{address(f'{kind}/{name}/{version}/{_FOLDER}')}#{quote(_key(release, path))}"


def findings(data: bytes, path: str, spoken: ProtocolConformance) -> list[Diagnostic]:
    """Return the errors and warnings of a protocol about a conversation, by place."""
    return _Recording(path, data, (spoken,)).findings


def conversation_pages(entry: Entry, release: Release, title: str) -> Iterator[Page]:
    """Yield the page with the conversations of a release, if there are any."""
    paths = recorded(release)
    if not paths:
        return
    kind, row = class_text(entry.record.entry_class), release.record
    folder = f"{entry_folder(entry.record)}{row.version}/"
    spoken = read_conformances(row.protocols)
    recordings = (
        _Recording(path, release.files[path], tuple(s for s in spoken if path in s.transcripts))
        for path in paths
    )
    room = _MOST_CHARACTERS // len(paths)
    shown = "".join(_recording(release, recording, room) for recording in recordings)
    below = (row.version, folder), ("Conversations", "")
    yield Page(
        path=f"{folder}{_FOLDER}",
        title=f"{title} {row.version}: conversations",
        description=f"The test runs of {entry.record.name} {row.version}, as they were recorded.",
        body=f'{entry_crumbs(kind.slug, entry.record.name, *below)}<header class="ps-head">'
        f'<p class="ps-kicker">{class_chip(kind.slug)}'
        f"</p><h1>Conversations with {text(title)}</h1>"
        f'<p class="ps-lead">The test runs of version {text(row.version)}, as their authors '
        f"recorded them. What is said in them is not checked.</p></header>{shown}",
    )


@dataclass(frozen=True)
class _Recording:
    """The file of a conversation, and the protocols that it was checked with."""

    path: str
    data: bytes
    spoken: tuple[ProtocolConformance, ...]

    @cached_property
    def conversation(self) -> Conversation:
        return read_conversation(self.data, self.path)

    @cached_property
    def findings(self) -> list[Diagnostic]:
        """The errors and warnings; those about the whole file have no pointer."""
        if not any(each.name in PROTOCOLS for each in self.spoken):
            return []
        # Few releases declare a protocol, and the rules of all of them take long to import.
        from psreg.lint.transcript import check_transcript  # noqa: PLC0415

        reports = (
            check_transcript(
                self.conversation, each.name, version=each.version, imf=each.imf, path=self.path
            )
            for each in self.spoken
            if each.name in PROTOCOLS
        )
        found = (d for each in reports for d in each.report.diagnostics)
        return [d for d in found if d.severity is not INFO]


def _recording(release: Release, recording: _Recording, room: int) -> str:
    conversation = recording.conversation
    header = run_header(conversation.text) or RunHeader()
    key = _key(release, recording.path)
    messages = [*_messages(conversation)]
    artifact = release.artifact.decode("utf-8", "replace").strip()
    chat = _chat(messages, recording.findings, artifact, room)
    whole = [d for d in recording.findings if not d.pointer]
    return section(
        text(key),
        _title(release, key, header) or key,
        f"{_held(header.sha256, release.record.sha256)}"
        f"<p>{link(address(recording.path), 'The file')}: "
        f"{count(len(messages), 'message')}.</p>"
        f"{_unreadable(conversation)}{_finding_list(whole)}{chat}",
    )


def example_save(release: Release) -> str:
    """Return the section with the first save in a test run that fits the template; "" if none."""
    paths = recorded(release) if release.id.format is Format.PBE else []
    system = save_system(pbe.read(release.artifact)) if paths else None
    for path in paths if system else ():
        for turn in read_conversation(release.files[path], path).turns:
            save = save_in(turn.content) if turn.role == "assistant" else None
            if system and save and not system.faults(save):
                where = link(where_shown(release, path), "a test run")
                return section(
                    "saved",
                    "An example of a save",
                    f"<p>From {where}:</p>"
                    f"<pre><code>{text(cut(save.text, _LONGEST_SAVE))}\n</code></pre>",
                )
    return ""


def _title(release: Release, key: str, header: RunHeader) -> str:
    """Return where a conversation was held and when, and how it went, by its row or its header."""
    cited = f"{EVIDENCE}/{key}{_SUFFIX}"
    run = next((run for run in release.record.runs or () if run.evidence == cited), header)
    parts = (platform_name(run.platform), run.model, run.date, run.result)
    return ", ".join(filter(None, parts))


def _key(release: Release, path: str) -> str:
    """Return the name of a file of evidence, which is the fragment of its conversation as well."""
    return path.removeprefix(f"{release.folder}/{EVIDENCE}/").removesuffix(_SUFFIX)


def _held(stated: str, sha256: str) -> str:
    if stated == sha256:
        return (
            '<p class="ps-held">Held with exactly these bytes: the SHA-256 that the file states is '
            "that of this version.</p>"
        )
    if not stated:
        return note("warning", "<p>The file does not say which bytes it was held with.</p>")
    told = f"<p>Held with other bytes: the file states <code>{text(cut(stated, 64))}</code>.</p>"
    return note("warning", told)


def _unreadable(conversation: Conversation) -> str:
    if not conversation.issues:
        return ""
    why = text(conversation.issues[0].message)
    return note("warning", f"<p>Not all of it can be read: {why}</p>")


@dataclass(frozen=True, slots=True)
class _Message:
    """One text of a record, `index`; `who` is what its author is called."""

    index: int
    member: str
    who: str
    words: str


_SPEAKERS = {"user": "Person", "assistant": "Assistant", "system": "System"}


def _messages(conversation: Conversation) -> Iterator[_Message]:
    for turn in conversation.turns:
        yield _Message(turn.index, "content", _SPEAKERS[turn.role], turn.content)
    for cycle in conversation.cycles:
        if cycle.instr is not None:
            yield _Message(cycle.index, "instr", "Instruction", cycle.instr)
        yield _Message(cycle.index, "next", "Assistant", cycle.next)
    for each in conversation.exchanges:
        parts = (("message", "Person"), ("text", "Assistant"), ("pb2s_proof", "Proof"))
        for member, who in parts:
            if member in each.record:
                yield _Message(each.index, member, who, _as_text(each.record[member]))


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _chat(messages: list[_Message], found: Iterable[Diagnostic], artifact: str, room: int) -> str:
    """Return messages as a list: as many as begin within `room` characters."""
    places: dict[tuple[int, str], list[Diagnostic]] = {}
    for d in found:
        index, _, member = d.pointer.removeprefix("/").partition("/")
        if index:
            places.setdefault((int(index), member.partition("/")[0]), []).append(d)
    before = accumulate((len(each.words[:_LONGEST]) for each in messages), initial=0)
    shown = [each for each, length in zip(messages, before, strict=False) if length < room]
    items = "".join(
        _item(number, each, places.get((each.index, each.member), []), artifact)
        for number, each in enumerate(shown, 1)
    )
    left = len(messages) - len(shown)
    more = f"<p>{count(left, 'more message')} in the file.</p>" if left else ""
    return (f'<ol class="ps-chat">{items}</ol>' if items else "") + more


def _item(number: int, message: _Message, found: list[Diagnostic], artifact: str) -> str:
    said = _with_findings(cut(message.words, _LONGEST), found)
    sent = message.who != "Assistant"
    if sent and (label := _folded(message.words, artifact)):
        said = f"<details><summary>{text(label)}</summary>{said}</details>"
    kind = "sent" if sent else "answer"
    return (
        f'<li class="ps-said ps-said--{kind}"><p class="ps-who">{message.who} '
        f"<small>{number}</small></p>{said}</li>"
    )


def _folded(words: str, artifact: str) -> str:
    """Return what is shown of a message that is folded; "" if it is shown at once."""
    if words.strip() == artifact:
        return "The prompt, exactly as released"
    begin = " ".join(words[:_UNFOLDED].split())
    long = len(words) > _UNFOLDED
    return f"{cut(begin, _BEGINNING)} ({len(words):,} characters)" if long else ""


def _with_findings(words: str, found: list[Diagnostic]) -> str:
    """Return a text with each finding below the line that it is about."""
    lines = words.split("\n")
    out, done = [], 0
    ordered = sorted(found, key=lambda d: d.start)
    for line, each in groupby(ordered, key=lambda d: min(d.start.line, len(lines))):
        out += [_words(lines[done:line]), _finding_list(each)]
        done = line
    return "".join((*out, _words(lines[done:])))


def _words(lines: list[str]) -> str:
    said = "\n".join(lines)
    return f'<div class="ps-words" dir="auto">{text(said)}</div>' if said.strip() else ""


_LISTED = 20
"""Findings that are listed at one place."""


def _finding_list(found: Iterable[Diagnostic]) -> str:
    items = "".join(
        f'<li><span class="ps-state ps-state--{d.severity}">{d.severity}</span> '
        f"{link(address(d.url), f'<code>{text(d.code)}</code>')} {text(d.message)}</li>"
        for d in islice(found, _LISTED)
    )
    return f'<ul class="ps-findings">{items}</ul>' if items else ""
