"""Where an endpoint is, and the key that goes there: from the environment, and nowhere else.

`PSREG_API_KEY` goes to the endpoint that the command line names. `OPENAI_API_KEY`, which many
people have set for good, goes only to OpenAI, or to the host that `OPENAI_BASE_URL` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from psreg.core.errors import UsageError
from psreg.http.address import secure_parts

KEY = "PSREG_API_KEY"
OPENAI_KEY = "OPENAI_API_KEY"
OPENAI_BASE = "OPENAI_BASE_URL"
_OPENAI = "https://api.openai.com/v1"

_CHAT = "/chat/completions"


def chat_address(address: str) -> SplitResult:
    """Return where chats are continued, for a server, the base of its API, or the place itself.

    Raises:
        UsageError: BAD_ENDPOINT.
    """
    url = checked_address(address)
    path = url.path.rstrip("/")
    if path.endswith(_CHAT):
        return url._replace(path=path)
    return url._replace(path=f"{path or '/v1'}{_CHAT}")


def post_address(address: str) -> SplitResult:
    """Return where messages are posted: what is named, `/chat` of a server that is named alone.

    Raises:
        UsageError: BAD_ENDPOINT.
    """
    url = checked_address(address)
    return url if url.path.strip("/") else url._replace(path="/chat")


def checked_address(address: str) -> SplitResult:
    """Return the parts of an https address, or an http one of this machine.

    Raises:
        UsageError: BAD_ENDPOINT; it is another kind of address, or carries a user or a fragment.
    """
    try:
        return secure_parts(address)
    except ValueError as error:
        shown = "the address" if "@" in address else repr(address)  # it may hold a password
        raise UsageError(
            "BAD_ENDPOINT",
            f"{shown} is not the address of an endpoint: {error}",
            f"it begins with https://, or on this machine with http://127.0.0.1; a key is in {KEY}",
        ) from error


def key_for(url: SplitResult, environ: Mapping[str, str]) -> str:
    """Return the key for what is at `url`, "" if there is none.

    Raises:
        UsageError: BAD_KEY; it cannot stand in a header.
    """
    name, key = KEY, environ.get(KEY, "").strip()
    if not key and _origin(url) == _origin(urlsplit(environ.get(OPENAI_BASE) or _OPENAI)):
        name, key = OPENAI_KEY, environ.get(OPENAI_KEY, "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UsageError("BAD_KEY", f"what {name} holds is no key", "its value is not shown here")
    return key


def _origin(url: SplitResult) -> tuple[str, str]:
    return url.scheme, url.netloc.lower()
