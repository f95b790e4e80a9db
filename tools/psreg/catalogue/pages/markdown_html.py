"""READMEs as HTML: a strict, small subset of Markdown that cannot produce foreign markup.

Every tag in the result is written here; everything else is escaped, including raw HTML and
comments. Links lead to `https:` or to a file that the caller knows; images become links. Each
pattern is bounded, so that no text makes it slow: a README is untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from psreg.catalogue.pages.html import text

Resolve = Callable[[str], str | None]
"""Turns a relative link target into an address for an attribute; None if there is no such file."""

_DEEPEST = 6
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}")
_ITEM = re.compile(r"( {0,3})([-*+]|\d{1,9}[.)])( {1,4}|$)(.*)")
_INTERRUPTING_ITEM = re.compile(r" {0,3}(?:[-*+]|1[.)]) +\S.*")
"""An item that ends a paragraph, as in CommonMark: a line with "2. May" continues a sentence."""

_DELIMITER = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_INLINE = re.compile(
    r"\\(?P<escape>[!-/:-@\[-`{-~])"
    r"|(?P<tick>`{1,4})(?!`)(?P<code>.{1,1000}?)(?<!`)(?P=tick)(?!`)"
    r"|!?\[(?P<label>[^\[\]]{1,500})\]\((?P<target>[^\s()<>]{1,500})(?: \"[^\"]{0,200}\")?\)"
    r"|<(?P<auto>https://[^\s<>]{1,500})>"
    r"|(?P<strong>\*\*|__)(?=\S)(?P<bold>.{1,500}?)(?<=\S)(?P=strong)"
    r"|(?<![\w*])(?P<stress>[*_])(?=[^\s*_])(?P<italic>.{1,500}?)(?<=\S)(?P=stress)(?![\w*])",
    re.DOTALL,
)
_LANGUAGE = re.compile(r"[A-Za-z0-9_+.-]{1,40}")
_HTTPS = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][!-~]*)?")


def to_html(source: str, resolve: Resolve, *, top: int = 3) -> str:
    """Return `source` as HTML; its highest headings become `<h{top}>`."""
    lines = source.replace("\r\n", "\n").replace("\t", "    ").split("\n")
    return _Blocks(resolve, top).render(lines, 0)


def inline_html(source: str) -> str:
    """Return one line of text with its code and emphasis as HTML; links stay text."""
    return _Blocks(lambda _: None, 1).inline(source)


def title_and_rest(source: str) -> tuple[str, str]:
    """Return the text of a leading `# Title` line and what follows; ("", source) without one."""
    head, _, rest = source.lstrip("\ufeff\r\n ").partition("\n")
    if head.startswith("# "):
        return head[2:].strip().replace("`", "").replace("*", ""), rest
    return "", source


_BREAK = "\ufdd0"
"""Stands for a line break; Unicode says that it is never a character of a text."""


class _Blocks:
    """Renders blocks of lines; one method per kind of block returns HTML and the next line."""

    def __init__(self, resolve: Resolve, top: int) -> None:
        self._resolve = resolve
        self._shift = top - 1

    def render(self, lines: list[str], depth: int) -> str:
        out: list[str] = []
        at = 0
        while at < len(lines):
            if not lines[at].strip():
                at += 1
                continue
            block, at = self._block(lines, at, depth)
            out.append(block)
        return "".join(out)

    def _block(self, lines: list[str], at: int, depth: int) -> tuple[str, int]:
        line = lines[at]
        if found := _FENCE.fullmatch(line):
            return _fenced(lines, at, found[1], found[2])
        if found := _HEADING.fullmatch(line):
            level = min(len(found[1]) + self._shift, 6)
            return f"<h{level}>{self.inline(found[2].rstrip(' #'))}</h{level}>", at + 1
        if _RULE.fullmatch(line):
            return "<hr>", at + 1
        return self._container(lines, at, depth)

    def _container(self, lines: list[str], at: int, depth: int) -> tuple[str, int]:
        line = lines[at]
        if depth < _DEEPEST and line.lstrip().startswith(">"):
            return self._quote(lines, at, depth)
        if depth < _DEEPEST and _ITEM.fullmatch(line):
            return self._list(lines, at, depth)
        if line.startswith("    "):
            return _indented(lines, at)
        if "|" in line and at + 1 < len(lines) and _is_delimiter(lines[at + 1]):
            return self._table(lines, at)
        return self._paragraph(lines, at, depth)

    def _quote(self, lines: list[str], at: int, depth: int) -> tuple[str, int]:
        inner: list[str] = []
        while at < len(lines) and lines[at].lstrip().startswith(">"):
            inner.append(lines[at].lstrip()[1:].removeprefix(" "))
            at += 1
        return f"<blockquote>{self.render(inner, depth + 1)}</blockquote>", at

    def _list(self, lines: list[str], at: int, depth: int) -> tuple[str, int]:
        first = _ITEM.fullmatch(lines[at])
        ordered = first is not None and first[2][-1] in ".)"
        number = int(first[2][:-1]) if first and ordered else 1
        items: list[str] = []
        while at < len(lines) and (found := _ITEM.fullmatch(lines[at])):
            if (found[2][-1] in ".)") is not ordered or _RULE.fullmatch(lines[at]):
                break
            margin = len(found[1]) + len(found[2]) + max(len(found[3]), 1)
            inner, at = _item(lines, at + 1, found[4], margin)
            body = self.render(inner, depth + 1)
            # A list item of one paragraph reads better without the paragraph's margins.
            if body.count("<p>") == 1 and body.startswith("<p>"):
                body = body.replace("<p>", "", 1).replace("</p>", "", 1)
            items.append(f"<li>{body}</li>")
        name = "ol" if ordered else "ul"
        start = f' start="{number}"' if number != 1 else ""
        return f"<{name}{start}>{''.join(items)}</{name}>", at

    def _table(self, lines: list[str], at: int) -> tuple[str, int]:
        head = _cells(lines[at])
        at += 2
        rows: list[str] = []
        while at < len(lines) and "|" in lines[at]:
            cells = (_cells(lines[at]) + [""] * len(head))[: len(head)]
            rows.append("".join(f"<td>{self.inline(cell)}</td>" for cell in cells))
            at += 1
        top = "".join(f'<th scope="col">{self.inline(cell)}</th>' for cell in head)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        table = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
        return f'<div class="ps-table" tabindex="0">{table}</div>', at

    def _paragraph(self, lines: list[str], at: int, depth: int) -> tuple[str, int]:
        start = at
        at += 1
        while at < len(lines) and lines[at].strip():
            if _starts_block(lines[at], depth, item=_INTERRUPTING_ITEM):
                break
            at += 1
        content = "\n".join(line.lstrip() for line in lines[start:at])
        broken = re.sub(r"(?: {2,40}|\\)\n", _BREAK, content)
        return f"<p>{self.inline(broken.rstrip()).replace(_BREAK, '<br>')}</p>", at

    def inline(self, source: str) -> str:
        out: list[str] = []
        end = 0
        for found in _INLINE.finditer(source):
            out += [text(source[end : found.start()]), self._span(found)]
            end = found.end()
        out.append(text(source[end:]))
        return "".join(out)

    def _span(self, found: re.Match[str]) -> str:
        if (code := found["code"]) is not None:
            return f"<code>{text(' '.join(code.split()))}</code>"
        if (escaped := found["escape"]) is not None:
            return text(escaped)
        if (auto := found["auto"]) is not None:
            return self._link(text(auto), auto)
        return self._nested(found)

    def _nested(self, found: re.Match[str]) -> str:
        # NOTE: a span ends as early as possible, so it never contains another of its kind.
        if (label := found["label"]) is not None:
            return self._link(self.inline(label), found["target"])
        if (bold := found["bold"]) is not None:
            return f"<strong>{self.inline(bold)}</strong>"
        return f"<em>{self.inline(found['italic'])}</em>"

    def _link(self, content: str, target: str) -> str:
        if _HTTPS.fullmatch(target):
            return f'<a href="{text(target)}" rel="noopener noreferrer nofollow">{content}</a>'
        address = None if ":" in target else self._resolve(target)
        return content if address is None else f'<a href="{address}">{content}</a>'


def _fenced(lines: list[str], at: int, fence: str, info: str) -> tuple[str, int]:
    end = at + 1
    while end < len(lines) and not (
        (line := lines[end].strip()).startswith(fence) and not line.strip(fence[0])
    ):
        end += 1
    body = text("\n".join(lines[at + 1 : end]))
    language = _LANGUAGE.match(info.strip())
    name = f' class="language-{language[0]}"' if language else ""
    return f"<pre><code{name}>{body}\n</code></pre>", end + 1


def _indented(lines: list[str], at: int) -> tuple[str, int]:
    end = at
    while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
        end += 1
    body = "\n".join(line[4:] for line in lines[at:end]).rstrip()
    return f"<pre><code>{text(body)}\n</code></pre>", end


def _item(lines: list[str], at: int, first: str, margin: int) -> tuple[list[str], int]:
    """Return the lines of a list item without their margin, and where the next block starts."""
    inner = [first]
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            following = lines[at + 1] if at + 1 < len(lines) else ""
            if not following.startswith(" " * margin):
                break
            inner.append("")
        elif line.startswith(" " * margin):
            inner.append(line[margin:])
        elif _starts_block(line, 0) or inner[-1] == "":
            break
        else:
            inner.append(line.lstrip())
        at += 1
    while at < len(lines) and not lines[at].strip():
        at += 1
    return inner, at


def _starts_block(line: str, depth: int, item: re.Pattern[str] = _ITEM) -> bool:
    """Tell whether `line` ends a paragraph; `item` is what begins an item of a list there."""
    if line.lstrip()[:1] not in _MARKS:
        return False
    nested = depth < _DEEPEST and (line.lstrip().startswith(">") or bool(item.fullmatch(line)))
    return nested or any(p.fullmatch(line) for p in (_FENCE, _HEADING, _RULE))


_MARKS = frozenset("#>`~-*_+0123456789")


def _is_delimiter(line: str) -> bool:
    return "-" in line and "|" in line and _DELIMITER.fullmatch(line) is not None


def _cells(line: str) -> list[str]:
    """Split a table row at each bar that has no backslash before it."""
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]
