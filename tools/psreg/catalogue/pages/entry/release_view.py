"""The sections of a page about one release: its content, its tests, its files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from psreg.catalogue.pages.entry import artifact_view
from psreg.catalogue.pages.entry.artifact_view import scalar
from psreg.catalogue.pages.entry.conversation_view import (
    findings,
    platform_name,
    recorded,
    where_shown,
)
from psreg.catalogue.pages.entry.use_view import is_for_use, is_withdrawn
from psreg.catalogue.pages.frame import address, by_name
from psreg.catalogue.pages.html import (
    chips,
    content,
    count,
    cut,
    humanised,
    link,
    section,
    size,
    table,
    text,
)
from psreg.catalogue.pages.markdown_html import inline_html, title_and_rest, to_html
from psreg.core.classes import Format
from psreg.formats import dotprompt
from psreg.formats.json.json_document import parse
from psreg.formats.protocol_versions import PROTOCOLS, STUB, ProtocolConformance, read_conformances
from psreg.lint.score import POINTS, Part, Score, read_score
from psreg.registry.published import Release

UNTESTED = "not yet tested on any platform"

_OPTIONS = "--endpoint URL --model MODEL --platform ID --result RESULT --record ID-DATE.jsonl"


_LONGEST_TITLE = 200
_MOST_VALUES = 20
"""Variables that the command to test a prompt names."""


def title(release: Release) -> str:
    """Return the title of a release: the title of its README, else its name in words."""
    found, _ = title_and_rest(release.readme)
    return cut(found, _LONGEST_TITLE) or humanised(release.id.name)


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
        return artifact_view.prompt_overview(document) if document.readable else ""
    value = parse(release.artifact).value
    return artifact_view.pbe_overview(value) if isinstance(value, dict) else ""


def lang(release: Release) -> str:
    """Return an attribute for the text of the artifact, if that is in one language, not English."""
    languages = fields(release, "languages")
    other = len(languages) == 1 and languages[0] != "en"
    return f' lang="{text(languages[0])}"' if other else ""


def form(release: Release) -> str:
    """Return the section in which a `.prompt` is filled in; "" for all others."""
    if release.id.format is not Format.PROMPT or not is_for_use(release):
        return ""
    document = dotprompt.read(release.artifact)
    return artifact_view.prompt_form(document, lang(release)) if document.readable else ""


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
    first = f"<p>Be the first to test it: {_how_to_test(release)}</p>"
    if not rows:
        return section("tested", "Tested", f"<p>This version is {UNTESTED}.</p>{first}")
    cells = ([*map(_cell, _run(row)), _evidence(release, row)] for row in rows)
    heads = ("Platform", "Model", "Date", "Result", "Settings", "Notes", "Standing", "Evidence")
    alone = all(row.get("platform") == STUB for row in rows)
    note = f"<p>This version is {UNTESTED}: psreg’s stub is not a model.</p>" if alone else ""
    invitation = "" if passed_platforms(release) else first
    return section("tested", "Tested", note + table(heads, cells) + invitation)


def _how_to_test(release: Release) -> str:
    """Return the command that tests a release in a checkout, where its transcript belongs."""
    what = release.record.path
    values = ""
    if release.id.format is Format.PROMPT:
        variables = dotprompt.read(release.artifact).variables
        required = [each.name for each in variables if each.default is None]
        values = "".join(f" --set {name}=VALUE" for name in required[:_MOST_VALUES])
    return (
        f"run <code>psreg try {text(f'{what}{values} {_OPTIONS}')}</code> and add the transcript "
        "to <code>evidence/</code> in a pull request."
    )


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
    if path not in release.files:
        return ""
    file = link(address(path), "transcript")
    if path not in recorded(release):
        return file
    return f"{link(where_shown(release, path), 'Read the conversation')} · {file}"


def limitations(release: Release) -> str:
    """Return the section about its limitations."""
    items = "".join(f"<li>{text(item)}</li>" for item in fields(release, "limitations"))
    return section("limits", "Limitations", f"<ul>{items}</ul>" if items else "")


def capabilities(release: Release) -> str:
    """Return the capabilities that the text asks an assistant to use."""
    return chips(fields(release, "capabilities")) or "none: text only"


def waived(release: Release) -> str:
    """Return the section about the waived findings."""
    return section("waived", "Waived findings", waivers(release))


def waivers(release: Release) -> str:
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
    return lead + table(("Rule", "Reason", "Waived by"), rows) if rows else ""


def artifact(release: Release) -> str:
    """Return the source of the artifact, exactly as it is installed; to copy unless withdrawn."""
    path = address(release.record.path)
    language = "prompt" if release.id.format is Format.PROMPT else "json"
    body = content(release.artifact.decode("utf-8", "replace"))
    buttons = (
        f'<a class="ps-button" href="{path}" download>Download</a>'
        f'<button type="button" class="ps-copy" data-copy-file="{path}">Copy the file</button>'
    )
    return section(
        "artifact",
        "The artifact",
        f'<div class="ps-bar"><span><code>{text(release.id.filename)}</code> '
        f"{size(release.record.size)}</span>"
        f"{'' if is_withdrawn(release) else buttons}</div>"
        # NOTE: HTML drops one line break after the start tag, hence the one written here.
        f'<pre class="ps-source" tabindex="0"{lang(release)}>\n'
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


def requirements(release: Release) -> list[tuple[str, Any]]:
    """Return the names of the required entries, each with its range."""
    return _pairs(release, "requires")


def requires(release: Release) -> str:
    """Return the required entries with their ranges; "" if there are none."""
    return ", ".join(f"{by_name(name)} {scalar(item)}" for name, item in requirements(release))


def protocols(release: Release) -> str:
    """Return the conversation protocols it declares; "" if there are none."""
    return ", ".join(f"{text(name)} {scalar(item)}" for name, item in _pairs(release, "protocols"))


def _pairs(release: Release, key: str) -> list[tuple[str, Any]]:
    value = release.record.release.get(key)
    return [*value.items()] if isinstance(value, dict) else []


_PAGE = "score/"


def score_link(release: Release) -> str:
    """Return the points as a link to the section about the score; "" if there is no score."""
    found = read_score(release.record.score)
    return f'<a href="#score">{found.total} of 100</a>' if found else ""


def score_section(release: Release) -> str:
    """Return the section about the score of a release; "" if there is no score."""
    found = read_score(release.record.score)
    return section("score", "Score", _score(found)) if found else ""


@lru_cache(maxsize=1 << 10)
def _score(score: Score) -> str:
    # NOTE: many releases miss the same points.
    rows = "".join(map(_score_row, score.parts))
    return (
        f'<p class="ps-score__lead"><strong>{score.total}</strong> of 100 points, from '
        f"{link(address(_PAGE), 'a public table')}: how well this version is documented and "
        f'tested, not how many people use it.</p><ul class="ps-score">{rows}</ul>{_how(score)}'
    )


def _score_row(part: Part) -> str:
    filled = max(0, min(100, 100 * part.points // max(part.of, 1)))
    return (
        f"<li><span>{text(part.title)}</span>"
        f'<progress class="ps-score__bar" max="100" value="{filled}" aria-hidden="true"></progress>'
        f"<span>{part.points} of {part.of}</span></li>"
    )


def _how(score: Score) -> str:
    items = "".join(
        f"<li>{text(part.title)}<ul>{_steps(part)}</ul></li>" for part in score.parts if part.steps
    )
    if not items:
        return ""
    lead = (
        f"<p>A released version never changes; each of these counts {POINTS} points in the next "
        "version.</p>"
    )
    return f"<details><summary>How to raise it</summary>{lead}<ul>{items}</ul></details>"


def _steps(part: Part) -> str:
    return "".join(f"<li>{inline_html(step)}</li>" for step in part.steps)


def badges(release: Release) -> str:
    """Return a short result for each declared protocol; "" if there is none."""
    items = "".join(
        f'<li><a href="#protocols">{text(_badge(spoken))}</a></li>'
        for spoken in read_conformances(release.record.protocols)
    )
    return f'<ul class="ps-chips">{items}</ul>' if items else ""


def _badge(spoken: ProtocolConformance) -> str:
    name = f"{spoken.name.upper()} {spoken.version}"
    if spoken.rate is None:
        return f"{name}: declared, not shown"
    where = "" if spoken.models else ", stub only" if spoken.stubbed else ""
    return f"{name}: {spoken.rate} % of {count(spoken.answers, 'answer')}{where}"


def protocols_section(release: Release) -> str:
    """Return the section about the protocols of a release; "" if it declares none."""
    found = read_conformances(release.record.protocols)
    if not found:
        return ""
    lead = (
        "<p>The protocols that this prompt declares, and the results of its own transcripts. For "
        f"the rules see {link(address('protocols/'), 'the pages about protocols')}.</p>"
    )
    heads = ("Protocol", "Transcripts", "Answers", "Without error", "Recorded on")
    details = "".join(_findings(release, spoken) for spoken in found)
    return section(
        "protocols", "Protocols", lead + table(heads, map(_protocol_row, found)) + details
    )


def _protocol_row(spoken: ProtocolConformance) -> tuple[str, ...]:
    name = text(f"{spoken.name.upper()} {spoken.version}")
    if spoken.imf:
        name += f" <small>{text(spoken.imf)}</small>"
    if spoken.judged_by not in ("", spoken.version):
        name += f" <small>checked as {text(spoken.judged_by)}</small>"
    page = address(f"protocols/{spoken.name}/") if spoken.name in PROTOCOLS else ""
    rate = "not shown" if spoken.rate is None else f"{spoken.sound} ({spoken.rate} %)"
    places = ", ".join(text(platform_name(platform)) for platform in spoken.platforms)
    return (
        link(page, name) if page else name,
        str(len(spoken.transcripts)),
        str(spoken.answers),
        rate,
        places or "not stated",
    )


def _findings(release: Release, spoken: ProtocolConformance) -> str:
    """Return links to the conversations, each with its number of findings."""
    items = []
    for path in recorded(release) if spoken.name in PROTOCOLS else ():
        if path in spoken.transcripts:
            found = findings(release.files[path], path, spoken)
            name = link(where_shown(release, path), text(path.removeprefix(f"{release.folder}/")))
            said = count(len(found), "finding") if found else "clean"
            items.append(f"<li>{name}: {said}</li>")
    if not items:
        return ""
    title = f"Findings about {spoken.name.upper()}"
    return f"<details><summary>{text(title)}</summary><ul>{''.join(items)}</ul></details>"
