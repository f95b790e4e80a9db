"""Work in several processes gives what work in one gives, errors included."""

import os
import sys

import pytest

from psreg.core.errors import FindingsError
from psreg.system.processes import in_background, in_slices

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks here")


@pytest.fixture(params=[1, 3])
def processors(request, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(request.param))
    return request.param


@pytest.mark.parametrize("number", [0, 1, 5, 10, 31])
def test_slices_cover_everything_in_order(processors, number):
    parts = in_slices(list, range(number), 5)
    assert [item for part in parts for item in part] == list(range(number))
    assert len(parts) <= max(1, min(processors, number // 5))


def test_slices_are_worked_on_in_processes_of_their_own(processors):
    pids = in_slices(lambda _: os.getpid(), range(30), 5)
    assert len(set(pids)) == processors
    assert pids[0] == os.getpid()


@pytest.mark.parametrize("error", [OSError(28, "No space"), FindingsError("CODE", "what", "hint")])
def test_an_error_comes_back_as_it_was(processors, error):
    def work(part):
        if 29 in part:
            raise error
        return part

    with pytest.raises(type(error)) as raised:
        in_slices(work, range(30), 5)
    assert (str(raised.value), raised.value.__dict__) == (str(error), error.__dict__)


def test_a_process_that_dies_is_noticed(processors):
    parent = os.getpid()

    def work(part):
        if os.getpid() != parent:
            os._exit(1)
        return part

    if processors == 1:
        assert len(in_slices(work, range(30), 5)) == 1
    else:
        with pytest.raises(OSError, match="before its work was done"):
            in_slices(work, range(30), 5)


def test_work_in_the_background(processors):
    with in_background(os.getpid) as wait:
        assert (wait() == os.getpid()) is (processors == 1)


def test_nobody_need_wait_for_the_background(processors):
    with in_background(lambda: "x" * 1_000_000):
        pass


def test_other_systems_use_one_process(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert in_slices(lambda _: os.getpid(), range(30), 5) == [os.getpid()]
