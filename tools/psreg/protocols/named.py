"""Which protocols a text names, so that a person can decide whether to declare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from psreg.core.regex import lazy
from psreg.formats.protocol_versions import PROTOCOLS, nearest_version

_SIGNS: Mapping[str, str] = {
    "vpp": r"viable prompt protocol|\[version=v(?=[0-9.]{1,20} ?\| ?tag=)",
    "plsp": "prompt loop state protocol",
    "pb2s": "pb2s_proof",
}
"""What only a text about a protocol has: its full name, or a part of its messages."""

_PATTERNS: Mapping[str, Any] = {
    name: lazy(
        rf"(?i)(?:(?P<sign>{_SIGNS[name]})(?: \({name}\))?|\b{name})"
        r"(?:[-_ ,:(]{0,3}(?:version|v)?[ :=]{0,2}(?P<version>[0-9]{1,9}\.[0-9]{1,9}))?"
    )
    for name in PROTOCOLS
}


def named_protocols(text: str) -> Iterator[tuple[str, str]]:
    """Yield the protocols that `text` names, each with the first version of it there, or "".

    Others share the three or four letters, so these count only before a version that psreg checks.
    """
    for name, pattern in _PATTERNS.items():
        matches = list(pattern.finditer(text))
        versions = (match["version"] or "" for match in matches)
        version = next((each for each in versions if nearest_version(each, PROTOCOLS[name])), "")
        if version or any(match["sign"] for match in matches):
            yield name, version
