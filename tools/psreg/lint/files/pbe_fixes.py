"""The spelling of a PBE's version, name and save keys, and the fixes that correct it.

Only the texts concerned change; every other byte stays. `pbe_name`, the root of the save template,
the recognition key and the loading instruction change together, because they refer to each other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from psreg.core.diagnostics import Change, Span
from psreg.core.identity import is_name
from psreg.core.spelling import meant
from psreg.formats.json import json_document
from psreg.formats.json.pointer import join
from psreg.formats.pbe import LOAD_INSTRUCTION, RECOGNITION_KEY, SAVE_TEMPLATE, Pbe

_MOST = 100
"""Changes of one fix; a text that would need more of them is not ours to rewrite."""

_NUMBER = "(?:0|[1-9][0-9]*)"
_LENIENT = re.compile(rf"{_NUMBER}(?:\.{_NUMBER})?|v({_NUMBER}\.{_NUMBER}\.{_NUMBER})")


def padded_version(text: str) -> str | None:
    """Return what `N`, `N.N` or `vN.N.N` means as a version (PBE-A1); else None."""
    match = _LENIENT.fullmatch(text)
    if match is None:
        return None
    return match[1] or text + ".0" * (2 - text.count("."))


def snake_case(text: str) -> str:
    """Return `text` as `lowercase_with_underscores`; "" if no ASCII letter or digit is in it."""
    split_words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    plain = unicodedata.normalize("NFKD", split_words).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")


def version_fix(pbe: Pbe) -> tuple[Change, ...]:
    """Return the changes that pad `pbe_version`, and with it the same text inside a save."""
    padded = padded_version(pbe.version or "")
    if padded is None or not _unambiguous(pbe):
        return ()
    template = pbe.get(*SAVE_TEMPLATE)
    saves = template.items() if isinstance(template, dict) else ()
    nested = [
        join([*SAVE_TEMPLATE, root, "pbe_version"])
        for root, save in saves
        if isinstance(save, dict) and save.get("pbe_version") == pbe.version
    ]
    places = ["/pbe_version", *nested]
    return tuple(_text(pbe, pointer, padded) for pointer in places) if len(places) < _MOST else ()


def naming_fix(pbe: Pbe) -> tuple[Change, ...]:
    """Return the changes that give name, save key and recognition key one valid spelling.

    A save key is changed if it is the name, in any spelling, and `_save`. Where the assistant
    is told to look for it, the old key is also replaced. () if nothing needs to change.
    """
    name = _right_name(pbe.name or "")
    if not name or not _unambiguous(pbe):
        return ()
    changes = [] if name == pbe.name else [_text(pbe, "/pbe_name", name)]
    old = set()
    for pointer, text, is_key in _save_keys(pbe):
        if text != f"{name}_save" and follows_name(text, name):
            changes.append(_text(pbe, pointer, f"{name}_save", is_key=is_key))
            old.add(text)
    changes += _mentions(pbe, old, f"{name}_save")
    return tuple(changes) if len(changes) < _MOST else ()


def follows_name(key: str, name: str) -> bool:
    """Tell whether a save key is probably meant as `name` and `_save`.

    It may differ in capitals, accents and separators, lack `_save`, or be slightly misspelt.
    """
    right = _letters(f"{name}_save")
    return _letters(key) in (right, _letters(name)) or meant(_letters(key), [right]) is not None


def _right_name(text: str) -> str | None:
    """Return the name that `text` spells; None if a letter of it would be lost."""
    better = text if is_name(text) else snake_case(text)
    return better if is_name(better) and _letters(better) == _letters(text) else None


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text.casefold())))


def _save_keys(pbe: Pbe) -> Iterator[tuple[str, str, bool]]:
    """Yield (pointer, text, whether it is a member name) of root and recognition key."""
    template = pbe.get(*SAVE_TEMPLATE)
    if isinstance(template, dict) and len(template) == 1:
        (root,) = template
        yield join([*SAVE_TEMPLATE, root]), root, True
    key = pbe.text(*RECOGNITION_KEY)
    if key is not None:
        yield join(RECOGNITION_KEY), key, False


def _mentions(pbe: Pbe, old: set[str], new: str) -> Iterator[Change]:
    """Yield the changes of `old` keys, as whole words, to `new` in the loading instruction."""
    instruction = pbe.text(*LOAD_INSTRUCTION)
    if not old or not instruction:
        return
    words = "|".join(re.escape(key) for key in sorted(old, key=len, reverse=True))
    span = _inside(pbe.tree.span(join(LOAD_INSTRUCTION)))
    source = json_document.escaped(pbe.tree.text, span.start, span.end, json_document.ESCAPE)
    for match in re.finditer(rf"(?<!\w)(?:{words})(?!\w)", instruction):
        yield Change(Span(source.origin(match.start()), source.origin(match.end())), new)


def _text(pbe: Pbe, pointer: str, text: str, *, is_key: bool = False) -> Change:
    """Return the change of a JSON text, or of a member name, to one that needs no escapes."""
    span = pbe.tree.key_span(pointer) if is_key else pbe.tree.span(pointer)
    return Change(_inside(span), text)


def _inside(span: Span) -> Span:
    return Span(span.start + 1, span.end - 1)  # the quotes stay


def _unambiguous(pbe: Pbe) -> bool:
    return all(issue.code == "JSON004" for issue in pbe.tree.issues)
