"""What a conformance run of PB2S adds to the endpoint's own time, over HTTP on this machine."""

import json
import os
import statistics
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from measure import Metric
from psreg.conversations.conform_pb2s import probes
from psreg.conversations.conform_run import Prompt, Run
from psreg.conversations.endpoint.address import post_address
from psreg.conversations.endpoint.chat import Endpoint

STUB = Path(__file__).resolve().parents[1] / "stub.py"
PROMPTS = tuple(Prompt(id=str(n), message=f"What is {n} times {n}?") for n in range(60))
ROUNDS = 5
MS_ADDED = 5.0


def metrics():
    """The wall time of a run, less that of the same messages posted with http.client alone."""
    command = [sys.executable, str(STUB), "--behaviour", "conforming", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as stub:
        address = stub.stdout.readline().split()[1]
        try:
            _bare(address)  # whatever is slow only once
            pairs = [(_run(address), _bare(address)) for _ in range(ROUNDS)]
        finally:
            stub.terminate()
    added = statistics.median(ours - bare for ours, bare in pairs)
    yield Metric("a conformance run of PB2S adds to each prompt, ms", added, MS_ADDED)


def _run(address):
    endpoint = Endpoint(post_address(address), os.environ)
    began = time.perf_counter()
    found = list(probes(Run(ask=endpoint.ask, post=endpoint.post, prompts=PROMPTS)))
    took = time.perf_counter() - began
    assert not any(d.severity == "error" for probe in found for d in probe.diagnostics)
    return took * 1000 / len(PROMPTS)


def _bare(address):
    url = urlsplit(address)
    began = time.perf_counter()
    for prompt in PROMPTS:
        connection = HTTPConnection(url.netloc)
        connection.request("POST", url.path, json.dumps({"message": prompt.message}))
        connection.getresponse().read()
        connection.close()
    return (time.perf_counter() - began) * 1000 / len(PROMPTS)
