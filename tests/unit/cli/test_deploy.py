"""`psreg deploy`, by the command line: to a folder, and to an S3 server over HTTP."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading

import pytest

from psreg.registry.trust.metadata import root_info
from support.buckets import S3, forward, proxied
from support.catalogue import TEMPLATE, checkout, files, tree
from support.clients import Client
from support.publishing import release
from support.sites import PAGES, Published
from support.walks import sampled

NEW = files("prompt", "river_letter", "1.1.0", TEMPLATE.encode() + b"\nAgain.\n")
CHANGED = {**PAGES, "index.html": b"<html>" + b"A new page. " * 100}


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """The sites of two states of a registry, and the pin of its root."""
    folder = tmp_path_factory.mktemp("deployed")
    checkout(folder)
    published = Published(folder)
    content = {path: (folder / path).read_bytes() for path in tree()}
    first = published.site("first", content)
    release(published.home, published.registry, content | NEW)
    second = published.site("second", content | NEW, CHANGED)
    pin = root_info((first / "registry/metadata/1.root.json").read_bytes()).sha256
    return first, second, pin


@pytest.fixture
def s3():
    return S3()


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path / "person")


def installs(folder, url, pin, version):
    """Install over HTTP as somebody who has never done it."""
    done = newcomer(folder, url, pin).run("install", "river_letter", "--format", "json")
    assert done.code == 0, done.out
    assert done.json["installed"][0]["version"] == version


def newcomer(folder, url, pin):
    """Return somebody who trusts the registry at an address."""
    person = Client(folder)
    person.trust(url, pin)
    return person


def test_to_a_folder_and_installed_from_there(client, sites, tmp_path):
    first, second, _ = sites
    url = f"file://{tmp_path}/served"
    done = client.run("deploy", url, "--site", first)
    assert done.code == 0, done.err
    assert done.out.startswith(f"{url}: wrote ")
    assert "warning" in done.err
    assert "never deploy to it from two places at once" in done.err
    person = Client(tmp_path / "other")
    assert person.run("install", "river_letter", "--registry", tmp_path / "served").code == 0
    done = client.run("deploy", url, "--site", second, "--format", "json")
    assert done.json["written"][-1] == "registry/metadata/timestamp.json"
    assert (tmp_path / "served/index.html").read_bytes() == CHANGED["index.html"]
    assert not list((tmp_path / "served").rglob("*.psreg-part"))
    assert client.refused("deploy", url, "--site", first) == (3, "DEPLOY_OLDER")
    done = client.run("deploy", url, "--site", second, "--prune", "--keep", "0")
    assert "1 removed" not in done.out
    assert client.run("deploy", url, "--site", second, "--quiet").out == ""


def test_the_checkout_is_built_deployed_and_installed_over_http(client, s3, tmp_path):
    registry = checkout(tmp_path / "registry")
    done = client.run(
        "deploy", f"{s3.url}/sub", "--base-url", "https://example.org/", cwd=registry, **s3.env
    )
    assert done.code == 0, done.err
    assert "state 1 is in force" in done.out
    assert done.err == ""
    root = (registry / "registry/metadata/1.root.json").read_bytes()
    installs(tmp_path / "person2", f"{s3.http}/sub", root_info(root).sha256, "1.0.0")
    index = s3.headers("sub/index.html")
    assert index["content-type"] == "text/html; charset=utf-8"
    assert index["content-encoding"] == "gzip"
    assert index["cache-control"] == "public, max-age=300"
    head = s3.headers("sub/registry/metadata/timestamp.json")
    assert head["cache-control"] == "public, max-age=60"
    assert "content-encoding" not in head
    forever = s3.headers("sub/registry/metadata/1.root.json")
    assert forever["cache-control"] == "public, max-age=31536000, immutable"
    assert "content-encoding" not in forever
    stored = s3.files.cat_file(f"{s3.name}/sub/index.html")
    assert b"https://example.org/" in gzip.decompress(stored)


def test_a_change_takes_few_requests(client, sites, s3):
    first, second, _ = sites
    assert client.run("deploy", s3.url, "--site", first, **s3.env).code == 0
    with proxied() as proxy:
        env = {**s3.env, "AWS_ENDPOINT_URL": proxy.url}
        done = client.run("deploy", s3.url, "--site", second, "--format", "json", **env)
        assert done.code == 0, done.err
        assert proxy.count("PUT") == len(done.json["written"]) + 2  # deploy.json, twice
        assert proxy.count("GET") == len(proxy.asked) - proxy.count("PUT") == 2
        del proxy.asked[:]
        assert client.run("deploy", s3.url, "--site", second, **env).code == 0
        assert len(proxy.asked) == 2


def test_killed_at_any_request_a_client_still_installs(client, sites, s3, tmp_path):
    """One of two dies before the server has the request, the other before it gets the answer."""
    first, second, pin = sites
    assert client.run("deploy", s3.url, "--site", first, **s3.env).code == 0
    warm = newcomer(tmp_path / "warm", s3.http, pin)
    for point in sampled(range(40), 5):
        if not killed(second, s3, at=point // 2, answered=bool(point % 2)):
            break
        for person in (warm, newcomer(tmp_path / f"fresh-{point}", s3.http, pin)):
            done = person.run("install", "river_letter")
            assert done.code == 0, done.err
    done = client.run("deploy", s3.url, "--site", second, **s3.env)
    assert done.code == 0, done.err
    installs(tmp_path / "last", s3.http, pin, "1.1.0")


def killed(site, s3, *, at, answered):
    """Deploy, and kill psreg at its request number `at`; return whether there was one."""
    reached, over = threading.Event(), threading.Event()

    def trick(number, handler, body):
        if number < at:
            return False
        if number == at and answered:
            forward(handler, body)
        reached.set()
        return over.wait(60)

    with proxied(trick) as proxy:
        process = subprocess.Popen(
            [sys.executable, "-m", "psreg", "deploy", s3.url, "--site", site],
            env={**os.environ, **s3.env, "AWS_ENDPOINT_URL": proxy.url},
            stdout=subprocess.DEVNULL,
        )
        while process.poll() is None and not reached.wait(0.02):
            continue
        process.kill()
        process.wait()
        over.set()
    return reached.is_set()
