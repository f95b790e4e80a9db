"""The `psreg` command for tests: a process of its own, which starts within milliseconds.

It is a fork of a process that has imported all of psreg and run none of it, so that a command has
its own working directory, environment, standard streams, exit code and memory, as if it had been
started anew; only the imports are saved. Tests of start-up, signals and streams start Python.
"""

import atexit
import gc
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from pathlib import Path

SECONDS = 120


def run_psreg(*arguments, stdin=b"", cwd=None, env=None, text=False):
    """Run `psreg arguments…` and return what `subprocess.run` returns."""
    command = list(map(str, arguments))
    typed = stdin.encode() if isinstance(stdin, str) else stdin
    with ExitStack() as stack:
        given, *outputs = files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        given.write(typed or b"")
        given.seek(0)
        environment = dict(os.environ if env is None else env)
        streams = [file.fileno() for file in files]
        code = _run(command, str(cwd or Path.cwd()), environment, streams)
        for file in outputs:
            file.seek(0)
        written = [file.read() for file in outputs]
    if text:
        written = [part.decode().replace("\r\n", "\n") for part in written]
    return subprocess.CompletedProcess(["psreg", *command], code, *written)


def _run(command, cwd, environment, streams):
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(SECONDS)
        client.connect(_server())
        request = json.dumps([command, cwd, environment]).encode()
        socket.send_fds(client, [len(request).to_bytes(4, "big")], streams)
        client.sendall(request)
        pid = int.from_bytes(client.recv(4), "big")
        try:
            return int.from_bytes(client.recv(4), "big", signed=True)
        except BaseException:
            os.killpg(pid, signal.SIGKILL)
            raise


@cache
def _server():
    folder = tempfile.mkdtemp(prefix="psreg-tests-")
    path = f"{folder}/socket"
    process = subprocess.Popen([sys.executable, __file__, path], stdout=subprocess.PIPE)
    atexit.register(_end, process, Path(folder))
    assert process.stdout.readline() == b"ready\n"
    return path


def _end(process, folder):
    process.kill()
    process.wait()
    process.stdout.close()
    (folder / "socket").unlink(missing_ok=True)
    folder.rmdir()


def serve(path):
    """Fork for every connection, for ever."""
    import psreg  # noqa: PLC0415 - only the process that is forked loads it

    for module in pkgutil.walk_packages(psreg.__path__, "psreg."):
        if module.name != "psreg.__main__":
            import_module(module.name)
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        print("ready", flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait
        while True:
            connection, _ = server.accept()
            if os.fork() == 0:
                server.close()
                _attend(connection)
            connection.close()


def _attend(connection):
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(connection, 4, 3)
    left = int.from_bytes(size, "big")
    request = b""
    while len(request) < left:
        request += connection.recv(left - len(request))
    command, cwd, environment = json.loads(request)
    pid = os.fork()
    if pid == 0:
        connection.close()
        _become(command, cwd, environment, streams)
    for stream in streams:
        os.close(stream)
    connection.sendall(pid.to_bytes(4, "big"))
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    connection.sendall(code.to_bytes(4, "big", signed=True))
    os._exit(0)


def _become(command, cwd, environment, streams):
    """Go on as a process that was started for `command` does, to its end."""
    os.setpgid(0, 0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["psreg", *command]
    from psreg.__main__ import main  # noqa: PLC0415 - see above

    try:
        code = main()
    except SystemExit as error:
        code = error.code
    _end_at_once(code)


def _end_at_once(code):
    """End as `sys.exit(code)` does, without taking apart what the fork shares: it takes longest."""
    if not isinstance(code, int):
        sys.exit(code)
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()
    os._exit(code & 0xFF)


if __name__ == "__main__":
    serve(sys.argv[1])
