"""A server, or what is between, ends the connection at any request of an installation."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from simulator import TEXT, Simulator
from support.clients import Client
from support.loopback import reset, serving


def reset_in_the_middle(body):
    """Return a trick that sends the first half of an answer."""

    def trick(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[: len(body) // 2])
        reset(handler)

    return trick


class ResetFrom:
    """Tricks for a server: requests are reset from the one with an index on, or `once`."""

    def __init__(self, files, index, *, middle, once):
        self.files, self.index, self.middle, self.once = files, index, middle, once
        self.numbers = count()  # a client asks over several connections at once

    def get(self, path):
        number = next(self.numbers)
        if number < self.index or (self.once and number > self.index):
            return None
        whole = self.middle and path in self.files
        return reset_in_the_middle(self.files[path]) if whole else reset


@pytest.fixture(scope="module")
def registry():
    """A registry with a log, as `psreg publish` makes it."""
    return Simulator(log=True).release().publish()


@pytest.fixture(scope="module")
def requests(registry, tmp_path_factory):
    """How many requests an installation needs."""
    with serving(registry.files) as server:
        client = Client(tmp_path_factory.mktemp("honest"))
        client.trust(server.url, registry.pin)
        assert client.run("install", "quiz_master").code == 0
        return len(server.asked)


@pytest.mark.attack("T17", (4, "NETWORK"))
@pytest.mark.parametrize("middle", [False, True], ids=["before an answer", "within an answer"])
def test_every_request_from_one_on_is_reset(registry, requests, tmp_path, middle):
    def attempt(index):
        client = Client(tmp_path / str(index))
        tricks = ResetFrom(registry.files, index, middle=middle, once=False)
        with serving(registry.files, tricks) as server:
            client.trust(server.url, registry.pin)
            assert client.refused("install", "quiz_master") == (4, "NETWORK"), index
            assert len(server.asked) > index
        assert client.installed() == []
        install_honestly(client, registry)

    at_once(attempt, requests)


@pytest.mark.attack("T17", (0, ""))
@pytest.mark.parametrize("middle", [False, True], ids=["before an answer", "within an answer"])
def test_one_request_is_reset(registry, requests, tmp_path, middle):
    def attempt(index):
        client = Client(tmp_path / str(index))
        tricks = ResetFrom(registry.files, index, middle=middle, once=True)
        with serving(registry.files, tricks) as server:
            client.trust(server.url, registry.pin)
            assert client.run("install", "quiz_master").code == 0
            assert len(server.asked) == requests + 1

    at_once(attempt, requests)


def at_once(attempt, number):
    """Call `attempt` with each index at the same time, because clients wait between attempts."""
    with ThreadPoolExecutor(number) as pool:
        assert len([*pool.map(attempt, range(number))]) == number


def install_honestly(client, registry):
    """Install from an honest server at another address, as after a move."""
    settings = client.home / "config" / "config.toml"
    settings.unlink()
    settings.parent.rmdir()
    with serving(registry.files) as server:
        client.trust(server.url, registry.pin)
        assert client.run("install", "quiz_master").code == 0
    assert client.library_content()["quiz_master/1.0.0/quiz_master.pbe.txt"] == TEXT
