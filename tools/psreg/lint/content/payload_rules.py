"""The rules about commands: decoded, downloaded, or built from variables."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding, Severity, Span
from psreg.core.regex import lazy
from psreg.core.rule import Rule, rule
from psreg.lint.content.link_rules import carries, images, urls
from psreg.lint.content.pattern_search import Hit, hits
from psreg.lint.content.pattern_tables import hosts, patterns, table
from psreg.lint.content.texts import Content


@rule("PS032", spec="registry/CONTENT", severity=ERROR)
def decode_then_execute(content: Content) -> Iterator[Finding]:
    """A command decodes something and runs it.

    ## Why
    `base64 -d | sh` has one purpose: to run commands that no one has seen. More than half of the
    malicious skills found in public registries worked this way. An honest text shows its commands.

    ## Fix
    Write the command in plain text. If the text is about such attacks, shorten the example so that
    it does not run (`base64 -d … | sh`), or waive the rule with a reason:

    ```toml
    [waivers]
    PS032 = "The prompt explains what this malware does, line by line."
    ```
    """
    for hit in hits(content, patterns("payloads", "PS032")):
        yield hit.finding(hint="Write the command in plain text.")


@rule("PS033", spec="registry/CONTENT", severity=ERROR)
def download_then_run(content: Content) -> Iterator[Finding]:
    """A command downloads something and runs it.

    ## Why
    `curl … | sh` runs whatever the server sends at that moment. That may differ from what it sent
    during the review, and from what it sends to others. An assistant with a terminal runs it
    without looking. Installation guides do it all the time, so the finding is a warning, and
    information only for well-known installers of languages and tools. In a code block, which is
    meant to be run, a source that nobody answers for is an error: a bare IP address, `http:`
    without encryption, a host for anonymous files, a shortened address, or a loader of Windows.

    ## Fix
    Name the package and let people install it in their usual way, or give three steps: download a
    fixed version, compare its digest, run it.

    ```toml
    [waivers]
    PS033 = "The official installer of Rust; the prompt helps with its questions."
    ```
    """
    for hit in hits(content, patterns("payloads", "PS033")):
        yield hit.finding(
            hint="Name the package, or download a fixed version and compare its digest first.",
            severity=_source_severity(hit),
        )


_UNACCOUNTABLE = lazy(
    r"\b(?:http|ftp)://(?!localhost|127\.|0\.0\.0\.0|\[::1)"
    r"|://(?:\[[0-9a-f:]{3,45}\]|(?:0x[0-9a-f]{1,8}|[0-9]{1,10})(?:\.|[/:\s\"'|)]))"
    r"|://(?:www\.)?(?:bit\.ly|tinyurl\.com|t\.co|is\.gd|goo\.gl|cutt\.ly|rb\.gy|t\.ly)/",
    re.IGNORECASE,
)
_LOCAL = lazy(r"://(?:127\.|10\.|192\.168\.|0\.0\.0\.0|\[::1\])")


_ADDRESS = lazy(r"[a-z][a-z0-9+.-]{0,20}://[^\s\"'`|;)<>]*", re.IGNORECASE)


def _is_well_known(address: str) -> bool:
    """Return whether a well-known installer comes from `address`, a URL in small letters."""
    _, _, place = address.partition("https://")
    known = [each for each in table("payloads")["installers"] if place.startswith(each)]
    return any("/" in each or place[len(each) :][:1] in ("", "/", "?", "#") for each in known)


def is_well_known_installer(hit: Hit) -> bool:
    """Return whether all that a command downloads are well-known installers."""
    addresses = _ADDRESS.findall(hit.text.lower())
    return bool(addresses) and all(map(_is_well_known, addresses))


def _source_severity(hit: Hit) -> Severity:
    """Return how severe it is to run what the source of `hit` sends."""
    if is_well_known_installer(hit):
        return INFO
    text = hit.text.lower()
    anonymous = any(host.id in text for host in hosts() if host.severity is None)
    loader = hit.pattern.id == "windows-loaders"
    severe = loader or anonymous or (_UNACCOUNTABLE.search(text) and not _LOCAL.search(text))
    return ERROR if severe and hit.segment.in_fence(hit.start) else WARNING


@rule("PS060", spec="registry/CONTENT", severity=ERROR)
def executable_link(content: Content) -> Iterator[Finding]:
    """A link leads to a program, or to an archive that the reader is told to unpack.

    ## Why
    The largest wave of malicious skills so far said, in friendly words: download this file, use
    this password, then start it. The password keeps scanners out. A prompt is text; anything else
    that it needs should come from where people usually get their software.

    ## Fix
    Link to the home page of the program instead of the file, and name the package. If the entry is
    about the file itself, waive the rule with a reason:

    ```toml
    [waivers]
    PS060 = "The firmware whose update the assistant explains, on the maker's own site."
    ```
    """
    for hit in hits(content, patterns("payloads", "PS060")):
        yield hit.finding(hint="Link to the home page of the program and name the package.")


PAYLOAD_RULES: tuple[Rule[Content], ...] = (
    decode_then_execute,
    download_then_run,
    executable_link,
)


_SHELLS = lazy(
    r"[ \t>]*+(?:`{3,}+|~{3,}+)[ \t]*+\{?\.?"
    r"(?:sh|bash|zsh|fish|shell|shellscript|console|terminal|powershell|pwsh|ps1|cmd|bat|batch)\b",
    re.IGNORECASE,
)
_COMMAND = lazy(
    r"`{1,3}(?:\$[ ]|>[ ])?[ ]?(?:sudo[ ])?(?:awk|aws|az|bash|cat|cd|chmod|chown|cp|curl|docker"
    r"|echo|env|export|find|gcloud|gh|git|grep|kill|kubectl|ln|ls|make|mkdir|mv|mysql|node|npm|npx"
    r"|openssl|perl|pip|powershell|psql|python[0-9.]{0,4}|rm|rsync|ruby|scp|sed|sh|ssh|tar|touch"
    r"|uv|wget|xargs|zsh)[ ]"
)
_TOLD_TO_RUN = lazy(
    r"\b(?:run|execute|call|invoke|enter|type|use|start)s?"
    r"(?:[ ](?:the|this)(?:[ ]\w{1,20}){0,2})?[ :]{1,2}\Z",
    re.IGNORECASE,
)
_BEFORE = 40
_PROMPT_LINE = lazy(r"^[ \t]{0,8}\$[ ][^\n]{1,2000}", re.MULTILINE)


@rule("PS070", spec="registry/CONTENT", severity=WARNING, worst=ERROR)
def variable_in_dangerous_place(content: Content) -> Iterator[Finding]:
    """A variable without a default is used inside a URL or a command line.

    ## Why
    A value is inserted as it is. Inside a URL it can change the host or send data away. On a
    command line, `; rm -rf ~` is a value like any other. A variable without a default is filled in
    by someone else, often by a program that passes on whatever it received. At the end of the host
    of a URL, or in a command that the text says to run, it is a warning. In the rest of a URL and
    in a block of commands, which often only show their form, it is information. Inside an image
    that sends data (PS020) or a download that is run (PS033), the finding is an error. A literal
    `{{name}}` is not a variable, and `${name}` is one of the code itself.

    ## Fix
    Give the variable a safe default, or keep the value apart from the command and say what it may
    contain.

    ```text
    before   Run `git log --author={author}`.
    after    The author is: {author}
             Run `git log` for this author; quote the name, and refuse one with quotation marks.
    ```

    If the values come from people you trust, waive the rule with a reason in release.toml.
    """
    variables = content.prompt.variables if content.prompt else ()
    uses = [
        (v.name, span)
        for v in variables
        if v.default is None
        for span in v.spans
        if content.source[span.start - 1 : span.start] != "$"  # of a shell or of JavaScript
    ]
    if not uses:
        return
    places = [place for place in _places(content) if place[1]]
    if not places:
        return
    severe = sorted(_severe(content))
    for name, span in uses:
        place = next((place for place in places if _inside(span, place[1])), None)
        if place:
            what, _, severity = place
            yield Finding(
                message=f"`{{{name}}}` has no default and is used inside {what}",
                at=span,
                hint="Give it a safe default, or keep the value apart and say what it may contain.",
                severity=ERROR if _inside(span, severe) else severity,
            )


def _inside(span: Span, outer: list[Span]) -> bool:
    """Tell whether one of `outer`, which are ascending and do not overlap, contains `span`."""
    before = bisect_left(outer, span)
    return before > 0 and outer[before - 1].start < span.start and span.end <= outer[before - 1].end


def _places(content: Content) -> tuple[tuple[str, list[Span], Severity | None], ...]:
    """Return the dangerous places: what they are, their ascending ranges, and how severe it is."""
    (segment,) = content.segments
    text = segment.text
    addresses = list(urls(content))
    hosts = [
        Span(url.start, url.start + url.url.find("://") + 4 + len(url.authority))
        for url in addresses
        if url.authority.partition(":")[0].endswith("}")
    ]
    told: list[Span] = []
    shown: list[Span] = []
    for span in segment.code:
        if _SHELLS.match(text, span.start):
            shown.append(span)
        elif _COMMAND.match(text, span.start):
            run = _TOLD_TO_RUN.search(text, max(0, span.start - _BEFORE), span.start)
            (told if run else shown).append(span)
    return (
        ("the host of a URL", hosts, None),
        ("a command line", told, None),
        ("a URL", [Span(url.start, url.start + len(url.url)) for url in addresses], INFO),
        ("a command line", shown, INFO),
        ("a command line", [Span(*m.span()) for m in _PROMPT_LINE.finditer(text)], INFO),
    )


def _severe(content: Content) -> Iterator[Span]:
    for image in images(content):
        if carries(image):
            yield Span(image.start, image.end)
    for hit in hits(content, patterns("payloads", "PS033")):
        yield Span(hit.start, hit.end)


VARIABLE_RULES: tuple[Rule[Content], ...] = (variable_in_dangerous_place,)
