"""Workers judge a part of what differs: the same is found, and nothing that blocks is believed."""

import pickle
from concurrent.futures import Executor, Future
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import ClassVar

import pytest

from psreg.cli.rules import registry_rules
from psreg.core.diagnostics import Report
from psreg.core.errors import UnavailableError
from psreg.lint.registry_walk import CheckedShare, share_of
from psreg.registry.baseline import read_baseline
from psreg.registry.check.difference import check_difference
from psreg.registry.difference import SignedNames, compare, inputs_of
from psreg.registry.publish import Change, publish
from support.publishing import memory_ports
from support.registry_trees import PROMPT, RELEASE, entry, tree, version

NOW = datetime(2026, 11, 21, 5, tzinfo=UTC)
NAMES = [f"name_{n}_{'abcdefgh'[n % 8] * 5}" for n in range(104)]
FAR = [name for name in NAMES if share_of(name, 2) == 1]
"""The names that a worker judges, if there are two shares."""

HIDDEN = PROMPT + "".join(chr(0xE0000 + ord(letter)) for letter in "hidden") + "\n"


class Elsewhere(Executor):
    """Runs tasks from their pickled form, as a worker does; `answer` is in place of the result."""

    def __init__(self, answer=None):
        self.tasks = 0
        self.answer = answer

    def submit(self, task, /):
        self.tasks += 1
        future = Future()
        found = pickle.loads(pickle.dumps(task))()
        future.set_result(found if self.answer is None else self.answer)
        return future


@pytest.fixture(scope="module")
def registry():
    plain = [entry(name) for name in NAMES]
    two, three, four, five = FAR[:4]
    broken = [
        entry(two, toml=f'owners = []\naliases = ["{NAMES[0]}", "spare"]\n'),
        entry(three, toml='owners = []\naliases = ["spare"]\n'),
        version(four, release=RELEASE + f'[requires]\n{NAMES[1]} = "^2.0"\nnothing = "*"\n'),
        version(five, prompt=HIDDEN),
    ]
    return tree(*plain, *broken)


def found_in(files, workers, source=None, ports=None):
    ports = ports or memory_ports()
    signed = SignedNames(read_baseline(ports), ports.store.read)
    differs = compare(files, signed, inputs_of(files[PurePosixPath("registry/policy.toml")], {}))
    where = {"workers": workers, "source": source}
    told = check_difference(
        differs, signed, registry_rules, irregular={}, today=NOW.date(), **where
    )
    return sorted((d.path, d.code, d.start, d.message, d.waived or "") for d in told)


def test_workers_find_the_same(registry):
    workers = Elsewhere()
    alone = found_in(registry, None)
    assert found_in(registry, workers) == alone
    assert workers.tasks == 1
    assert {"REG014", "REG024", "PS001"} <= {code for _, code, *_ in alone}


def test_workers_see_what_entries_require_that_do_not_differ(registry):
    far, ports = FAR[0], memory_ports()
    there = tree(
        version("north", release=f'{RELEASE}[requires]\n{far} = "^1"\n'),
        {"pbes/prompt/north/entry.toml": "owners = []\n"},
        entry(far),
    )
    publish(there, Report(checked=2), NOW, ports, change=first(there, ports))
    release = f'{RELEASE}changes = "x"\n[requires]\nnorth = "^1"\n'
    files = registry | there | tree(version(far, "1.1.0", release=release))
    workers = Elsewhere()
    alone = found_in(files, None, ports=ports)
    assert found_in(files, workers, ports=ports) == alone
    assert workers.tasks == 1
    cycles = [path for path, code, *_ in alone if code == "REG042"]
    assert cycles == [f"pbes/prompt/{far}/1.1.0/release.toml"]


def first(files, ports):
    """Return the change with which a registry begins."""
    baseline = read_baseline(ports)
    inputs = inputs_of(files[PurePosixPath("registry/policy.toml")], {})
    signed = SignedNames(baseline, ports.store.read)
    return Change(names=compare(files, signed, inputs).names, inputs=inputs, baseline=baseline)


def test_what_blocks_a_release_is_not_left_to_workers(registry):
    alone, lied_to = (
        found_in(registry, None),
        found_in(registry, Elsewhere(answer=CheckedShare([], []))),
    )
    blocking = [told for told in alone if told[1] == "PS001"]
    assert blocking
    assert FAR[3] in blocking[0][0]
    assert [told for told in lied_to if told[1] == "PS001"] == blocking


def test_a_worker_that_finds_nothing_has_nothing_to_say_about_what_is_missing(registry):
    gone = PurePosixPath(f"pbes/prompt/{FAR[5]}/1.0.0/{FAR[5]}.prompt")
    files = {path: data for path, data in registry.items() if path != gone}
    assert found_in(files, Elsewhere()) == found_in(files, None)


def test_a_small_difference_is_not_divided(registry):
    few = {path: data for path, data in registry.items() if path.parts[2:3] in ((), (FAR[3],))}
    workers = Elsewhere()
    assert found_in(few, workers) == found_in(few, None)
    assert workers.tasks == 0


class Commit:
    """A commit that workers read; what is in a task would be pickled with it."""

    files: ClassVar = {}

    def read(self, paths):
        return {path: self.files[path] for path in paths if path in self.files}


def test_workers_that_read_a_commit_find_the_same(registry):
    Commit.files = {str(path): data for path, data in registry.items()}
    assert found_in(registry, Elsewhere(), Commit()) == found_in(registry, None)


def test_workers_that_read_something_else_are_refused(registry):
    Commit.files = {str(path): data for path, data in registry.items()}
    Commit.files[f"pbes/prompt/{FAR[5]}/entry.toml"] += b"# It differs."
    with pytest.raises(UnavailableError) as caught:
        found_in(registry, Elsewhere(), Commit())
    assert caught.value.code == "SOURCE_DIFFERS"


def test_what_is_known_of_signed_names_is_sent(registry):
    """It is in no commit."""
    ports = memory_ports()
    baseline = read_baseline(ports)
    first = tree(entry("anchor", toml=f'owners = []\naliases = ["{NAMES[0]}x"]\n'))
    inputs = inputs_of(first[PurePosixPath("registry/policy.toml")], {})
    change = Change(names=frozenset({"anchor"}), inputs=inputs, baseline=baseline)
    publish(first, Report(checked=1), NOW, ports, change=change)
    files = {**first, **registry}
    Commit.files = {str(path): data for path, data in files.items()}
    assert found_in(files, Elsewhere(), Commit(), ports) == found_in(files, None, None, ports)
