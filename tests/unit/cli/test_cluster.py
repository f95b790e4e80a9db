"""`--cluster`: the same result as without, from real Dask workers, also when one is killed."""

import datetime as dt
import ipaddress
import json
import os
import shutil
import subprocess
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import generate
from support import cluster
from support.bare import ALONE
from support.paths import SOURCE
from support.publishing import unlogged
from support.warm_psreg import run_psreg, running_psreg

ENTRIES = 160
"""Enough for three shares; generate's entries lack runs, which a finding of each says."""

SOON = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s"}


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    folder = tmp_path_factory.mktemp("registry")
    generate.registry(folder, ENTRIES, "REG011")
    entries = folder / "pbes/interactive_engine"
    (entries / "made_1/entry.toml").write_text('owners = []\naliases = ["made_2", "spare"]\n')
    (entries / "made_3/entry.toml").write_text('owners = []\naliases = ["spare"]\n')
    (entries / "made_4/1.0.0/README.md").write_text("TODO\n")
    (entries / "stray.txt").write_text("")
    (entries / "made_9/1.0.0/made_9.pbe.txt").write_text(generate.engine("made_9", 6))
    (entries / "made_6/entry.toml").write_text('owners = [{forge = "github", id = 6}]\n')
    return folder


@pytest.fixture(scope="module")
def expected(registry):
    done = run_psreg("check", "pbes", "--format", "json", cwd=registry)
    assert done.returncode == 1
    assert done.stdout.count(b'"spare"') == 0
    assert b"stray.txt" in done.stdout
    assert b"`made_6` 1.0.0 is nearly a copy of `made_9`" in done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    with cluster.cluster(tmp_path_factory.mktemp("dask")) as running:
        yield running


def check(registry, address, **environment):
    return run_psreg(
        *("check", "pbes", "--format", "json", "--cluster", address),
        cwd=registry,
        env={**os.environ, **environment},
    )


def test_a_check_finds_the_same(registry, expected, dask):
    address, _ = dask
    before = cluster.tasks_done(address)
    done = check(registry, address)
    assert (done.returncode, done.stdout, done.stderr) == (1, expected, b"")
    assert cluster.tasks_done(address) > before, "no worker did anything"


def test_workers_read_the_commit_from_a_remote(registry, expected, dask, tmp_path):
    address, workers = dask
    checkout = shutil.copytree(registry, tmp_path / "checkout")
    git(checkout, "init", "-q", "-b", "main")
    (checkout / ".gitattributes").write_text("/pbes/interactive_engine/made_9/** text eol=crlf\n")
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", "Begin")
    git(tmp_path, "clone", "-q", "--bare", checkout, "remote.git")

    def from_remote(url):
        options = ("--cluster", address, "--cluster-source", url)
        return run_psreg("check", "pbes", "--format", "json", *options, cwd=checkout)

    url = (tmp_path / "remote.git").as_uri()
    done = from_remote(url)
    assert (done.returncode, done.stdout, done.stderr) == (1, expected, b"")
    assert 1 <= len(fetched(workers)) <= len(workers)
    # Git calls this checkout clean, but its files are not those of the commit.
    shutil.rmtree(checkout / "pbes/interactive_engine/made_9")
    git(checkout, "checkout", "-q", "--", "pbes")
    done = from_remote(url)
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (4, "SOURCE_DIFFERS")
    done = from_remote(f"ext::touch {tmp_path}/run")
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (4, "REMOTE")
    assert not (tmp_path / "run").exists()
    (checkout / "pbes/new.txt").write_text("")
    done = from_remote("file:///nowhere")
    assert done.returncode == 1
    assert done.stderr.startswith(b"note: these files are not those of a commit")


def fetched(workers):
    """Return the folders of commits that workers have fetched."""
    places = (Path(f"/proc/{worker.pid}/environ").read_bytes() for worker in workers)
    where = {place.partition(b"TMPDIR=")[2].partition(b"\0")[0].decode() for place in places}
    return {found for place in where for found in Path(place).glob("psreg-commit-*")}


def git(folder, *arguments):
    done = subprocess.run(["git", *arguments], cwd=folder, env={**os.environ, **ALONE}, check=False)
    assert done.returncode == 0


def test_a_source_without_a_cluster_is_refused(registry):
    done = run_psreg("check", "pbes", "--cluster-source", "file:///x", cwd=registry, text=True)
    assert done.returncode == 2
    assert "`--cluster-source` needs `--cluster`" in done.stderr


def test_loose_files_are_checked_by_workers_that_cannot_read_them(tmp_path, dask):
    generate.loose(tmp_path / "loose", 120)
    (tmp_path / "loose/broken.pbe.txt").write_text("{")
    alone = run_psreg("check", "loose", cwd=tmp_path)
    shared = run_psreg("check", "loose", "--cluster", dask[0], cwd=tmp_path)
    assert shared.stdout == alone.stdout
    assert (shared.returncode, shared.stderr) == (alone.returncode, alone.stderr) == (1, b"")


def test_a_cluster_that_loses_its_parts(registry, expected, tmp_path):
    with ExitStack() as stack:
        address, scheduler = stack.enter_context(cluster.scheduler(tmp_path))
        done = check(registry, address, **SOON)
        assert done.returncode == 4
        assert b"has no workers" in done.stdout
        with cluster.worker(address) as lost, working(registry, address, lost) as (ended, out):
            second = stack.enter_context(cluster.worker(address))
            lost.kill()
            assert ended() == 1
            assert out() == expected
        second.kill()
        third = stack.enter_context(cluster.worker(address))
        with working(registry, address, third) as (ended, out):
            scheduler.kill()
            assert ended() == 4
            error = json.loads(out())["error"]
    assert error["code"] == "CLUSTER_UNAVAILABLE"
    assert error["message"].endswith(" ended before the work was done")


@contextmanager
def working(registry, address, worker):
    """Start a check; yield what waits for its end, and its output, once `worker` is at a task.

    It is the only worker, and its first task takes longer: it imports the rules.
    """
    with tempfile.TemporaryFile() as file:

        def out():
            file.seek(0)
            return file.read()

        command = ("check", "pbes", "--format", "json", "--cluster", address)
        with running_psreg(*command, streams=[file] * 3, cwd=registry) as ended:
            began = cluster.until(lambda: connected(worker) and cluster.cpu_seconds(worker))
            cluster.until(lambda: cluster.cpu_seconds(worker) > began + 0.2)
            yield ended, out


def connected(worker):
    """Tell whether a worker has a connection to its scheduler, after all its imports."""
    links = (file.readlink() for file in Path(f"/proc/{worker.pid}/fd").iterdir())
    return sum(str(link).startswith("socket:") for link in links) >= 4


def test_a_publish_and_a_site_with_a_draft_are_the_same(tmp_path, dask):
    address, _ = dask
    variants = {"alone": (), "shared": ("--cluster", address)}
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1795000000"}

    def same(made):
        """Make it in two ways; return what is then in the folders."""
        before = cluster.tasks_done(address)
        alone, shared = (made(name, options) for name, options in variants.items())
        assert cluster.tasks_done(address) > before, "no worker did anything"
        assert alone.keys() == shared.keys()
        assert [path for path, data in alone.items() if shared[path] != data] == []

    def publish(name, options):
        generate.registry(tmp_path / name, 110, "REG011")
        (tmp_path / name / DRAFT).rename(tmp_path / f"{name}.draft")
        home = {"PSREG_HOME": str(tmp_path / f"{name}.home")}
        done = run_psreg("publish", *options, cwd=tmp_path / name, env=env | home)
        assert (done.returncode, done.stderr) == (0, b"")
        records = content(tmp_path / name / "registry/targets/pkg")
        return {path.name.split(".")[1]: unlogged(data) for path, data in records.items()}

    def preview(name, options):
        out = ("--draft", "--out", str(tmp_path / f"{name}.site"))
        done = run_psreg("site", "build", *out, *options, cwd=tmp_path / "alone", env=env)
        assert (done.returncode, done.stderr) == (0, b"")
        return content(tmp_path / f"{name}.site")

    same(publish)
    (tmp_path / "alone.draft").rename(tmp_path / "alone" / DRAFT)
    same(preview)
    page = (tmp_path / "shared.site" / DRAFT.removeprefix("pbes/") / "index.html").read_text()
    assert "draft" in page


DRAFT = "pbes/interactive_engine/made_7"


def test_a_commit_is_published_that_workers_read_from_a_remote(tmp_path, dask):
    address, workers = dask
    folder = tmp_path / "work"
    generate.registry(folder, 110, "REG011")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Begin")
    git(tmp_path, "clone", "-q", "--bare", folder, "remote.git")
    (folder / DRAFT / "1.0.0/README.md").write_text("This is not committed.\n")
    before = fetched(workers)
    options = ("--cluster", address, "--cluster-source", (tmp_path / "remote.git").as_uri())
    env = {**os.environ, "PSREG_HOME": str(tmp_path / "home")}
    done = run_psreg("publish", "--rev", "HEAD", *options, cwd=folder, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert fetched(workers) - before, "no worker read anything"
    # The release is as it was committed.
    git(folder, "checkout", "-q", "--", "pbes")
    done = run_psreg("publish", "--full", cwd=folder, env=env)
    assert b"0 releases new, 0 files written" in done.stdout


def content(folder):
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder): file.read_bytes() for file in files}


def test_a_worker_with_another_psreg_is_refused(registry, dask, tmp_path):
    package = tmp_path / "psreg"
    package.mkdir()
    for item in (SOURCE / "psreg").iterdir():
        (package / item.name).symlink_to(item)
    (package / "__init__.py").unlink()
    (package / "__init__.py").write_text('__version__ = "9.9.9"\n')
    address, _ = dask
    with cluster.worker(address, PYTHONPATH=str(tmp_path)) as other:
        cluster.until(lambda: connected(other))
        done = check(registry, address)
    assert done.returncode == 4
    assert b"WORKER_DIFFERS" in done.stdout
    assert b"has psreg 9.9.9 with Python" in done.stdout


@pytest.mark.parametrize(
    "address",
    [
        "tcp://10.0.0.1:8786",
        "tcp://[2001:db8::1]:8786",
        "tcp://localhost.example.org:8786",
        "tcp://127.0.0.1",
        "127.0.0.1:8786",
        "ws://127.0.0.1:8786",
        "inproc://127.0.0.1:8786",
        "tcp://127.0.0.1:x",
        "tls://127.0.0.1:8786",
    ],
)
def test_only_this_machine_is_reached_without_certificates(registry, address):
    done = check(registry, address)
    assert done.returncode == 2
    assert b'"CLUSTER_NOT_SECURE"' in done.stdout


def test_a_cluster_that_is_not_there(registry):
    done = check(registry, "tcp://127.0.0.1:9", **SOON)
    assert (done.returncode, done.stderr) == (4, b"")
    assert b"CLUSTER_UNAVAILABLE" in done.stdout


def test_a_cluster_with_certificates(tmp_path):
    generate.loose(tmp_path / "loose", 110)
    expected = run_psreg("check", "loose", cwd=tmp_path).stdout
    ours, theirs = certificates(tmp_path / "ours"), certificates(tmp_path / "theirs")
    with (
        cluster.scheduler(tmp_path, "--protocol", "tls", *options(ours)) as (address, _),
        cluster.worker(address, *options(ours)),
    ):
        command = ("check", "loose", "--cluster", address)
        done = run_psreg(*command, cwd=tmp_path, env={**os.environ, **settings(ours)})
        assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")
        assert cluster.tasks_done(address, **settings(ours)) > 0, "no worker did anything"
        env = {**os.environ, **settings(theirs), **SOON}
        done = run_psreg(*command, cwd=tmp_path, env=env)
        assert done.returncode == 4
        assert b"error[CLUSTER_UNAVAILABLE]" in done.stderr


def certificates(folder):
    """Write a key and a certificate that is its own authority; return the two files."""
    folder.mkdir()
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, folder.name)])
    now = dt.datetime.now(dt.UTC)
    day = dt.timedelta(days=1)
    local = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .add_extension(local, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(key.private_bytes(pem, *plain))
    (folder / "cert.pem").write_bytes(made.public_bytes(pem))
    return folder / "cert.pem", folder / "key.pem"


def options(files):
    cert, key = files
    return ("--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key)


def settings(files):
    cert, key = map(str, files)
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    return {f"{prefix}CA_FILE": cert, f"{prefix}CLIENT__CERT": cert, f"{prefix}CLIENT__KEY": key}
