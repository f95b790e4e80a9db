"""A model behind a gateway: an OpenAI-compatible endpoint that says, phase by phase, what it is told.

A script maps the name of a phase to what is said in it: a text, or a list of texts for the first
time, the second and so on, the last of them for ever.
"""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PHASE = re.compile(r"Next step: ([A-Z]+)\.")

EVIDENCE = "- missing evidence: no source for the figure"
CONTRADICTION = "- contradiction: 100 °C here and 93 °C there"
FINE = {
    "DRAFT": "Water boils at 100 °C.",
    "REFLECT": EVIDENCE,
    "REVISE": "Resolved bullet 1: at sea level, water boils at 100 °C.",
    "LEARNED": "- Name the conditions of a figure.",
    "CLARIFY": "Which of the two holds?\nAt what height was it measured?",
}


class Model:
    """What the script makes it say; `requests` are the bodies it was asked with."""

    def __init__(self, refuses=(), status=400, **script):
        self.script = {**FINE, **script}
        self.refuses = refuses
        self.status = status
        self.requests = []
        self.said = {}

    def answer(self, request):
        """Return status and JSON of the answer to the body of a request."""
        self.requests.append(request)
        if any(name in request for name in self.refuses):
            return self.status, {"error": {"message": "unsupported parameter"}}
        phase = PHASE.findall(request["messages"][-1]["content"])[0]
        words = self.script[phase]
        if not isinstance(words, str):
            turn = self.said.get(phase, 0)
            words = words[min(turn, len(words) - 1)]
        self.said[phase] = self.said.get(phase, 0) + 1
        choice = {"message": {"role": "assistant", "content": words}, "finish_reason": "stop"}
        return 200, {"model": "tiny-1", "choices": [choice]}


@contextmanager
def serving(model):
    """Serve `model` while the block runs; give the address of the server."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, document = model.answer(request)
            body = json.dumps(document).encode()
            with suppress(OSError):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
