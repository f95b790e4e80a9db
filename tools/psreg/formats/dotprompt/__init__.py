"""The `.prompt` format 0.0.1: bytes to a document with positions, and a document to text."""

from psreg.formats.dotprompt.document import (
    MAX_BYTES,
    SUPPORTED_VERSIONS,
    VERSION_KEY,
    Prompt,
    Rendering,
    read,
    render,
)
from psreg.formats.dotprompt.source import NAME

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
