"""Work in several processes gives what work in one gives, errors included."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from multiprocessing import active_children

import pytest

from psreg.core.errors import FindingsError
from psreg.system.processes import in_parallel, shares_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="counts processors as Linux does")


@pytest.fixture(params=[1, 3])
def processors(request, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(request.param))
    return request.param


@pytest.mark.parametrize(("items", "worth"), [(0, 1), (5, 1), (9, 1), (10, 2), (31, 6)])
def test_shares_are_worth_a_process_and_have_a_processor(processors, items, worth):
    assert shares_of(items, 5) == min(worth, processors)
    with ThreadPoolExecutor(1) as executor:
        assert shares_of(items, 5, executor) == worth


def test_results_come_in_order(processors):
    here, others = in_parallel(partial(abs, -7), [partial(pow, 2, n) for n in range(5)])
    assert (here, others) == (7, [1, 2, 4, 8, 16])
    assert in_parallel(partial(abs, -7), []) == (7, [])


def test_other_jobs_are_done_in_other_processes(processors):
    here, (other,) = in_parallel(os.getpid, [os.getpid])
    assert here == os.getpid()
    assert (other == here) is (processors == 1)
    assert active_children() == []


@pytest.mark.parametrize("error", [OSError(28, "No space"), FindingsError("CODE", "what", "hint")])
def test_an_error_comes_back_as_it_was(processors, error):
    with pytest.raises(type(error)) as raised:
        in_parallel(os.getpid, [os.getpid, partial(fail, error)])
    assert (str(raised.value), raised.value.__dict__) == (str(error), error.__dict__)


def fail(error):
    raise error


class Slow(list):
    """A list that takes its time to be pickled."""

    def __reduce__(self):
        time.sleep(0.1)
        return (list, ([*self],))


def test_a_job_is_what_it_was_when_it_was_given(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(2))
    shared = Slow([1])
    _, (found,) = in_parallel(partial(shared.append, 2), [partial(sum, shared)])
    assert found == 1


def test_an_error_here_ends_the_processes(processors):
    with pytest.raises(FindingsError):
        in_parallel(partial(fail, FindingsError("CODE", "what")), [signal.pause])
    assert active_children() == []


def test_a_process_that_dies_is_noticed(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(2))
    with pytest.raises(OSError, match="before its work was done"):
        in_parallel(os.getpid, [partial(os._exit, 1)])


@pytest.mark.parametrize("error", [OSError(11, "again"), BlockingIOError()])
def test_where_no_process_can_be_started_the_work_is_done_here(monkeypatch, error):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(2))
    monkeypatch.setattr(os, "fork", partial(fail, error))
    assert in_parallel(os.getpid, [os.getpid]) == (os.getpid(), [os.getpid()])


class Cluster(Executor):
    """Does what is sent to it at once, and counts it."""

    def __init__(self):
        self.sent = 0

    def submit(self, job):
        self.sent += 1
        done = Future()
        done.set_result(job())
        return done


def test_an_executor_does_the_other_jobs(processors):
    cluster = Cluster()
    assert in_parallel(partial(abs, -1), [partial(abs, -2)], cluster) == (1, [2])
    assert cluster.sent == 1


@pytest.mark.parametrize(
    "jobs",
    [
        "p.in_parallel(ctrl_c, [signal.pause])",
        # a process that has only begun still has the handlers of the first one
        "os.register_at_fork(after_in_child=ctrl_c);p.in_parallel(signal.pause, [signal.pause])",
    ],
)
def test_ctrl_c_ends_the_processes_in_silence(jobs):
    code = (
        "import os, signal; from functools import partial; import psreg.system.processes as p;"
        "os.sched_getaffinity = lambda _: range(2);"
        f"ctrl_c = partial(os.killpg, 0, signal.SIGINT);{jobs}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        start_new_session=True,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"
    assert done.stderr.count("Traceback") == 1


CHILD = """
import os, signal, subprocess, sys, tempfile
tempfile.mkstemp()
print(*sys.argv[1:], flush=True)
if "wait" in sys.argv:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    os.kill(os.getppid(), getattr(signal, sys.argv[-1]))
    signal.pause()
"""

EARLY = """
start = p.subprocess.Popen
def start_late(*args, **options):
    process = start(*args, **options)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)
    return process
p.subprocess.Popen = start_late
"""


AT_THE_FOLDER = """
make = p.tempfile.mkdtemp
def make_late(*args, **options):
    folder = make(*args, **options)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)
    return folder
p.tempfile.mkdtemp = make_late
"""

AT_THE_END = """
scan = os.scandir
def scan_late(*args):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)
    return scan(*args)
os.scandir = scan_late
"""


@pytest.mark.parametrize(
    ("before", "arguments", "ends_with"),
    [
        ("", ("wait", "SIGINT"), "KeyboardInterrupt"),
        ("", ("wait", "SIGTERM"), "InterruptedError"),
        (EARLY, ("wait", "SIGINT"), "KeyboardInterrupt"),
        (AT_THE_FOLDER, ("wait", "SIGINT"), "KeyboardInterrupt"),
        (AT_THE_END, (), "KeyboardInterrupt"),
    ],
)
def test_an_interrupted_psreg_leaves_no_process_and_no_file(before, arguments, ends_with, tmp_path):
    (tmp_path / "psreg").mkdir()
    (tmp_path / "psreg/__init__.py").touch()
    (tmp_path / "psreg/__main__.py").write_text(CHILD)
    (tmp_path / "temporary").mkdir()
    code = f"""
import os, signal, time
import psreg.system.processes as p
def stop(*_): raise InterruptedError
signal.signal(signal.SIGTERM, stop)
os.environ["PYTHONPATH"] = {str(tmp_path)!r}
{before}
p.run_psreg(*{arguments!r})
"""
    done = subprocess.run(  # which waits for all that could still write
        [sys.executable, "-c", code],
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert done.stderr.splitlines()[-1] == ends_with
    assert list((tmp_path / "temporary").iterdir()) == []
