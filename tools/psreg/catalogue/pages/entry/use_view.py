"""What a person does with a release: copy, open, download and share it, and what comes then.

A release that was yanked or revoked, and one of a reserved class, are not to be used: nothing here
is said of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from psreg.catalogue.pages.class_texts import class_text
from psreg.catalogue.pages.frame import ROOT, address
from psreg.catalogue.pages.html import chips, cut, link, section, text
from psreg.core.classes import Format
from psreg.formats import dotprompt
from psreg.formats.dotprompt import Prompt
from psreg.formats.json.json_document import parse
from psreg.formats.pbe import TRIGGERS
from psreg.formats.platforms import PAGES, PLATFORMS
from psreg.registry.published import Release

_LONGEST = 240
"""The most characters of a text of the prompt that a step quotes; the page has all of it below."""


def is_for_use(release: Release) -> bool:
    """Tell whether a person is to copy the release: not if nothing runs it, or it is withdrawn."""
    return not (is_withdrawn(release) or class_text(release.id.entry_class).reserved)


def is_withdrawn(release: Release) -> bool:
    """Tell whether the release was yanked or revoked."""
    return release.record.revoked is not None or release.record.yanked is not None


def buttons(release: Release, form: str, *, short: bool) -> str:
    """Return the button for what most people came for, and those beside it; "" if not for use.

    `form` is the address of the form of a `.prompt` with variables. A `short` page leaves out the
    links to assistants, which another page has.
    """
    if not is_for_use(release):
        return ""
    path = address(release.record.path)
    template = _template(release)
    if template is not None and template.variables:
        what, first = "", link(form, "Fill in and copy", "ps-button")
    else:
        what = f' data-copy-file="{path}"'
        first = (
            '<button type="button" class="ps-button ps-copy">Copy the prompt</button>'
            f"{'' if short else assistants()}"
        )
    return (
        f'<div class="ps-take"{what}>{first}</div><p class="ps-take-also">'
        f'<a href="{path}" download>Download the prompt</a>'
        f'<a href="{ROOT}run/#{release.id.name}@{release.record.version}">Run it here</a>'
        '<button type="button" class="ps-copy" data-copy-page>Copy the link</button></p>'
    )


def assistants(what: str = "") -> str:
    """Return links that copy, and then open an assistant.

    The attribute `what`, or one of an element around them, says what to copy. Nothing of it is put
    into the address, where it would be cut, and be read by others. No page tells its address.
    """
    items = "".join(
        f'<li><a class="ps-copy" href="{page}">{text(PLATFORMS[platform])}</a></li>'
        for platform, page in PAGES.items()
    )
    return (
        '<details class="ps-open-in"><summary class="ps-button">Copy and open…</summary>'
        f'<ul{what} data-copied="Copied: paste it there">{items}</ul></details>'
    )


def steps(release: Release) -> str:
    """Return the section with the three steps of a person who uses the release; "" if not for use.

    They say where to paste it, what comes first, and how it stops and saves (PBE 1.0, fields of
    each class).
    """
    if not is_for_use(release):
        return ""
    template = _template(release)
    found = _of_template(template) if template else _of_pbe(parse(release.artifact).value)
    items = "".join(f"<li>{step}</li>" for step in found)
    return section("steps", "How to use it", f'<ol class="ps-steps">{items}</ol>' if items else "")


def _template(release: Release) -> Prompt | None:
    return dotprompt.read(release.artifact) if release.id.format is Format.PROMPT else None


_PASTE = "Copy the prompt and paste it into a new conversation with an assistant"


def _of_template(prompt: Prompt) -> Iterator[str]:
    if prompt.variables:
        required = [text(v.name) for v in prompt.variables if v.default is None]
        which = f": {', '.join(f'<code>{name}</code>' for name in required)}" if required else ""
        yield f"Fill in the {link('#fill', 'form')}{which}. What has a default may stay as it is."
    yield f"{_PASTE}."
    yield "The assistant answers once, and keeps nothing: for the next task, copy it again."


def _of_pbe(value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        return
    if isinstance(value.get("execution"), dict):
        yield from _of_task(value["execution"])
    else:
        yield f"{_PASTE}."
        if begins := _said(value, "start_play", "instruction"):
            yield f"The assistant begins as it is told to: {begins}"
        phrases = _get(value, *TRIGGERS)
        if words := [p for p in phrases if isinstance(p, str)] if isinstance(phrases, list) else []:
            yield (
                f"To stop, type one of these: {chips(words)}"
                "The assistant writes a save. To go on another day, paste the prompt into a new "
                "conversation, and then the save."
            )


def _of_task(execution: Mapping[str, Any]) -> Iterator[str]:
    yield f"{_PASTE}, and add your material."
    if goal := _said(execution, "primary_goal"):
        yield f"The assistant does one thing: {goal}"
    if end := _said(execution, "termination_condition"):
        yield f"It stops by itself, and keeps nothing: {end}"


def _said(value: Any, *path: str) -> str:
    """Return the beginning of a text as a quotation; "" if there is none."""
    found = _get(value, *path)
    if not isinstance(found, str) or not found.strip():
        return ""
    return f"<q>{text(cut(' '.join(found.split()), _LONGEST))}</q>"


def _get(value: Any, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value
