"""Which licences a registry accepts unless its policy says otherwise.

SPDX identifiers of licences the Open Source Initiative approved, and the two Creative Commons
deeds made for text. Expressions such as `MIT OR Apache-2.0` are read by the library of their
name, imported when one is met.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Any, NamedTuple

_OPERATORS = re.compile(r"[\s()]")
_WORDS = re.compile(r"[A-Za-z0-9.+:-]+")
_REFERENCE = re.compile(r"LicenseRef-[A-Za-z0-9.-]+")
MAX_EXPRESSION = 200
"""Characters of the longest expression that is read."""

_OSI_APPROVED = (
    "0BSD",
    "AFL-3.0",
    "AGPL-3.0-only",
    "AGPL-3.0-or-later",
    "Apache-2.0",
    "Artistic-2.0",
    "BlueOak-1.0.0",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-2-Clause-Patent",
    "BSD-3-Clause",
    "BSD-3-Clause-LBNL",
    "BSL-1.0",
    "CAL-1.0",
    "CDDL-1.0",
    "CECILL-2.1",
    "ECL-2.0",
    "EFL-2.0",
    "EPL-1.0",
    "EPL-2.0",
    "EUPL-1.1",
    "EUPL-1.2",
    "GPL-2.0-only",
    "GPL-2.0-or-later",
    "GPL-3.0-only",
    "GPL-3.0-or-later",
    "ISC",
    "LGPL-2.1-only",
    "LGPL-2.1-or-later",
    "LGPL-3.0-only",
    "LGPL-3.0-or-later",
    "LPPL-1.3c",
    "MIT",
    "MIT-0",
    "MPL-1.1",
    "MPL-2.0",
    "MPL-2.0-no-copyleft-exception",
    "MS-PL",
    "MS-RL",
    "MulanPSL-2.0",
    "NCSA",
    "OFL-1.1",
    "OSL-3.0",
    "PostgreSQL",
    "Python-2.0",
    "QPL-1.0",
    "SISSL",
    "Unicode-3.0",
    "UPL-1.0",
    "Unlicense",
    "W3C",
    "Zlib",
    "ZPL-2.1",
)

DEFAULT_ALLOWED = frozenset((*_OSI_APPROVED, "CC0-1.0", "CC-BY-4.0"))
"""The allow list of a policy that has none."""


class Refusal(NamedTuple):
    """Why a licence is not accepted, and what to write instead if that is known."""

    message: str
    better: str = ""


def refusal(text: str, allowed: Collection[str]) -> Refusal | None:
    """Return why the SPDX expression `text` is not accepted, or None if it is.

    `allowed` holds identifiers. Of `A OR B` one must be among them, of `A AND B` both; in
    `A WITH E` the exception only permits more, so that `A` counts. Identifiers are written
    exactly as SPDX does, although SPDX itself ignores their case: catalogues compare texts.
    """
    if text in allowed:
        return None
    parsed = _parsed(text)
    if parsed is None:
        expression = _OPERATORS.search(text.strip()) is not None
        words = "is not an SPDX expression" if expression else "is not on the allow list"
        return Refusal(f"the licence `{text}` {words}")
    if _WORDS.findall(text) != _WORDS.findall(str(parsed)):
        return Refusal(f"the licence `{text}` is not written exactly as in SPDX", str(parsed))
    if _satisfied(parsed, allowed):
        return None
    return Refusal(f"the licence `{text}` is not on the allow list")


def spdx_expression(text: str) -> str | None:
    """Return a licence as SPDX writes it, None if it is neither an expression nor a reference."""
    if text in DEFAULT_ALLOWED or is_reference(text):
        return text
    parsed = _parsed(text)
    return None if parsed is None else str(parsed)


def is_reference(expression: str) -> bool:
    """Return whether it is a reference to a licence that SPDX does not list."""
    return _REFERENCE.fullmatch(expression) is not None


def _parsed(text: str) -> Any | None:
    """Return the parsed expression, or None if it cannot be read or names unknown licences."""
    if len(text) > MAX_EXPRESSION:
        return None
    try:
        return _licensing().parse(text, validate=True, strict=True)
    except Exception:  # noqa: BLE001 - for brackets around nothing boolean.py raises many a one
        return None


@cache
def _licensing() -> Any:
    from license_expression import get_spdx_licensing  # noqa: PLC0415

    return get_spdx_licensing()


def _satisfied(expression: Any, allowed: Collection[str]) -> bool:
    from license_expression import AND, OR, LicenseWithExceptionSymbol  # noqa: PLC0415

    if isinstance(expression, OR):
        return any(_satisfied(part, allowed) for part in expression.args)
    if isinstance(expression, AND):
        return all(_satisfied(part, allowed) for part in expression.args)
    if isinstance(expression, LicenseWithExceptionSymbol):
        return str(expression) in allowed or expression.license_symbol.key in allowed
    return expression.key in allowed
