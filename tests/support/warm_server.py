"""The process that has imported psreg, and is forked for each command; see `warm_psreg`.

As a program, `warm_server.py SOCKET ARGUMENT…` is `psreg ARGUMENT…` in such a fork, for scripts;
little is imported before that.
"""

import atexit
import gc
import json
import os
import socket
import sys
from contextlib import contextmanager, suppress

_HOOKS = {"WITHOUT_CHECK": "removed_checks", "FAILING_DISK": "failing_disk"}
"""What changes the process before it is psreg, by environment variable: modules beside this one."""


@contextmanager
def started(path, request, streams, patience=None):
    """Yield the id of a running `psreg`, and a function that returns its exit code.

    `request` is its arguments, working directory and environment.
    """
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(patience)
        client.connect(path)
        data = json.dumps(request).encode()
        socket.send_fds(client, [len(data).to_bytes(4, "big")], streams)
        client.sendall(data)
        pid = int.from_bytes(client.recv(4), "big")
        yield pid, lambda: int.from_bytes(client.recv(4), "big", signed=True)


def serve(path):
    """Fork for every connection, for ever."""
    # Only the process that is forked loads these.
    import pkgutil  # noqa: PLC0415
    from importlib import import_module  # noqa: PLC0415

    import psreg  # noqa: PLC0415

    for module in pkgutil.walk_packages(psreg.__path__, "psreg."):
        if module.name != "psreg.__main__":
            import_module(module.name)
    import_module("s3fs")  # the driver of `psreg deploy` takes as long as all the others
    _compile()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        print("ready", flush=True)
        while True:
            connection, _ = server.accept()
            _reap()
            if os.fork() == 0:
                server.close()
                _attend(connection)
            connection.close()


def _compile():
    """Let psreg compile its own tables: the patterns that texts are searched for, and schemas.

    Files of this repository are checked, in memory and by functions that touch nothing else. What
    that leaves takes as long as all the rest of most commands.
    """
    from pathlib import Path, PurePosixPath  # noqa: PLC0415

    from psreg.cli.rules import registry_rules  # noqa: PLC0415
    from psreg.lint.registry_walk import check_tree  # noqa: PLC0415

    root = Path(__file__).resolve().parents[2]
    names = ("prompt/email_reply", "interactive_engine/socratic_tutor")
    files = (path for name in names for path in (root / "pbes" / name).rglob("*") if path.is_file())
    tree = {PurePosixPath(path.relative_to(root)): path.read_bytes() for path in files}
    list(check_tree(tree, registry_rules()))


def _reap():
    """Wait for what has ended, so that its time counts as time of the tests."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _attend(connection):
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
    for variable, module in _HOOKS.items():
        if variable in environment:
            from importlib import import_module  # noqa: PLC0415 - few tests want it

            import_module(module).apply_from_environment()
    sys.argv = ["psreg", *command]
    from psreg.__main__ import main  # noqa: PLC0415 - see above

    try:
        code = main()
    except SystemExit as error:
        code = error.code
    _end_at_once(code)


def _end_at_once(code):
    """End as `sys.exit(code)` does, without taking apart what the fork shares: it takes longest."""
    import threading  # noqa: PLC0415 - psreg has imported it

    if not isinstance(code, int):
        sys.exit(code)
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()
    os._exit(code & 0xFF)


def main(path, *command):
    here = os.getcwd()  # noqa: PTH109 - pathlib takes longer to import than all the rest
    with started(path, (command, here, dict(os.environ)), [0, 1, 2]) as (_, code):
        return code()


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])
    sys.exit(main(*sys.argv[1:]))
