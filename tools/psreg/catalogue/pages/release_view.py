"""The sections of a page about one release: its content, its tests, its files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psreg.catalogue.pages import pbe_view, prompt_view
from psreg.catalogue.pages.frame import address
from psreg.catalogue.pages.html import (
    chips,
    humanised,
    link,
    paragraphs,
    section,
    size,
    table,
    text,
)
from psreg.catalogue.pages.json_view import scalar
from psreg.catalogue.pages.markdown_html import title_and_rest, to_html
from psreg.core.classes import Format
from psreg.formats import dotprompt
from psreg.formats.json.json_document import parse
from psreg.formats.protocol_versions import STUB
from psreg.registry.published import Release

UNTESTED = "not yet tested on any platform"

_HOW_TO_TEST = (
    "run <code>psreg try {name} --endpoint URL --model MODEL --platform ID --result RESULT "
    "--record ID-DATE.jsonl</code>, and add the transcript to <code>evidence/</code> in a pull "
    "request."
)


def title(release: Release) -> str:
    """Return the title of a release: the title of its README, else its name in words."""
    found, _ = title_and_rest(release.readme)
    return found or humanised(release.id.name)


def field(release: Release, key: str) -> str:
    """Return a text of release.toml, or ""."""
    value = release.record.release.get(key)
    return value if isinstance(value, str) else ""


def fields(release: Release, key: str) -> list[str]:
    """Return a list of texts of release.toml, or []."""
    value = release.record.release.get(key)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def tests(release: Release) -> list[Mapping[str, Any]]:
    """Return the test runs, each with its `standing`; of older records those of this artifact."""
    if release.record.runs is not None:
        settings = _settings(release)
        return [
            {**run.to_json(), "settings": settings.get(run.evidence, {})}
            for run in release.record.runs
        ]
    rows = release.record.release.get("tested")
    return [
        row
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict) and row.get("sha256") == release.record.sha256
    ]


def _settings(release: Release) -> dict[str, Any]:
    """Return the settings of the runs in release.toml, by evidence."""
    rows = release.record.release.get("tested")
    listed = [row for row in (rows if isinstance(rows, list) else ()) if isinstance(row, dict)]
    return {str(row.get("evidence")): row.get("settings") for row in listed}


def passed_platforms(release: Release) -> list[str]:
    """Return the platforms this artifact passed on, sorted, without the stub."""
    passed = {
        str(row.get("platform"))
        for row in tests(release)
        if row.get("result") == "pass" and row.get("counts", True)
    }
    return sorted(passed - {STUB})


def overview(release: Release) -> str:
    """Return the artifact in readable form; "" if it cannot be parsed."""
    if release.id.format is Format.PROMPT:
        document = dotprompt.read(release.artifact)
        return prompt_view.overview(document) if document.readable else ""
    value = parse(release.artifact).value
    return pbe_view.overview(value) if isinstance(value, dict) else ""


def readme(release: Release) -> str:
    """Return the README without its title."""

    def resolve(target: str) -> str | None:
        path = f"{release.folder}/{target.removeprefix('./').partition('#')[0]}"
        return address(path) if path in release.files else None

    _, rest = title_and_rest(release.readme)
    return section("readme", "Read me", to_html(rest, resolve))


def tested(release: Release) -> str:
    """Return the table of test runs."""
    rows = tests(release)
    first = f"<p>Be the first to test it: {_HOW_TO_TEST.format(name=text(release.id.name))}</p>"
    if not rows:
        return section("tested", "Tested", f"<p>This version is {UNTESTED}.</p>{first}")
    cells = ([*map(_cell, _run(row)), _evidence(release, row)] for row in rows)
    heads = ("Platform", "Model", "Date", "Result", "Settings", "Notes", "Standing", "Evidence")
    alone = all(row.get("platform") == STUB for row in rows)
    note = f"<p>This version is {UNTESTED}: psreg’s stub is not a model.</p>" if alone else ""
    invitation = "" if passed_platforms(release) else first
    return section("tested", "Tested", note + table(heads, cells) + invitation)


def _run(row: Mapping[str, Any]) -> tuple[str, ...]:
    settings = row.get("settings")
    pairs = settings.items() if isinstance(settings, dict) else ()
    return (
        *(str(row.get(key, "")) for key in ("platform", "model", "date", "result")),
        ", ".join(f"{key} {value}" for key, value in pairs),
        str(row.get("notes", "")),
        str(row.get("standing", "reported by the author"))
        + (f"; added {row['added'][:10]}" if row.get("added") else ""),
    )


def _cell(value: str) -> str:
    return text(value)


def _evidence(release: Release, row: Mapping[str, Any]) -> str:
    path = f"{release.folder}/{row.get('evidence')}"
    return link(address(path), "transcript") if path in release.files else ""


def limitations(release: Release) -> str:
    """Return the section about its limitations."""
    items = "".join(f"<li>{text(item)}</li>" for item in fields(release, "limitations"))
    return section("limits", "Limitations", f"<ul>{items}</ul>" if items else "")


def capabilities(release: Release) -> str:
    """Return the capabilities that the text asks an assistant to use."""
    return chips(fields(release, "capabilities")) or "none: text only"


def waived(release: Release) -> str:
    """Return the waived findings, with the reasons."""
    rows = [
        (
            link(address(f"rules/{w.code}/"), f"<code>{text(w.code)}</code>"),
            text(w.reason),
            "registry policy" if w.by == "policy" else text(w.by),
        )
        for w in release.record.waived
    ]
    lead = "<p>Findings of the review that were accepted, and why.</p>"
    found = lead + table(("Rule", "Reason", "Waived by"), rows) if rows else ""
    return section("waived", "Waived findings", found)


def artifact(release: Release) -> str:
    """Return the source of the artifact, exactly as it is installed, with its buttons."""
    path = address(release.record.path)
    language = "prompt" if release.id.format is Format.PROMPT else "json"
    body = text(release.artifact.decode("utf-8", "replace"))
    return section(
        "artifact",
        "The artifact",
        f'<div class="ps-bar"><span><code>{text(release.id.filename)}</code> '
        f"{size(release.record.size)}</span>"
        f'<a class="ps-button" href="{path}" download>Download</a>'
        f'<button type="button" class="ps-copy" data-copy-file="{path}">Copy</button></div>'
        # NOTE: HTML drops one line break after the start tag, hence the one written here.
        '<pre class="ps-source" tabindex="0">\n'
        f'<code class="language-{language}">{body}</code></pre>',
    )


def files(release: Release) -> str:
    """Return links to all files of the version folder."""
    prefix = f"{release.folder}/"
    items = "".join(
        f"<li>{link(address(path), text(path.removeprefix(prefix)))}</li>"
        for path in sorted(release.files)
    )
    return f'<ul class="ps-files">{items}</ul>'


def requires(release: Release) -> str:
    """Return the required entries with their ranges; "" if there are none."""
    return _pairs(release, "requires")


def protocols(release: Release) -> str:
    """Return the conversation protocols it declares; "" if there are none."""
    return _pairs(release, "protocols")


def _pairs(release: Release, key: str) -> str:
    value = release.record.release.get(key)
    pairs = value.items() if isinstance(value, dict) else ()
    return ", ".join(f"{text(name)} {scalar(item)}" for name, item in pairs)


def changes(release: Release) -> str:
    """Return what changed in this version; "" for the first one."""
    return section("changes", "What changed", paragraphs(field(release, "changes")))
