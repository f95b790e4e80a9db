"""A registry behind a login: what psreg says, which headers it sends, and to whom."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from psreg.core.errors import UnavailableError
from psreg.system.credentials import headers_from, is_header_env
from simulator import METADATA, Simulator
from support.clients import Client
from support.loopback import Guarded, answer, serving

SECRET = "Bearer s3cret-t0ken"
PAGE = b"<!doctype html><title>Sign in</title>"
VARIABLE = "TEAM_LOGIN"


def page(handler):
    answer(handler, 200, PAGE, Content_Type="text/html; charset=utf-8")


def long_page(handler):
    answer(handler, 200, PAGE * 10_000, Content_Type="text/html")


REFUSALS = {
    "401": lambda handler: answer(handler, 401, b"", WWW_Authenticate="Bearer"),
    "403": lambda handler: answer(handler, 403, b"<html>", Content_Type="text/html"),
    "page": page,
    "long page": long_page,
    "redirect": lambda handler: answer(handler, 302, b"", Location="/login?state=st4te"),
}


class Gate(Guarded):
    """Has a page to log in, which everybody gets."""

    def get(self, path, _default=None):
        return page if path.startswith("login") else super().get(path)


@pytest.fixture(scope="module")
def registry():
    return Simulator().release().publish()


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path / "client")


@contextmanager
def guarded(registry, refuse=REFUSALS["401"]):
    gate = Gate(registry.files, SECRET, refuse)
    with serving({}, gate) as server:
        yield server, gate


def add(client, server, registry, *options):
    return client.run("registry", "add", server.url, "--root-sha256", registry.pin, *options)


@pytest.mark.parametrize("kind", REFUSALS)
def test_psreg_says_that_the_registry_asks_to_log_in(client, registry, kind):
    with guarded(registry, REFUSALS[kind]) as (server, _):
        said = add(client, server, registry)
    assert said.code == 4
    assert "error[NETWORK_LOGIN]: this registry asks you to log in" in said.err
    assert "header_env" in said.err
    assert "st4te" not in said.err


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_login_that_ends_is_told_too(client, registry, kind, monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)
    with guarded(registry, REFUSALS[kind]) as (server, _):
        option = f"Authorization={VARIABLE}"
        assert add(client, server, registry, "--header-env", option).code == 0
        monkeypatch.setenv(VARIABLE, "Bearer 0ld-t0ken")
        said = client.run("install", "quiz_master")
    assert said.code == 4
    assert "error[NETWORK_LOGIN]" in said.err
    assert "0ld-t0ken" not in said.err + said.out
    assert client.installed() == []


def test_the_header_is_sent_and_never_shown(client, registry, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, SECRET)
    with guarded(registry) as (server, gate):
        option = f"Authorization={VARIABLE}"
        runs = [
            add(client, server, registry, "--header-env", option),
            add(client, server, registry),  # again: the header stays
            client.run("install", "quiz_master"),
            client.run("registry", "list", "--format", "json"),
        ]
        assert [run.code for run in runs] == [0, 0, 0, 0], [run.err for run in runs]
    assert {*gate.seen} == {SECRET}
    assert all("s3cret" not in run.out + run.err for run in runs)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if b"s3cret" in path.read_bytes()] == []


def test_the_header_is_not_sent_to_another_host(client, registry, monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)
    with guarded(registry) as (server, _), serving(registry.files) as other:
        option = f"Authorization={VARIABLE}"
        assert add(client, server, registry, "--header-env", option).code == 0
        there = f"{other.url}/login?state=st4te#t0ken"
        path = f"{METADATA}timestamp.json"
        with serving(
            registry.files, {path: lambda h: answer(h, 302, b"", Location=there)}
        ) as moved:
            assert add(client, moved, registry, "--header-env", option).code == 0
            said = client.run("install", "quiz_master", "--registry", moved.url)
        assert said.code == 4
        assert "error[NETWORK_REFUSED]" in said.err
        assert "If this registry asks you to log in" in said.err
        assert "st4te" not in said.err
        assert "t0ken" not in said.err
        assert other.asked == []


@pytest.mark.parametrize(("value", "why"), [(None, "is not set"), ("s3cret\nX: y", "characters")])
def test_a_variable_that_is_not_usable_is_named(monkeypatch, value, why):
    monkeypatch.delenv(VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(UnavailableError) as caught:
        headers_from({"Authorization": VARIABLE})
    assert caught.value.code == "NETWORK_LOGIN"
    assert why in caught.value.message
    assert VARIABLE in caught.value.message
    assert "s3cret" not in caught.value.message


@pytest.mark.parametrize(
    "option", [SECRET, f"Authorization={SECRET}", "Host=V", "A B=V", "A:=V", "A=", "=V"]
)
def test_what_is_not_a_header_and_a_variable_is_refused(client, registry, option):
    with guarded(registry) as (server, gate):
        said = add(client, server, registry, "--header-env", option)
        assert gate.seen == []
    assert said.code == 2
    assert "error[USAGE]: invalid `--header-env`" in said.err
    assert "s3cret" not in said.err


@pytest.mark.parametrize("value", [[], "V", {"A": 1}, {"content-length": "V"}])
def test_a_value_of_another_kind_is_not_header_env(value):
    assert not is_header_env(value)
