"""Pattern folders, as fabric has them: folders with `system.md` and perhaps `user.md`.

The text of `system.md` is a message to the system, and that of `user.md` one of the user.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import replace
from pathlib import PurePosixPath

from psreg.authoring.importing.found import Fields, Found, Refused, SourceFile
from psreg.authoring.importing.markdown import prompt_of
from psreg.authoring.importing.messages import joined
from psreg.authoring.literal import trimmed
from psreg.formats.conversation.prompt_messages import SYSTEM, USER

FILE, _USER, _README = "system.md", "user.md", "readme.md"


def claims(names: Collection[str]) -> bool:
    """Tell whether a folder with files of these names is a pattern, and has no other texts."""
    texts = {name.lower() for name in names if name.lower().endswith(".md")}
    return FILE in names and texts <= {FILE, _USER, _README}


def read(file: SourceFile, fields: Fields, others: Collection[PurePosixPath]) -> Found | Refused:
    """Return the prompt of a pattern, or why it has none; `others` are its other files."""
    folder = file.path.parent
    user = folder / _USER
    beside = tuple(str(path.relative_to(folder)) for path in sorted(others) if path != user)
    found = prompt_of(file, fields, name=folder.name, beside=beside)
    if isinstance(found, Refused):
        return found
    found = replace(found, roles=(SYSTEM,))
    if user not in others:
        return found
    second = SourceFile(path=user, files=file.files)
    if not trimmed(second.text):
        return found
    both = hashlib.sha256(file.data + second.data).hexdigest()
    text = joined([(SYSTEM, found.text), (USER, second.text)])
    return replace(found, text=text, roles=(SYSTEM, USER), sha256=both)
