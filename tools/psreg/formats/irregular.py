"""What a place in a tree can be that is no plain file."""

from __future__ import annotations

from enum import StrEnum


class Irregular(StrEnum):
    """The kinds, in words that complete "this is …"."""

    LINK = "a symbolic link"
    SUBMODULE = "a submodule"
    SPECIAL = "neither a file nor a folder"
    EXECUTABLE = "an executable file"
