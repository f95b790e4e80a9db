"""Where an endpoint is, and the key that goes there: from the environment, and nowhere else.

`PSREG_API_KEY` goes to the endpoint that the command line names. `OPENAI_API_KEY`, which many
people have set for good, goes only to OpenAI, or to the host that `OPENAI_BASE_URL` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from psreg.core.errors import UsageError
from psreg.http.source import is_loopback

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
    hint = "it begins with https://, or on this machine with http://127.0.0.1"
    if not (address.isascii() and address.isprintable()) or " " in address:
        raise UsageError("BAD_ENDPOINT", f"{address!r} has characters that no address has", hint)
    try:
        url = urlsplit(address)
        host, _ = url.hostname or "", url.port
    except ValueError as error:
        raise UsageError("BAD_ENDPOINT", f"{address!r} is no address: {error}", hint) from error
    if url.username is not None or url.password is not None:
        message = "the address of an endpoint has no user and no password"
        raise UsageError("BAD_ENDPOINT", message, f"a key is given in {KEY}")
    if url.scheme == "http" and host and not is_loopback(host):
        raise UsageError("BAD_ENDPOINT", f"{address} would travel unencrypted", hint)
    if url.scheme not in ("http", "https") or not host or url.fragment:
        raise UsageError("BAD_ENDPOINT", f"{address!r} is not the address of an endpoint", hint)
    return url


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
