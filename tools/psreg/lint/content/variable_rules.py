"""The rule about variables of a `.prompt` that end up in a URL or on a command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from psreg.core.diagnostics import ERROR, WARNING, Finding, Span
from psreg.core.rule import Rule, rule
from psreg.lint.content.patterns import hits, patterns
from psreg.lint.content.shown import MOST
from psreg.lint.content.texts import Content, Passage
from psreg.lint.content.urls import images, urls

_SHELLS = re.compile(
    r"[ \t>]*+(?:`{3,}+|~{3,}+)[ \t]*+\{?\.?"
    r"(?:sh|bash|zsh|fish|shell|shellscript|console|terminal|powershell|pwsh|ps1|cmd|bat|batch)\b",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"`{1,3}(?:\$[ ]|>[ ])?[ ]?(?:sudo[ ])?(?:awk|aws|az|bash|cat|cd|chmod|chown|cp|curl|docker"
    r"|echo|env|export|find|gcloud|gh|git|grep|kill|kubectl|ln|ls|make|mkdir|mv|mysql|node|npm|npx"
    r"|openssl|perl|pip|powershell|psql|python[0-9.]{0,4}|rm|rsync|ruby|scp|sed|sh|ssh|tar|touch"
    r"|uv|wget|xargs|zsh)[ ]"
)
_PROMPT_LINE = re.compile(r"^[ \t]{0,8}\$[ ][^\n]{1,2000}", re.MULTILINE)


@rule("PS070", spec="registry/CONTENT", severity=WARNING)
def variable_in_dangerous_place(content: Content) -> Iterator[Finding]:
    """A variable without a default stands inside a URL or a command line.

    ## Why
    A value goes into the text as it is. Inside a URL it may change the host's answer or carry data
    out; on a command line `; rm -rf ~` is a value like any other. A variable without a default is
    one that somebody else fills in, often a program with whatever it was sent. Together with an
    image that is loaded (PS020) or a download that is run (PS033) it is an error. A literal
    `{{name}}` is no variable.

    ## Fix
    Give the variable a default that is safe, or let the value stand apart from the command and
    say what may be in it.

    ```text
    before   Run `git log --author={author}`.
    after    The author is: {author}
             Run `git log` for this author; quote the name, and refuse one with quotation marks.
    ```

    If the values come from people you trust, waive the rule with a reason in release.toml.
    """
    variables = content.prompt.variables if content.prompt else ()
    uses = [(v.name, span) for v in variables if v.default is None for span in v.spans]
    places = list(_places(content)) if uses else []
    grave = list(_grave(content)) if places else []
    for name, span in islice(uses, MOST):
        what = next((what for what, place in places if _inside(span, place)), "")
        if what:
            yield Finding(
                message=f"`{{{name}}}` has no default and stands inside {what}",
                at=span,
                hint="Give it a safe default, or keep the value apart and say what it may be.",
                severity=ERROR if any(_inside(span, place) for place in grave) else None,
            )


def _inside(span: Span, place: Span) -> bool:
    return place.start < span.start and span.end <= place.end


def _places(content: Content) -> Iterator[tuple[str, Span]]:
    for url in urls(content):
        yield "a URL", Span(url.start, url.start + len(url.url))
    for passage in content.passages:
        yield from (("a command line", span) for span in _commands(passage))


def _commands(passage: Passage) -> Iterator[Span]:
    for span in passage.code:
        if _SHELLS.match(passage.text, span.start) or _COMMAND.match(passage.text, span.start):
            yield span
    for line in _PROMPT_LINE.finditer(passage.text):
        yield Span(*line.span())


def _grave(content: Content) -> Iterator[Span]:
    for image in images(content):
        if image.slot and image.remote:
            yield Span(image.start, image.end)
    for hit in hits(content, patterns("payloads", "PS033")):
        yield Span(hit.start, hit.end)


VARIABLE_RULES: tuple[Rule[Content], ...] = (variable_in_dangerous_place,)
