"""The vectors of PB2S, through the command line: as recorded exchanges, and at an endpoint."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from support.paths import VECTORS
from support.warm_psreg import run_psreg

KINDS = {
    "E-MISSING": "PB2S001",
    "E-TWICE": "PB2S002",
    "W-PREAMBLE": "PB2S006",
    "E-REFLECT-BULLETS": "PB2S007",
    "E-DECISION": "PB2S014",
    "E-CYCLES": "PB2S015",
    "E-AUDIT": "PB2S016",
    "E-CLARIFY-DECISION": "PB2S020",
    "E-TEMPERATURE": "PB2S023",
}

CASES = json.loads((VECTORS / "pb2s.json").read_text())


def psreg(*arguments):
    done = run_psreg(*arguments, "--format", "json")
    return done.returncode, json.loads(done.stdout)


def explains(kind, diagnostic):
    name = kind if kind in KINDS else kind.rpartition("-")[0]
    named = name == kind or kind.rpartition("-")[2] in diagnostic["message"]
    return diagnostic["code"] == KINDS[name] and named


def agree(case, report):
    for severity in ("error", "warning"):
        kinds = case[f"{severity}s"]
        found = [d for d in report["diagnostics"] if d["severity"] == severity]
        assert len(found) == len(kinds), found
        assert all(any(explains(kind, d) for d in found) for kind in kinds), found


@contextmanager
def answering(reply):
    """Serve `reply` to every message; give the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            body = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/chat"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_recorded_exchange(case, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"message": "Do loops end?", **case["reply"]}) + "\n")
    code, report = psreg("transcript", str(path), "--protocol", "pb2s")
    agree(case, report)
    assert code == int(bool(case["errors"]))
    (parsed,) = report["parsed"]
    assert parsed["decision"] == case["reply"]["pb2s_proof"]["decision"]
    assert "REFLECT" in parsed["sections"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_reply_alone(case, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(case["reply"]))
    code, report = psreg("transcript", str(path), "--protocol", "pb2s")
    agree(case, report)
    assert code == int(bool(case["errors"]))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_an_endpoint(case, tmp_path):
    prompts = tmp_path / "prompts.json"
    prompts.write_text('["Do loops end?"]')
    with answering(case["reply"]) as url:
        code, report = psreg("conform", "pb2s", "--endpoint", url, "--prompts", str(prompts))
    agree(case, report)
    assert code == int(bool(case["errors"]))
