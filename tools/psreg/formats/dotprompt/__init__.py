"""The `.prompt` format 0.0.1: bytes to a document with positions, and a document to text."""

from psreg.formats.dotprompt.braces import NAME
from psreg.formats.dotprompt.document import (
    MAX_BYTES,
    SUPPORTED_VERSIONS,
    VERSION_KEY,
    Prompt,
    read,
)
from psreg.formats.dotprompt.rendering import Rendering, render

__all__ = [
    "MAX_BYTES",
    "NAME",
    "SUPPORTED_VERSIONS",
    "VERSION_KEY",
    "Prompt",
    "Rendering",
    "read",
    "render",
]
