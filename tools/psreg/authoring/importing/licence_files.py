"""The licence that a file beside a prompt, or above it, grants; told by the words of its text.

Only licences whose text says which one it is are recognized: that of the GPL does not say whether
later versions apply.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from psreg.authoring.importing.found import Files, SourceFile
from psreg.formats.licenses import spdx_expression

_STEMS = frozenset(("copying", "licence", "license", "unlicense"))
_SUFFIXES = frozenset(("", ".md", ".txt"))
_TAG = "spdx-license-identifier:"
_MIT = (
    "permission is hereby granted, free of charge, to any person obtaining a copy of this software"
)
_MIT_NOTICE = "the above copyright notice and this permission notice"
_BSD = "redistributions of source code must retain the above copyright notice"
_BSD_NAMES = "neither the name of"
_TEXTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "MIT": ((_MIT, _MIT_NOTICE), ()),
    "MIT-0": ((_MIT,), (_MIT_NOTICE,)),
    "Apache-2.0": (("apache license version 2.0, january 2004",), ()),
    "BSD-2-Clause": ((_BSD,), (_BSD_NAMES,)),
    "BSD-3-Clause": ((_BSD, _BSD_NAMES), ()),
    "CC0-1.0": (("cc0 1.0 universal",), ()),
    "CC-BY-4.0": (("creative commons attribution 4.0 international public license",), ()),
    "CC-BY-SA-4.0": (
        ("creative commons attribution-sharealike 4.0 international public license",),
        (),
    ),
    "ISC": (("permission to use, copy, modify, and/or distribute this software for any",), ()),
    "MPL-2.0": (("mozilla public license version 2.0",), ()),
    "Unlicense": (("this is free and unencumbered software released into the public domain",), ()),
}
"""What the text of a licence says, and what it does not say, in small letters."""


class LicenceFiles:
    """The licences that files of a source grant, by their folder."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._paths: dict[PurePosixPath, list[PurePosixPath]] = {}
        for path in sorted(files):
            stem, suffix = path.stem.lower(), path.suffix.lower()
            if stem in _STEMS and suffix in _SUFFIXES:
                self._paths.setdefault(path.parent, []).append(path)
        self._known: dict[PurePosixPath, str] = {}

    def of(self, path: PurePosixPath) -> tuple[str, str]:
        """Return the licence of a prompt, and the nearest file that grants it; ("", "") for none.

        Where the nearest files grant several licences, or one that is not recognized, there is
        none: which one holds is for a person to say.
        """
        folder = next((each for each in path.parents if each in self._paths), None)
        paths = self._paths[folder] if folder is not None else []
        found = {self._granted(each): each for each in reversed(paths)}
        if len(found) != 1:
            return "", ""
        ((granted, where),) = found.items()
        return (granted, str(where)) if granted else ("", "")

    def _granted(self, path: PurePosixPath) -> str:
        if path not in self._known:
            self._known[path] = granted(SourceFile(path=path, files=self._files))
        return self._known[path]


def granted(file: SourceFile) -> str:
    """Return the licence that a file grants, as SPDX writes it; "" if that is not certain."""
    try:
        text = " ".join(file.text.split())
    except ValueError:
        return ""
    lower = text.lower()
    if (at := lower.find(_TAG)) >= 0:
        return spdx_expression(text[at + len(_TAG) :].strip().partition(" ")[0]) or ""
    found = [
        name
        for name, (says, not_says) in _TEXTS.items()
        if all(each in lower for each in says) and not any(each in lower for each in not_says)
    ]
    return found[0] if len(found) == 1 else ""
