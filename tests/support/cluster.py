"""A Dask cluster for tests: its scheduler and its workers are processes of their own."""

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

SECONDS = 60
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}


@contextmanager
def started(program, *arguments, **environment):
    """Run a program of Dask until the end of the context."""
    module = f"distributed.cli.dask_{program}"
    command = [sys.executable, "-m", module, *map(str, arguments), "--no-dashboard"]
    process = subprocess.Popen(command, env={**os.environ, **environment}, **QUIET)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def scheduler(folder, *options):
    """Start a scheduler without workers; yield its address and its process."""
    file = folder / "scheduler.json"
    where = ("--scheduler-file", file, "--port", 0, *options)
    with started("scheduler", "--host", "127.0.0.1", *where) as process:
        yield until(lambda: json.loads(file.read_text())["address"]), process


def worker(address, *options, **environment):
    """Start a worker with one thread."""
    single = ("--nthreads", 1, "--no-nanny", "--host", "127.0.0.1", *options)
    return started("worker", address, *single, **environment)


@contextmanager
def cluster(folder, workers=2):
    """Start a scheduler and workers; yield the address and the processes of the workers."""
    with ExitStack() as stack:
        address, _ = stack.enter_context(scheduler(folder))
        each = (worker(address, TMPDIR=str(folder)) for _ in range(workers))
        yield address, [stack.enter_context(one) for one in each]


def until(found):
    """Return what `found` returns, once it is true and raises nothing."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            if value := found():
                return value
        except (OSError, ValueError, KeyError):
            pass
        time.sleep(0.02)
    raise TimeoutError


COUNT = """
import sys
from distributed import Client
with Client(sys.argv[1]) as client:
    print(sum(client.run(lambda dask_worker: dask_worker.state.executed_count).values()))
"""


def tasks_done(address, **environment):
    """Return how many tasks the workers of a cluster have done."""
    command = [sys.executable, "-c", COUNT, address]
    done = subprocess.run(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, check=True
    )
    return int(done.stdout)


def cpu_seconds(process):
    """Return the processor time that a process has taken."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
