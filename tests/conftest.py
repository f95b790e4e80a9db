"""What holds for every test: no test is timed, walks are sampled, coverage is measured once."""

import gc
import importlib
import os
import pkgutil
import random
import signal
import subprocess
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import coverage
import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

import psreg
from support import walks
from support.paths import ROOT, TESTS

MEASURED = (TESTS / "unit", TESTS / "house/test_rules.py", TESTS / "house/test_floor.py")
NOT_MEASURED = (TESTS / "unit/cli",)
"""Where tests call psreg in their own process; what starts it as a program measures nothing."""

LONGEST = tuple(TESTS / name for name in ("workflows", "browser", "house", "attacks", "unit/cli"))
"""Where single tests take seconds; no worker begins with these when the others end."""

UNMEASURED = []
"""The tests since the last measured one, whose results are kept in caches."""

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("sampled", settings.get_profile("untimed"), max_examples=40)
settings.register_profile("whole", settings.get_profile("untimed"), max_examples=1_000)


def pytest_addoption(parser):
    group = parser.getgroup("walks")
    group.addoption("--all", action="store_true", help="take long walks whole")
    group.addoption("--seed", type=int, help="the seed with which long walks are sampled")


def pytest_configure(config):
    forget_python_path()
    # What starts us in the background may have told us, and so our children, to ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(config, "workerinput"):
        config.option.seed = config.workerinput["seed"]
    elif config.option.seed is None:
        config.option.seed = random.randrange(10**6)
    walks.begin(seed=config.option.seed, whole=config.option.all)
    if config.option.all:
        settings.load_profile("whole")
    elif "CI" not in os.environ:  # there, Hypothesis' own profile holds: no deadline, no chance
        settings.load_profile("sampled")
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = config.option.seed


def pytest_configure_node(node):
    """Give a worker of xdist the seed of all."""
    node.workerinput["seed"] = node.config.option.seed


def forget_python_path():
    """Let no module of another project come before ours, here and in the programs we start."""
    named = os.environ.pop("PYTHONPATH", "").split(os.pathsep)
    foreign = {place for place in named if place and not Path(place).is_relative_to(ROOT)}
    sys.path[:] = [place for place in sys.path if place not in foreign]


def pytest_report_header(config):
    taken = "whole" if config.option.all else "sampled"
    return f"walks: {taken} with --seed {config.option.seed}; --all takes them whole"


def pytest_terminal_summary(terminalreporter, config):
    """Say it where a failure is read, too: -q and xdist may have left the header out."""
    terminalreporter.write_line(pytest_report_header(config))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Measure coverage only where it tells something: measuring takes as long as testing.

    What a law or a sample reaches is another thing in every run, and takes longest of all.
    """
    if coverage.Coverage.current() is None or measured(item):
        if UNMEASURED:
            forget()
        return (yield)
    UNMEASURED.append(item.nodeid)
    with not_measuring():
        return (yield)


@contextmanager
def not_measuring():
    stopped = []  # a worker of xdist measures twice, and the one goes on when the other stops
    while (measuring := coverage.Coverage.current()) is not None:
        measuring.stop()
        stopped.append(measuring)
    try:
        yield
    finally:
        for measuring in reversed(stopped):
            measuring.start()


def pytest_sessionstart():
    """Load everything while it is measured: a test that is not might be the first to need it."""
    if coverage.Coverage.current() is not None:
        for module in pkgutil.walk_packages(psreg.__path__, "psreg."):
            if module.name != "psreg.__main__":
                importlib.import_module(module.name)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without measuring: what tests compute while they are imported is no test."""
    UNMEASURED.append("what was collected")
    with not_measuring():
        return (yield)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Let the tests that take longest begin first, and those that are measured stay together."""
    items.sort(key=lambda item: (measured(item), rank(item.path)))


@cache
def rank(path):
    """Return the place of a file's tests among those of the others."""
    first = (at for at, folder in enumerate(LONGEST) if path.is_relative_to(folder))
    return next(first, len(LONGEST))


def pytest_collection_finish():
    """Let the collector of garbage pass by what stays to the end: modules and thousands of tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def forget():
    """Let no measured test get what another one has computed: it would not reach the code."""
    UNMEASURED.clear()
    modules = [module for name, module in sys.modules.items() if name.startswith("psreg.")]
    for function in {id(f): f for module in modules for f in vars(module).values()}.values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


def measured(item):
    sampled = any(
        isinstance(values, walks.Sample)
        for mark in item.iter_markers("parametrize")
        for values in mark.args
    )
    repeats = is_hypothesis_test(item.obj) or item.get_closest_marker("unmeasured")
    return in_process(item.path) and not repeats and not sampled


@cache
def in_process(path):
    """Tell whether the tests of a file call psreg in their own process."""

    def within(places):
        return any(path.is_relative_to(place) for place in places)

    return within(MEASURED) and not within(NOT_MEASURED)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """Return the wheel of this repository, built once for all tests that install it."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    offline = ["--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT]
    subprocess.run([*pip, "wheel", *offline], check=True, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built
