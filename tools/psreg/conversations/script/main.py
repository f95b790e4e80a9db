"""The command line and the HTTP of `conformance.py`, which is made of this module and the rules.

Only the standard library and the pure modules of PB2S: `conversations/script/generate.py` writes
them one after the other into a single file. What counts as an answer is what
`conversations/endpoint/chat.py` takes for one: a test holds both to the same exit code on
everything an endpoint may do.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import queue
import sys
import threading
import time
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import SplitResult, urlsplit

from psreg.core.diagnostics import ERROR, Finding, LineIndex, Severity, Span
from psreg.protocols.pb2s.prompts import own_prompts_json
from psreg.protocols.pb2s.reply import Reply
from psreg.protocols.pb2s.rules import PB2S_RULES
from psreg.protocols.pb2s.run import exchange_of, replies_of
from psreg.protocols.pb2s.trace import matched, trace_records
from psreg.protocols.pb2s.verdict import evidence_of, notes_of

_PATIENCE = 300.0
_LARGEST = 8 * 1024 * 1024
_ATTEMPTS = 3
_BACKOFF = 0.5
_LONGEST_WAIT = 20.0
_BUSY = (429, 500, 502, 503, 504, 529)
_MOST_PROMPTS = 100
_LOCAL = ("localhost", "::1")


class NoAnswerError(Exception):
    """There is nothing to judge: exit code 2. The text says why."""


class _BusyError(NoAnswerError):
    def __init__(self, why: str, wait: float = 0.0) -> None:
        super().__init__(why)
        self.wait = wait


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return 0 if the endpoint conforms, 1 if not, 2 if nobody can tell."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    args = _parser().parse_args(argv)
    try:
        errors = _conformance(args)
    except NoAnswerError as error:
        sys.stderr.write(f"conformance: {_plain(str(error))}\n")
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return 1 if errors else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="conformance.py",
        description="Check whether an endpoint conforms to PB2S 0.2.",
        epilog="exit codes: 0 it conforms, 1 it does not, 2 there is nothing to judge",
    )
    parser.add_argument("--endpoint", required=True, metavar="URL", help="where it is")
    parser.add_argument("--prompts", metavar="FILE.json", help="a list of texts or {id, message}")
    parser.add_argument("--trace-log", metavar="FILE", help="judge the endpoint's log, too")
    parser.add_argument(
        "--temperature-documented",
        action="store_true",
        help="a temperature above 0.2 is documented, and no finding",
    )
    parser.add_argument("--timeout", type=float, default=_PATIENCE, help="seconds for one answer")
    return parser


def _conformance(args: argparse.Namespace) -> int:
    """Print what was found, and return how many errors there are."""
    url = _address(args.endpoint)
    if not 0 < args.timeout <= _PATIENCE * 12:
        raise NoAnswerError(f"--timeout {args.timeout} is no number of seconds up to 3600")
    prompts = _prompts(args.prompts)
    exchanges = [
        exchange_of(message, _answer(url, message, args.timeout)) for _, message in prompts
    ]
    if args.trace_log:
        log = _read(args.trace_log).decode(errors="replace")
        exchanges = matched(exchanges, trace_records(log))
    replies = replies_of(
        enumerate(exchanges), traced=bool(args.trace_log), documented=args.temperature_documented
    )
    errors = 0
    for (name, message), reply in zip(prompts, replies, strict=True):
        found = [(rule, f) for rule in PB2S_RULES for f in rule.check(reply)]
        _say(f"{name}: {message}" + ("" if found else " ok"))
        for rule, finding in found:
            severity = finding.severity or rule.severity
            errors += severity is ERROR
            _say_finding(reply, rule.code, severity, finding)
        for note in notes_of(reply):
            _say(f"  note: {note}")
    verdict = f"does not conform: {errors} error{'s' * (errors > 1)}" if errors else "conforms"
    _say(f"pb2s 0.2, {len(prompts)} prompts: {url._replace(query='').geturl()} {verdict}")
    sys.stdout.flush()
    return errors


def _say_finding(reply: Reply, code: str, severity: Severity, finding: Finding) -> None:
    place = finding.at
    if isinstance(place, Span):
        position = LineIndex(reply.text).position(place.start)
        place = f"{position.line}:{position.column}"
    _say(f"  {severity} {code} {place}: {finding.message}")
    evidence = evidence_of(reply, finding.at)
    if evidence:
        _say(f"    evidence: {evidence}")
    if finding.hint:
        _say(f"    hint: {finding.hint}")


def _say(line: str) -> None:
    margin = " " * (len(line) - len(line.lstrip(" ")))
    sys.stdout.write(f"{margin}{_plain(line)}\n")


def _plain(text: str) -> str:
    """Return `text` on one line and without what could drive a terminal."""
    return "".join(c if c.isprintable() else "�" for c in " ".join(text.split()))[:2000]


# ---- what is read


def _prompts(path: str | None) -> list[tuple[str, str]]:
    data = _read(path) if path else own_prompts_json().encode()
    try:
        rows = _json(data)
    except (ValueError, RecursionError) as error:
        raise NoAnswerError(f"{path} is no JSON") from error
    if not isinstance(rows, list) or not 0 < len(rows) <= _MOST_PROMPTS:
        raise NoAnswerError(f"{path} is no list of 1 to {_MOST_PROMPTS} prompts")
    found: dict[str, str] = {}
    for number, row in enumerate(rows, 1):
        item = {"id": str(number), "message": row} if isinstance(row, str) else row
        pair = (item.get("id"), item.get("message")) if isinstance(item, dict) else ()
        if not pair or not all(isinstance(text, str) and text.strip() for text in pair):
            raise NoAnswerError(f"item {number} of {path} is neither a text nor {{id, message}}")
        if pair[0] in found:
            raise NoAnswerError(f"two prompts of {path} are called {pair[0]}")
        found[str(pair[0])] = str(pair[1])
    return list(found.items())


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise NoAnswerError(f"cannot read {path}: {_reason(error)}") from error


def _json(data: bytes) -> Any:
    return json.loads(data, parse_constant=_no_number)


def _no_number(literal: str) -> NoReturn:
    raise ValueError(f"{literal} is no JSON")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


# ---- what is asked


def _address(address: str) -> SplitResult:
    """Return the parts of an https address, or an http one of this machine; its path or /chat."""
    try:
        url = urlsplit(address)
        host, _ = url.hostname or "", url.port
    except ValueError as error:
        raise NoAnswerError(f"{address!r} is no address") from error
    odd = not address.isascii() or not address.isprintable() or " " in address
    if odd or url.username is not None or url.fragment or not host:
        raise NoAnswerError(f"{address!r} is not the address of an endpoint")
    local = host in _LOCAL or host.startswith("127.")
    if not (url.scheme == "https" or (url.scheme == "http" and local)):
        raise NoAnswerError(f"{address!r} does not begin with https://, or http://127.0.0.1")
    return url if url.path.strip("/") else url._replace(path="/chat")


def _answer(url: SplitResult, message: str, patience: float) -> Any:
    """Return the JSON that is answered to a message, asked for again while the endpoint is busy."""
    ends = time.monotonic() + patience
    for attempt in range(_ATTEMPTS):
        try:
            return _within(url, message, ends - time.monotonic())
        except _BusyError as error:
            wait = max(error.wait, _BACKOFF * 2**attempt)
            late = wait > _LONGEST_WAIT or time.monotonic() + wait > ends
            if attempt == _ATTEMPTS - 1 or late:
                raise
            time.sleep(wait)
    raise AssertionError  # pragma: no cover - the last attempt returns or raises


def _within(url: SplitResult, message: str, seconds: float) -> Any:
    """Return the answer, if it is whole in so many seconds; a thread waits, however it drips."""
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def work() -> None:
        try:
            done.put(_posted(url, message, seconds))
        except NoAnswerError as error:
            done.put(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        found = done.get(timeout=max(seconds, 0.001))
    except queue.Empty:
        raise NoAnswerError(f"{url.netloc} takes too long to answer") from None
    if isinstance(found, NoAnswerError):
        raise found
    return found


def _posted(url: SplitResult, message: str, seconds: float) -> Any:
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    key = os.environ.get("PSREG_API_KEY", "").strip()
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    headers |= {"Authorization": f"Bearer {key}"} if key else {}
    target = f"{url.path}?{url.query}" if url.query else url.path
    connection = kind(url.hostname or "", url.port, timeout=max(seconds, 0.001))
    try:
        connection.request("POST", target, json.dumps({"message": message}).encode(), headers)
        with connection.getresponse() as response:
            data = _body(url, response)
    except TimeoutError as error:
        raise NoAnswerError(f"{url.netloc} takes too long to answer") from error
    except (ConnectionResetError, BrokenPipeError, http.client.HTTPException) as error:
        raise _BusyError(f"{url.netloc} breaks the connection: {_reason(error)}") from error
    except (OSError, ValueError) as error:
        raise NoAnswerError(f"cannot reach {url.netloc}: {_reason(error)}") from error
    finally:
        connection.close()
    if key and key.encode() in data:
        raise NoAnswerError("the endpoint sends the key back; its answer was dropped")
    try:
        return _json(data)
    except (ValueError, RecursionError) as error:
        raise NoAnswerError(f"{url.netloc} answers with something that is no JSON") from error


def _body(url: SplitResult, response: http.client.HTTPResponse) -> bytes:
    if response.status in _BUSY:
        told = response.getheader("Retry-After", "")
        wait = float(told) if told.isascii() and told.isdigit() else 0.0
        raise _BusyError(f"{url.netloc} answers with status {response.status}", wait)
    if not 200 <= response.status < 300:  # noqa: PLR2004 - OK, Created
        raise NoAnswerError(f"{url.netloc} answers with status {response.status}")
    if response.getheader("Content-Encoding", "identity").strip().lower() not in ("identity", ""):
        raise NoAnswerError(f"{url.netloc} sends a compressed answer")
    declared = response.length
    data = response.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise NoAnswerError(f"{url.netloc} sends more than {_LARGEST:,} bytes")
    if declared is not None and len(data) < declared:
        raise http.client.IncompleteRead(data, declared - len(data))
    return data


if __name__ == "__main__":
    sys.exit(main())
