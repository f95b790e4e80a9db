"""Small pieces of HTML, each safe by construction.

Everything from a prompt, a record or a README passes through `text`; no other function of this
package writes such a value into a page. The pages have no inline handlers or scripts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# Characters that reorder or hide text: C0/C1 controls, bidi overrides and isolates, tags. And
# surrogates, which are not text: a draft may have them in its JSON and in the paths of its files.
# And two that XML does not allow. A line may end with CR and LF.
_HIDDEN = re.compile(
    "\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
    "\U000e0000-\U000e007f]"
)


def text(value: str) -> str:
    """Return `value` escaped for element content and quoted attributes.

    Characters that could hide or reorder text are written as `⟨U+202E⟩`.
    """
    return content(value).replace('"', "&quot;").replace("'", "&#x27;")


def content(value: str) -> str:
    """Return `value` escaped for element content alone, as `text` does."""
    # NOTE: the same as html.escape without the call: this is the hottest line of a site build.
    escaped = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if not (value.isascii() and value.isprintable()) and _HIDDEN.search(value):
        return visible(escaped)
    return escaped


def visible(value: str) -> str:
    """Return `value` with `⟨U+202E⟩` for characters that could hide or reorder text, unescaped."""
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", value)


def cut(value: str, most: int) -> str:
    """Return `value`, or as many characters of it as fit into `most` with a `…`."""
    return value if len(value) <= most else f"{value[: most - 1]}…"


def tag(name: str, content: str, **attributes: str) -> str:
    """Return an element around `content`, which is HTML already.

    Attribute values are escaped; `class_` and `data_x` become `class` and `data-x`.
    """
    return f"<{name}{_attributes(attributes)}>{content}</{name}>"


def _attributes(attributes: dict[str, str]) -> str:
    return "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items()
    )


def link(href: str, content: str, class_: str = "") -> str:
    """Return a link; `href` is quoted and `content` is HTML already."""
    kind = f' class="{class_}"' if class_ else ""
    return f'<a{kind} href="{href}">{content}</a>'


def paragraphs(value: str) -> str:
    """Return plain text as paragraphs, separated at blank lines; line breaks are kept."""
    if "\n" not in value:
        return f"<p>{text(value)}</p>" if value.strip() else ""
    parts = [part.strip("\n") for part in re.split(r"\n[ \t]*\n", value) if part.strip()]
    return "".join("<p>" + text(part).replace("\n", "<br>") + "</p>" for part in parts)


def command(line: str) -> str:
    """Return a shell command; a script adds a button that copies it."""
    return f'<div class="ps-command"><code>{content(line)}</code></div>'


def chips(values: Iterable[str]) -> str:
    """Return `values` as a row of small labels; "" if there are none."""
    return labels(map(text, values))


MOST_LABELS = 100
"""The most labels of a row; how many others there are is said."""


def labels(values: Iterable[str]) -> str:
    """Return small labels, HTML already, as a row; "" if there are none."""
    found = list(values)
    shown = found[:MOST_LABELS]
    if len(found) > MOST_LABELS:
        shown.append(f"and {len(found) - MOST_LABELS:,} more")
    items = "".join(f"<li>{value}</li>" for value in shown)
    return f'<ul class="ps-chips">{items}</ul>' if items else ""


def terms(rows: Iterable[tuple[str, str]], class_: str = "ps-terms") -> str:
    """Return a definition list; terms are plain text, descriptions are HTML already."""
    items = "".join(f"<div><dt>{text(term)}</dt><dd>{html_}</dd></div>" for term, html_ in rows)
    return f'<dl class="{class_}">{items}</dl>' if items else ""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table that scrolls on its own; heads are plain text, cells are HTML already."""
    top = "".join(f'<th scope="col">{text(cell)}</th>' for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        '<div class="ps-table" tabindex="0"><table>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def section(identifier: str, title: str, content: str) -> str:
    """Return a section with a heading that can be linked to; "" if `content` is empty."""
    if not content:
        return ""
    return (
        f'<section id="{identifier}">'
        f'<h2><a href="#{identifier}">{text(title)}</a></h2>{content}</section>'
    )


def note(kind: str, content: str) -> str:
    """Return a banner; `kind` is `info`, `warning` or `danger`, `content` is HTML already."""
    return f'<aside class="ps-note ps-note--{kind}">{content}</aside>'


def humanised(key: str) -> str:
    """Return a snake_case or kebab-case key as words: `hint_ladder` becomes `Hint ladder`."""
    words = key.replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:] if words else key


def count(number: int, noun: str, plural: str = "") -> str:
    """Return `1 prompt`, `2 prompts`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(number: int) -> str:
    """Return a number of bytes for people: `812 bytes`, `14.8 kB`."""
    return f"{number} bytes" if number < 1000 else f"{number / 1000:.1f} kB"  # noqa: PLR2004
