"""psreg is killed, or the disk fails, at any change that it makes to the file system."""

import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from psreg.client.library import Library
from simulator import Simulator
from support.clients import Client
from support.failing_disk import cut_at, killed_at, read_only_from
from support.loopback import serving

NEWER = b'{"pbe_name": "quiz_master", "pbe_version": "1.1.0"}\n' + b" " * 3000
MOST = 400
"""More changes than one command makes."""

KILLED = (-signal.SIGKILL, "")


@pytest.fixture(scope="module")
def registry():
    """A registry with a log and two releases."""
    return Simulator(log=True).release().release("quiz_master", "1.1.0", NEWER).publish()


@pytest.fixture(scope="module")
def server(registry):
    with serving(registry.files) as server:
        yield server


@pytest.fixture
def clients(registry, server, tmp_path):
    """Return a function that makes clients, by number, which have done the same."""

    def prepared(*commands):
        first = Client(tmp_path / "first")
        first.trust(server.url, registry.pin)
        for command in commands:
            assert first.run(*command).code == 0

        def made(number):
            shutil.copytree(tmp_path / "first", tmp_path / str(number), symlinks=True)
            (tmp_path / str(number) / "place").rmdir()
            return Client(tmp_path / str(number))

        return made

    return prepared


def at_every_change(attempt):
    """Call `attempt(number)` from 1 on, until it says that a command came to its end."""
    assert not attempt(1)
    with ThreadPoolExecutor(2) as pool:
        for numbers in (range(first, first + 4) for first in range(2, MOST, 4)):
            if any([*pool.map(attempt, numbers)]):
                return
    pytest.fail("it never ends")


def installed(client):
    """Return the version that is installed and whole, "" for none; half of one is an error."""
    library = Library(client.library)
    assert library.damaged() == ()
    receipts = library.receipts()
    assert all(library.drift(receipt) is None for receipt in receipts)
    return "".join(receipt.release.version for receipt in receipts)


def recover(client):
    """Install, and see that nothing remains of what was interrupted."""
    done = client.run("install", "quiz_master")
    assert done.code == 0, done.err
    assert installed(client) == "1.1.0"
    left = [path for path in client.home.rglob("*") if path.name.startswith((".psreg-", "tmp"))]
    assert left == []
    assert [path.name for path in (client.library / "quiz_master").iterdir()] == ["1.1.0"]


@pytest.mark.attack("T16", (0, ""), KILLED)
def test_an_installation_is_killed_before_every_change(clients):
    make = clients()

    def attempt(number):
        client = make(number)
        done = client.run("install", "quiz_master", **killed_at(number, client.home))
        if installed(client):
            assert client.run("verify", "quiz_master").code == 0
        recover(client)
        return done.code == 0

    at_every_change(attempt)


@pytest.mark.attack("T16", (0, ""), KILLED)
@pytest.mark.parametrize(
    ("command", "before", "after"),
    [("install", "1.0.0", "1.1.0"), ("uninstall", "1.1.0", "")],
    ids=["update", "removal"],
)
def test_a_change_of_the_library_is_killed(clients, command, before, after):
    make = clients(("install", f"quiz_master@{before}"))

    def attempt(number):
        client = make(number)
        done = client.run(command, "quiz_master", **killed_at(number, client.library))
        assert installed(client) in ({before, after} if done.code else {after})
        recover(client)
        return done.code == 0

    at_every_change(attempt)


@pytest.mark.attack("T16", (0, ""), KILLED)
def test_a_repair_is_killed_before_every_change(clients):
    make = clients(("install", "quiz_master"))
    changed = b"changed by somebody"

    def attempt(number):
        client = make(number)
        artifact = client.library / "quiz_master" / "1.1.0" / "quiz_master.pbe.txt"
        artifact.write_bytes(changed)
        done = client.run("install", "quiz_master", **killed_at(number, client.library))
        if not artifact.exists() or artifact.read_bytes() != changed:
            assert installed(client) in {"", "1.1.0"}
        recover(client)
        return done.code == 0

    at_every_change(attempt)


@pytest.mark.attack("T16", (0, ""), (-signal.SIGXFSZ, ""))
def test_an_installation_is_killed_within_every_write(clients):
    make = clients()
    sizes = written_sizes(make("honest"))
    for size in sizes:
        client = make(size)
        done = client.run("install", "quiz_master", **cut_at(size - 1, kill=True))
        assert done.code == -signal.SIGXFSZ
        assert installed(client) == ""
        recover(client)


@pytest.mark.attack("T16", (4, "CANNOT_WRITE"), (4, "STATE_UNUSABLE"))
@pytest.mark.parametrize("before", ["", "1.0.0"], ids=["first", "update"])
def test_the_disk_is_read_only_from_every_change_on(clients, before):
    make = clients(*([("install", f"quiz_master@{before}")] if before else []))

    def attempt(number):
        client = make(number)
        folder = client.library if before else client.home
        done = client.run("install", "quiz_master", **read_only_from(number, folder))
        assert installed(client) in ({before} if done.code else {"1.1.0"}), number
        told_in_one_line(done)
        if number % 4 == 0:  # what is left is what a kill leaves, or less
            recover(client)
        return done.code == 0

    at_every_change(attempt)


@pytest.mark.attack("T16", (4, "CANNOT_WRITE"), (4, "STATE_UNUSABLE"))
def test_no_file_can_be_as_long_as_it_should_be(clients):
    make = clients()
    for size in written_sizes(make("honest")):
        if size > 600:  # or the error could not be written either
            client = make(size)
            done = client.run("install", "quiz_master", **cut_at(size - 1, kill=False))
            told_in_one_line(done)
            assert installed(client) == ""
            recover(client)


@pytest.mark.attack("T16", (4, "CANNOT_WRITE"), (4, "STATE_UNUSABLE"))
@pytest.mark.parametrize("what", ["nr_blocks", "nr_inodes"])
def test_the_disk_is_full(registry, server, disk, what):
    for number in count(6, 3):
        folder = disk(f"{what}={number}")
        client = Client(folder)
        client.trust(server.url, registry.pin)
        done = client.run("install", "quiz_master")
        assert installed(client) == ("" if done.code else "1.1.0")
        told_in_one_line(done)
        disk(f"{what}=1000")
        recover(client)
        shutil.rmtree(client.home)
        client.place.rmdir()
        if done.code == 0:
            assert number > 12
            return


@pytest.mark.attack("T16", (4, "CANNOT_WRITE"), (4, "STATE_UNUSABLE"))
def test_the_disk_cannot_be_written(registry, server, disk):
    client = Client(disk("rw"))
    client.trust(server.url, registry.pin)
    disk("ro")
    assert client.refused("install", "quiz_master")[0] == 4
    disk("rw")
    recover(client)
    (client.library / "quiz_master" / "1.1.0" / "quiz_master.pbe.txt").write_text("changed")
    disk("ro")
    assert client.refused("install", "quiz_master")[0] == 4
    disk("rw")
    recover(client)


def written_sizes(client):
    """Return the sizes of the files that an installation leaves, ascending."""
    before = {*client.home.rglob("*")}
    assert client.run("install", "quiz_master").code == 0
    new = (path for path in client.home.rglob("*") if path not in before)
    return sorted({path.stat().st_size for path in new if path.is_file()} - {0})


def told_in_one_line(done):
    """Check that a command said what failed: one error, with the path."""
    if done.code == 0:
        return
    assert done.code == 4, done.err
    errors = [line for line in done.err.splitlines() if line.startswith("psreg: error[")]
    assert len(errors) == 1, done.err
    assert "/" in errors[0]
