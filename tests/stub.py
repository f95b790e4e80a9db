"""An endpoint that behaves as it is told: `/chat` and `/v1/chat/completions`, on this machine only.

`python tests/stub.py --list` prints all behaviours with the exit codes that they lead to;
`python tests/stub.py --behaviour four-bullets --port 8000` serves one of them until Ctrl-C. Tests
use `running(NAME)`.
"""

import argparse
import json
import os
import select
import socket
import struct
import sys
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support import stub_answers
from support.stub_behaviours import BEHAVIOURS, NAMED

LARGEST = 16 * 1024 * 1024
USAGE = {"prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 46}
COLUMNS = ("pb2s", "vpp", "plsp", "try")


class At:
    """One request, and all that a behaviour may do with it."""

    def __init__(self, handler, behaviour, request, number):
        self.handler = handler
        self.behaviour = behaviour
        self.request = request
        self.number = number
        self.headers = handler.headers
        self.chatting = handler.path.partition("?")[0].endswith("/chat/completions")
        self.streaming = self.chatting and request.get("stream") is True
        messages = request.get("messages") if self.chatting else None
        self.protocol = stub_answers.protocol_of(messages) if messages else ""
        self.said = self._chat(messages) if messages else ""

    def _chat(self, messages):
        said = stub_answers.chat(messages)
        change = getattr(self.behaviour, self.protocol or "chat")
        return change(said) if change else said

    def answer(self, before=""):
        """Return the JSON that is the answer."""
        if not self.chatting:
            reply = stub_answers.pb2s(self.request.get("message"))
            return self.behaviour.pb2s(reply) if self.behaviour.pb2s else reply
        message = {"role": "assistant", "content": before + self.said}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        return {
            "object": "chat.completion", "model": self.model, "choices": [choice], "usage": USAGE,
        }  # fmt: skip

    @property
    def finish(self):
        return self.behaviour.finish

    @property
    def model(self):
        return self.request.get("model", "stub-1")

    def body(self, before=""):
        return json.dumps(self.answer(before), ensure_ascii=False).encode()

    def event(self, value):
        return f"data: {json.dumps({'model': self.model, **value})}\n\n".encode()

    def events(self, before=""):
        """Return the whole stream of the answer, a piece for every ten characters."""
        text = before + self.said
        pieces = [text[start : start + 10] for start in range(0, len(text), 10)]
        deltas = [{"role": "assistant"}, *({"content": piece} for piece in pieces)]
        events = [{"choices": [{"delta": delta, "finish_reason": None}]} for delta in deltas]
        counted = "stream_options" in self.request
        last = {"choices": [], **({"usage": USAGE} if counted else {})}
        events += [{"choices": [{"delta": {}, "finish_reason": self.finish}]}, last]
        lines = [json.dumps({"model": self.model, **e}, ensure_ascii=False) for e in events]
        return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()

    # ---- sending

    def right(self):
        """Answer as it should be."""
        if not self.streaming:
            self.send(200, self.body())
            return
        self.begin_stream()
        self.chunk(self.events())
        self.end_stream()

    def wrong(self, value):
        """Answer a chat with this JSON, anything else rightly."""
        self.send(200, json.dumps(value).encode() if self.chatting else self.body())

    def send(self, status, body, **headers):
        self.begin(status, length=len(body), **headers)
        self.write(body)

    def begin(self, status, *, length=None, kind="application/json", **headers):
        self.handler.send_response(status)
        own = {"Content-Type": kind, "Content-Length": length, **headers}
        for name, value in own.items():
            if value is not None:
                self.handler.send_header(name.replace("_", "-"), str(value))
        self.handler.end_headers()

    def begin_chunked(self, kind="application/json"):
        self.begin(200, kind=kind, Transfer_Encoding="chunked")

    def begin_stream(self):
        self.begin_chunked("text/event-stream")

    def chunk(self, data):
        self.write(b"%x\r\n%s\r\n" % (len(data), data))

    def end_stream(self):
        self.write(b"0\r\n\r\n")

    def write(self, data):
        self.handler.wfile.write(data)

    def raw(self, data):
        self.write(data)
        self.handler.close_connection = True

    def hang_up(self):
        """Close the connection in the middle of everything."""
        linger = struct.pack("ii", 1, 0)
        self.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.handler.connection.close()
        self.handler.close_connection = True

    def wait(self, seconds):
        """Wait; return False as soon as the client has hung up."""
        ready, _, _ = select.select([self.handler.connection], [], [], seconds)
        return not ready


class Stub:
    """A running stub: `url`, and the `requests` so far as (path, headers, JSON).

    `asked` is set as soon as there is one. Browsers let pages of `origin` read the answers.
    """

    def __init__(self, behaviour, port=0, origin=""):
        self.behaviour = NAMED[behaviour]
        self.requests = []
        self.asked_with = []
        self.asked = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                super().setup()

            def do_OPTIONS(self):
                self.send_response(204)
                self.end_headers()

            def end_headers(self):
                if origin:
                    self.send_header("Access-Control-Allow-Origin", origin)
                    self.send_header("Access-Control-Allow-Headers", "authorization, content-type")
                super().end_headers()

            def do_GET(self):
                owner.asked_with.append(dict(self.headers))
                known = self.path.partition("?")[0] == "/v1/models"
                rows = [{"id": "stub-2"}, {"id": "stub-1"}, {"no": "id"}, "x"]
                body = json.dumps({"data": rows} if known else {}).encode()
                self.send_response(200 if known else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                with suppress(OSError):  # clients hang up on a misbehaving endpoint
                    owner.serve(self)

            def handle(self):
                with suppress(OSError):
                    super().handle()

            def finish(self):
                with suppress(OSError, ValueError):
                    super().finish()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def serve(self, handler):
        """Answer one request."""
        length = int(handler.headers.get("Content-Length", "0"))
        try:
            request = json.loads(handler.rfile.read(min(length, LARGEST)))
        except ValueError:
            request = None
        if not isinstance(request, dict) or not self.understood(handler.path, request):
            body = b'{"error": {"message": "this is no request"}}'
            handler.send_response(400)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
            return
        self.requests.append((handler.path, dict(handler.headers), request))
        self.asked.set()
        at = At(handler, self.behaviour, request, len(self.requests))
        (self.behaviour.wire or At.right)(at)

    @staticmethod
    def understood(path, request):
        """Tell whether this is a message for `/chat`, or a chat."""
        if not path.partition("?")[0].endswith("/chat/completions"):
            return path.startswith("/chat") and isinstance(request.get("message"), str)
        messages = request.get("messages")
        return bool(messages) and all(
            isinstance(m, dict) and isinstance(m.get("content"), str) and "role" in m
            for m in messages
        )


@contextmanager
def running(behaviour="conforming", port=0, origin=""):
    """Serve a behaviour while the block runs; pages of `origin` may ask."""
    stub = Stub(behaviour, port, origin)
    thread = threading.Thread(target=stub.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.server.shutdown()
        stub.server.server_close()
        thread.join()


def listing():
    """Return the table of behaviours."""
    lines = [f"{'behaviour':24} {'  '.join(f'{name:>4}' for name in COLUMNS)}  what it does"]
    for row in BEHAVIOURS:
        exits = "  ".join(f"{code:>4}" for code in row.exits)
        flags = f" (with {row.flags})" if row.flags else ""
        lines.append(f"{row.name:24} {exits}  {row.about}{flags}")
    lines += [
        "",
        "The numbers are the exit codes of `psreg conform pb2s`, `conform vpp`, `conform plsp`, and",
        "of `psreg try`. Rows about saves hold for a `psreg try --save` that is told to save.",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="print all behaviours")
    parser.add_argument("--behaviour", choices=sorted(NAMED), default="conforming", metavar="NAME")
    parser.add_argument("--port", type=int, default=8000)
    args = parser.parse_args()
    if args.list:
        try:
            print(listing(), flush=True)
        except BrokenPipeError:  # `| head` has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    try:
        with running(args.behaviour, args.port) as stub:
            where = f"{stub.url}/chat and {stub.url}/v1/chat/completions"
            print(f"{args.behaviour}: {where}", flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        return 0
    except (OSError, OverflowError) as error:
        print(f"stub: cannot listen on port {args.port}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
