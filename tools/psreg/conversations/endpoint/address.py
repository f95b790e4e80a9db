"""The address of an endpoint, and its API key, which comes only from the environment.

`PSREG_API_KEY` is sent to the endpoint that the command line names. `OPENAI_API_KEY`, which many
people have set permanently, is sent only to OpenAI, or to the host in `OPENAI_BASE_URL`.
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

CHAT_PATH = "/chat/completions"


def chat_address(address: str, *, allow_http: bool = False) -> SplitResult:
    """Return the address for chat completions, given a server, the base of its API, or itself.

    Raises:
        UsageError: BAD_ENDPOINT.
    """
    url = _checked_address(address, allow_http=allow_http)
    path = url.path.rstrip("/")
    if path.endswith(CHAT_PATH):
        return url._replace(path=path)
    return url._replace(path=f"{path or '/v1'}{CHAT_PATH}")


def post_address(address: str, *, allow_http: bool = False) -> SplitResult:
    """Return the address to post messages to: `address`, or its `/chat` if it has no path.

    Raises:
        UsageError: BAD_ENDPOINT.
    """
    url = _checked_address(address, allow_http=allow_http)
    return url if url.path.strip("/") else url._replace(path="/chat")


def _checked_address(address: str, *, allow_http: bool = False) -> SplitResult:
    """Return the parts of an https address, or an http one of this machine.

    `allow_http` allows plain http to any host.

    Raises:
        UsageError: BAD_ENDPOINT; it is another kind of address, or has a user or a fragment.
    """
    plain = allow_http and address.startswith("http://")
    try:
        url = secure_parts(address.replace("http://", "https://", 1) if plain else address)
        return url._replace(scheme="http") if plain else url
    except ValueError as error:
        shown = "the address" if "@" in address else repr(address)  # it may contain a password
        raise UsageError(
            "BAD_ENDPOINT",
            f"{shown} is not the address of an endpoint: {error}",
            "Write an address that begins with https://, or http://127.0.0.1 for this machine; "
            f"put the key into {KEY}. --allow-http allows plain http to other machines.",
        ) from error


def key_for(url: SplitResult, environ: Mapping[str, str]) -> str:
    """Return the API key for the endpoint at `url`, "" if there is none.

    Raises:
        UsageError: BAD_KEY; it is not valid in a header.
    """
    name, key = KEY, environ.get(KEY, "").strip()
    if not key and _origin(url) == _origin(urlsplit(environ.get(OPENAI_BASE) or _OPENAI)):
        name, key = OPENAI_KEY, environ.get(OPENAI_KEY, "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        hint = "Remove blanks and characters that are not ASCII; the value is not shown here."
        raise UsageError("BAD_KEY", f"{name} is not a valid API key", hint)
    return key


def _origin(url: SplitResult) -> tuple[str, str]:
    return url.scheme, url.netloc.lower()
