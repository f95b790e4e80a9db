"""The `psreg` command for tests: a process of its own, which starts within milliseconds.

It is a fork of a process that has imported all of psreg, compiled its tables of patterns, and run
no command, so that each has its own working directory, environment, standard streams, exit code and
memory, as if it had been started anew. Tests of start-up, signals and streams start Python.
"""

import atexit
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from support import warm_server

SECONDS = 120


def run_psreg(*arguments, stdin=b"", cwd=None, env=None, text=False):
    """Run `psreg arguments…` and return what `subprocess.run` returns."""
    typed = stdin.encode() if isinstance(stdin, str) else stdin
    with ExitStack() as stack:
        given, *outputs = files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        given.write(typed or b"")
        given.seek(0)
        with running_psreg(*arguments, streams=files, cwd=cwd, env=env) as ended:
            code = ended()
        for file in outputs:
            file.seek(0)
        written = [file.read() for file in outputs]
    if text:
        written = [part.decode().replace("\r\n", "\n") for part in written]
    return subprocess.CompletedProcess(["psreg", *map(str, arguments)], code, *written)


@contextmanager
def running_psreg(*arguments, streams, cwd=None, env=None):
    """Start `psreg arguments…` with three streams; yield what waits for its exit code.

    `streams` are files or their numbers, which may be closed once it runs. It is killed unless
    somebody has waited.
    """
    numbers = [each if isinstance(each, int) else each.fileno() for each in streams]
    environment = dict(os.environ if env is None else env)
    request = ([*map(str, arguments)], str(cwd or Path.cwd()), environment)
    codes = []
    with warm_server.started(socket_path(), request, numbers, SECONDS) as (pid, code):

        def ended():
            codes.append(code())
            return codes[-1]

        try:
            yield ended
        finally:
            if not codes:
                os.killpg(pid, signal.SIGKILL)


@cache
def socket_path():
    """Return the path of the socket of the process that is forked, which runs from now on."""
    folder = tempfile.mkdtemp(prefix="psreg-tests-")
    path = f"{folder}/socket"
    command = [sys.executable, warm_server.__file__, "--serve", path]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    atexit.register(_end, process, Path(folder))
    assert process.stdout.readline() == b"ready\n"
    return path


def _end(process, folder):
    process.kill()
    process.wait()
    process.stdout.close()
    (folder / "socket").unlink(missing_ok=True)
    folder.rmdir()
