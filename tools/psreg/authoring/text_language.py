"""Which language a text seems to be in, as CLD3 of the extra `psreg[import]` estimates it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

_READ = 4_000
"""The characters that are read: CLD3 looks at fewer."""

_LEAST_BYTES = 60
"""The bytes of letters below which an estimate is often wrong: some ten words, or 20 ideographs."""

_LEAST_PROBABILITY = 0.95

_OTHER_TAGS = {"iw": "he"}
"""The tags of today for what CLD3 says."""

_IN_OTHER_WORDS = {"nb": "no", "nn": "no", "tl": "fil"}
"""What CLD3 says for other languages."""


def language_of(text: str) -> str:
    """Return the tag of the language that `text` seems to be in; "" if that is not clear.

    Without the extra, it is never clear.
    """
    # NOTE: a text from JSON may have surrogates, which are not characters.
    start = text[:_READ].encode(errors="ignore").decode()
    if len("".join(filter(str.isalpha, start)).encode()) < _LEAST_BYTES:
        return ""
    found = _detector().FindLanguage(start) if _detector() else None
    if found is None or not found.is_reliable or found.probability < _LEAST_PROBABILITY:
        return ""
    # NOTE: `zh-Latn` and the like are mostly code or names.
    return "" if "-" in found.language else _OTHER_TAGS.get(found.language, found.language)


def is_in(language: str, tag: str) -> bool:
    """Return whether what `language_of` says is the language of a tag, such as `pt-BR`."""
    primary = tag.partition("-")[0].lower()
    return language == _IN_OTHER_WORDS.get(primary, primary)


@lru_cache(maxsize=1)
def _detector() -> Any:
    """Return the detector, None without the extra."""
    try:
        import gcld3  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        return None
    return gcld3.NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=_READ)
