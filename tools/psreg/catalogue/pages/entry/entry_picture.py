"""The picture of an entry for where links are shown (OpenGraph, oEmbed): 1200 by 630 pixels.

It is the picture of its class with the title of the entry. A registry has such pictures only if its
policy says `[site] pictures = true`, and its address is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING
from unicodedata import normalize

from psreg.catalogue.pages.class_texts import class_text
from psreg.catalogue.pages.entry.release_view import title
from psreg.catalogue.pages.frame import Site, entry_folder
from psreg.core.errors import UnavailableError
from psreg.registry.published import Entry
from psreg.system.extras import extra

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

_FONT = "fonts/DejaVuSans-Bold.ttf"
_LEFT, _TOP, _WIDTH = 90, 312, 1020
"""Pixels: where the title begins, below the symbol of the class, and how wide it may be."""

_BELOW, _SMALL = 548, 32
"""Pixels: where the line below the title begins, and its size."""

_SIZES = ((88, 2), (60, 3), (54, 3))
"""Sizes of a title, and how many lines of each there is room for; the last one is cut."""

_LEADING = 1.15
_COLOURS = 64


def picture_path(entry: Entry, site: Site) -> str:
    """Return where the picture is below the root of the site; "" if the entry has none.

    It has none if the font has not all letters of its title.
    """
    if entry.record.entry_class not in site.class_pictures or not _is_written(_title(entry)):
        return ""
    return f"{entry_folder(entry.record)}picture.png"


def picture_file(entry: Entry, site: Site) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of the picture, if the entry has one."""
    if path := picture_path(entry, site):
        yield path, _drawn(entry, site)


def _title(entry: Entry) -> str:
    return normalize("NFC", title(entry.latest))


def _drawn(entry: Entry, site: Site) -> bytes:
    from PIL import Image, ImageDraw  # noqa: PLC0415 - only some registries have pictures

    slug = entry.record.entry_class
    try:
        with Image.open(BytesIO(site.class_pictures[slug]), formats=["PNG"]) as picture:
            image = picture.convert("RGB")
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        message = f"the picture of the class {slug} is not a PNG that can be read"
        raise UnavailableError("CANNOT_READ", message, "Replace it in `site/overrides`.") from error
    ground = image.getpixel((0, image.height - 1))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, _TOP, image.width, image.height), fill=ground)
    lines, size = _fitted(_title(entry))
    for number, line in enumerate(lines):
        at = (_LEFT, _TOP + round(number * size * _LEADING))
        draw.text(at, line, font=_font(size), fill="white")
    below = " · ".join(filter(_is_written, (class_text(slug).noun, site.name)))
    draw.text((_LEFT, _BELOW), _cut(below, _SMALL), font=_font(_SMALL), fill="white")
    out = BytesIO()
    image.quantize(_COLOURS).save(out, "PNG", optimize=True)
    return out.getvalue()


def _fitted(words: str) -> tuple[list[str], int]:
    """Return the lines of a title in the largest size that has room for it."""
    for size, most in _SIZES:
        lines = _lines(words, size)
        if len(lines) <= most and all(_font(size).getlength(line) <= _WIDTH for line in lines):
            return lines, size
    lines[most - 1 :] = [" ".join(lines[most - 1 :])]
    return [_cut(line, size) for line in lines if line], size


def _lines(words: str, size: int) -> list[str]:
    """Return a text in lines; one word alone may be longer than a line."""
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and _font(size).getlength(longer) <= _WIDTH:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _cut(line: str, size: int) -> str:
    """Return as much of a line as there is room for; an ellipsis stands for the rest."""
    font = _font(size)
    if font.getlength(line) <= _WIDTH:
        return line
    while font.getlength(f"{line}…") > _WIDTH:
        line = line[:-1]
    return f"{line.rstrip()}…"


def _is_written(words: str) -> bool:
    """Tell whether the font has all signs of a text."""
    return all(sign == " " or _has(sign) for sign in words)


@cache
def _has(sign: str) -> bool:
    font = _font(_SMALL)
    return bytes(font.getmask(sign)) != bytes(font.getmask("\uffff"))


@cache
def _font(size: int) -> FreeTypeFont:
    with extra("pictures"):
        from PIL import ImageFont  # noqa: PLC0415 - as above
    data = files("psreg.catalogue").joinpath(_FONT).read_bytes()
    return ImageFont.truetype(BytesIO(data), size, layout_engine=ImageFont.Layout.BASIC)
