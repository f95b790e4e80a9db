"""`psreg deploy`, by the command line: to a folder, and to an S3 server over HTTP."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
import time

import pytest

from psreg.registry.trust.metadata import root_info
from support.buckets import CREDENTIALS, S3, forward, hang_up, proxied
from support.catalogue import TEMPLATE, checkout, files, tree
from support.clients import Client
from support.loopback import answer
from support.publishing import release
from support.sites import PAGES, Published
from support.walks import sampled

NEW = files("prompt", "river_letter", "1.1.0", TEMPLATE.encode() + b"\nAgain.\n")
CHANGED = {**PAGES, "index.html": b"<html>" + b"A new page. " * 100}
del CHANGED["assets/site.css"]


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
    with (tmp_path / "served/index.html").open("rb") as reader:
        done = client.run("deploy", url, "--site", second, "--format", "json")
        assert reader.read() == PAGES["index.html"]  # it was renamed, not written over
    assert done.json["written"][-1] == "registry/metadata/timestamp.json"
    assert (tmp_path / "served/index.html").read_bytes() == CHANGED["index.html"]
    assert not list((tmp_path / "served").rglob("*.psreg-part"))
    assert client.refused("deploy", url, "--site", first) == (3, "DEPLOY_OLDER")
    assert (tmp_path / "served/assets/site.css").is_file()
    done = client.run("deploy", url, "--site", second, "--prune", "--keep", "0")
    assert "1 removed" in done.out
    assert not (tmp_path / "served/assets/site.css").exists()
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


def test_what_the_site_no_longer_has_is_pruned(client, sites, s3, tmp_path):
    """A page may go at once; what a client can still reach from the former timestamp may not."""
    first, second, pin = sites
    for site in (first, second):
        assert client.run("deploy", s3.url, "--site", site, **s3.env).code == 0
    before = {*s3.files.find(s3.name)}
    done = client.run("deploy", s3.url, "--site", second, "--prune", **s3.env)
    assert "removed" not in done.out
    options = ("--site", second, "--prune", "--keep", "0")
    assert (
        "remove assets/site.css"
        in client.run("deploy", s3.url, *options, "--dry-run", **s3.env).out.splitlines()
    )
    assert {*s3.files.find(s3.name)} == before
    done = client.run("deploy", s3.url, *options, "--format", "json", **s3.env)
    assert done.json["removed"] == ["assets/site.css"]
    assert done.json["kept"] >= 5  # record, head, bin, releases, snapshot
    assert {*s3.files.find(s3.name)} == before - {f"{s3.name}/assets/site.css"}
    installs(tmp_path / "after", s3.http, pin, "1.1.0")


def test_killed_at_any_request_a_client_still_installs(client, sites, s3, tmp_path):
    """One of two dies before the server has the request, the other before it gets the answer."""
    first, second, pin = sites
    assert client.run("deploy", s3.url, "--site", first, **s3.env).code == 0
    warm = newcomer(tmp_path / "warm", s3.http, pin)
    for point in sampled(range(40), 2):
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


def refusing(status, code, when):
    """Return a trick that answers with an error of S3, and repeats the credentials in its text."""

    def trick(number, handler, _body):
        if not when(number, handler):
            return False
        text = f"{CREDENTIALS} {handler.headers['Authorization']}"
        content = f"<Error><Code>{code}</Code><Message>{text}</Message></Error>".encode()
        answer(handler, status, b"" if handler.command == "HEAD" else content)
        return True

    return trick


def always(_number, _handler):
    return True


def lists(_number, handler):
    return "list-type=2" in handler.path


REFUSALS = {
    "wrong key": (403, "InvalidAccessKeyId", always, "DEPLOY_DENIED", "does not know"),
    "wrong secret": (403, "SignatureDoesNotMatch", always, "DEPLOY_DENIED", "the secret"),
    "clocks": (403, "RequestTimeTooSkewed", always, "DEPLOY_DENIED", "the clock of this machine"),
    "may not list": (403, "AccessDenied", lists, "DEPLOY_DENIED", "cannot list the objects"),
    "no bucket": (404, "NoSuchBucket", always, "DEPLOY_FAILED", "it does not exist"),
    "broken": (400, "a code with <markup>", always, "DEPLOY_FAILED", "cannot read deploy.json"),
}


@pytest.mark.parametrize("refusal", sampled([*REFUSALS], 3))
def test_a_refusal_is_one_line_without_credentials(client, sites, s3, refusal):
    status, code, when, told, words = REFUSALS[refusal]
    with proxied(refusing(status, code, when)) as proxy:
        env = {**s3.env, "AWS_ENDPOINT_URL": proxy.url}
        done = client.run("deploy", s3.url, "--site", sites[0], **env)
    assert done.code == 4
    first, *hints = done.err.splitlines()
    assert first.startswith(f"psreg: error[{told}]: ")
    assert words in first
    assert [line.startswith("  hint: ") for line in hints] == [True]
    for secret in (*list(CREDENTIALS.values())[:2], "Signature="):
        assert secret not in done.out + done.err
    assert s3.files.find(s3.name) == []


def test_without_credentials_it_says_so(client, sites, s3):
    none = dict.fromkeys(CREDENTIALS, "") | {"AWS_EC2_METADATA_DISABLED": "true"}
    done = client.run("deploy", s3.url, "--site", sites[0], **(s3.env | none))
    assert done.code == 4
    assert "there are no credentials (NoCredentialsError)" in done.err


def test_busy_slow_and_truncated_uploads_are_tried_again(client, sites, s3, tmp_path):
    """Of the first uploads, each is late, or ends in the middle, or is refused for now."""
    first, _, pin = sites
    seen = set()

    def trick(_number, handler, body):
        if handler.command != "PUT" or handler.path in seen or len(seen) >= 6:
            return False
        seen.add(handler.path)
        if len(seen) % 3 == 0:
            answer(handler, 503, b"<Error><Code>SlowDown</Code></Error>")
        elif len(seen) % 3 == 1:
            time.sleep(0.3)
            return False
        else:
            hang_up(handler, body, len(body) // 2)
        return True

    with proxied(trick) as proxy:
        env = {**s3.env, "AWS_ENDPOINT_URL": proxy.url}
        done = client.run("deploy", s3.url, "--site", first, **env)
    assert done.code == 0, done.err
    assert len(seen) == 6
    installs(tmp_path / "after", s3.http, pin, "1.0.0")
    assert client.run("deploy", s3.url, "--site", first, "--full", **s3.env).out.startswith(
        f"{s3.url}: wrote 0 objects"
    )


def test_an_answer_that_is_lost_is_no_conflict(client, sites, s3):
    """The timestamp was written, and the second attempt finds its own work."""
    first, _, _ = sites
    lost = []

    def trick(_number, handler, body):
        if handler.command != "PUT" or "timestamp" not in handler.path or lost:
            return False
        lost.append(handler.headers["If-None-Match"])
        hang_up(handler, body, len(body))
        return True

    with proxied(trick) as proxy:
        env = {**s3.env, "AWS_ENDPOINT_URL": proxy.url}
        done = client.run("deploy", s3.url, "--site", first, **env)
    assert done.code == 0, done.err
    assert lost == ["*"]
    assert sum("timestamp" in path for method, path in proxy.asked if method == "PUT") == 2


def test_a_host_without_conditions_is_compared_with_a_warning(client, sites, s3):
    first, second, _ = sites

    def trick(_number, handler, _body):
        if not {"If-Match", "If-None-Match"} & {*handler.headers}:
            return False
        answer(handler, 501, b"<Error><Code>NotImplemented</Code></Error>")
        return True

    with proxied(trick) as proxy:
        env = {**s3.env, "AWS_ENDPOINT_URL": proxy.url}
        for site in (first, second):
            done = client.run("deploy", s3.url, "--site", site, **env)
            assert done.code == 0, done.err
            assert "never deploy to it from two places at once" in done.err
        older = client.run("deploy", s3.url, "--site", first, "--format", "json", **env)
        assert older.refusal == (3, "DEPLOY_OLDER")


def test_a_half_written_object_is_found_and_written_again(client, sites, s3, tmp_path):
    first, _, pin = sites
    assert client.run("deploy", s3.url, "--site", first, **s3.env).code == 0
    segment = next(path for path in s3.files.find(s3.name) if "/segments/" in path)
    s3.files.pipe_file(segment, s3.files.cat_file(segment)[:20])
    s3.files.pipe_file(f"{s3.name}/mine.txt", b"mine")
    done = client.run("deploy", s3.url, "--site", first, "--full", **s3.env)
    assert done.out.startswith(f"{s3.url}: wrote 1 object, ")
    assert "1 not from psreg" in done.out
    assert s3.files.cat_file(f"{s3.name}/mine.txt") == b"mine"
    installs(tmp_path / "after", s3.http, pin, "1.0.0")


def test_of_two_at_once_the_older_one_is_refused(client, sites, s3, tmp_path):
    """It has written its pages by then; the next deployment writes those again."""
    first, second, pin = sites
    others, once = [], threading.Lock()

    def trick(_number, handler, _body):
        if handler.command == "PUT" and handler.path.endswith("timestamp.json"):
            with once:  # psreg asks again if this takes long
                if not others:
                    others.append(client.run("deploy", s3.url, "--site", second, **s3.env))
        return False

    with proxied(trick) as proxy:
        env = {**s3.env, "AWS_ENDPOINT_URL": proxy.url}
        slower = Client(tmp_path / "slower")
        done = slower.run("deploy", s3.url, "--site", first, "--format", "json", **env)
    assert others[0].code == 0, others[0].err
    assert done.refusal == (3, "DEPLOY_CONFLICT")
    installs(tmp_path / "between", s3.http, pin, "1.1.0")
    done = client.run("deploy", s3.url, "--site", first, "--format", "json", **s3.env)
    assert done.refusal == (3, "DEPLOY_OLDER")
    done = client.run("deploy", s3.url, "--site", second, "--format", "json", **s3.env)
    assert "index.html" in done.json["written"]
    installs(tmp_path / "after", s3.http, pin, "1.1.0")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("s3://key:secret-of-mine@bucket", "the address contains a password"),
        ("bucket", "is not the address of a place"),
        ("file://relative/place", "is not an address to deploy to"),
        ("https://example.org/", "is not an address to deploy to"),
        ("ipfx://bucket", "is not a kind of storage"),
    ],
)
def test_an_address_that_cannot_be_used(client, sites, url, words):
    done = client.run("deploy", url, "--site", sites[0])
    assert done.code == 2
    assert words in done.err
    assert "secret-of-mine" not in done.err


def test_a_driver_that_is_missing(client, sites):
    done = client.run("deploy", "gs://bucket", "--site", sites[0])
    assert (done.code, "DRIVER_MISSING" in done.err) == (4, True)
    assert done.err.endswith("-m pip install gcsfs`.\n")


def test_options_that_contradict_each_other(client, sites, tmp_path):
    done = client.run(
        "deploy", f"file://{tmp_path}/x", "--site", sites[0], "--base-url", "https://e.org"
    )
    assert done.code == 2
    assert client.run("deploy", f"file://{tmp_path}/x", "--keep", "-1").code == 2
