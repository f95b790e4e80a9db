"""How a registry is reached: tokens, netrc, commands, certificates and a proxy, for real."""

from __future__ import annotations

import base64
import datetime as dt
import ipaddress
import socket
import ssl
import sys
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from simulator import METADATA, Simulator
from support.clients import Client
from support.loopback import Guarded, answer, listening, serving

TOKEN = "s3cret-t0ken"
PEM = serialization.Encoding.PEM


@pytest.fixture(scope="module")
def registry():
    return Simulator().release().publish()


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path / "client")


def basic(name, password):
    return f"Basic {base64.b64encode(f'{name}:{password}'.encode()).decode()}"


@contextmanager
def guarded(registry, wanted):
    gate = Guarded(registry.files, wanted)
    with serving({}, gate) as server:
        yield server, gate


def add(client, url, registry, *options, **env):
    return client.run("registry", "add", url, "--root-sha256", registry.pin, *options, **env)


def printing(tmp_path, text, code=0):
    """Return a command that prints a text, and something on standard error."""
    script = tmp_path / f"helper{len(text)}.py"
    script.write_text(
        f"import sys\nsys.stderr.write('asking')\nprint({text!r})\nsys.exit({code})\n"
    )
    return f"{sys.executable} {script}"


def secret_free(client, *runs):
    assert all(TOKEN not in run.out + run.err for run in runs)
    files = [path for path in client.home.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if TOKEN.encode() in path.read_bytes()] == []


@pytest.mark.parametrize("kind", ["token", "netrc", "command", "basic command"])
def test_one_logs_in_and_the_secret_is_nowhere_else(client, registry, tmp_path, kind):
    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine 127.0.0.1 login ana password {TOKEN}\n")
    netrc.chmod(0o600)
    wanted, options = {
        "token": (f"Bearer {TOKEN}", ["--token-env", "TEAM_TOKEN"]),
        "netrc": (basic("ana", TOKEN), ["--netrc"]),
        "command": (f"Bearer {TOKEN}", ["--credential-command", printing(tmp_path, TOKEN)]),
        "basic command": (
            basic("ana", TOKEN),
            ["--credential-command", printing(tmp_path, basic("ana", TOKEN))],
        ),
    }[kind]
    env = {"TEAM_TOKEN": TOKEN, "NETRC": str(netrc)}
    with guarded(registry, wanted) as (server, gate):
        runs = [
            add(client, server.url, registry, *options, **env),
            add(client, server.url, registry, **env),  # again: the login stays
            client.run("install", "quiz_master", **env),
            client.run("registry", "list", "--format", "json", **env),
        ]
    assert [run.code for run in runs] == [0, 0, 0, 0], [run.err for run in runs]
    assert {*gate.seen} == {wanted}
    secret_free(client, *runs)


def test_a_secret_goes_to_no_other_port_and_after_no_redirect(client, registry):
    with guarded(registry, f"Bearer {TOKEN}") as (server, _), serving(registry.files) as other:
        options = ("--token-env", "TEAM_TOKEN")
        assert add(client, server.url, registry, *options, TEAM_TOKEN=TOKEN).code == 0
        # The same host behind another port is another registry, which gets nothing.
        seen = []
        path = f"{METADATA}1.root.json"

        def look(handler):
            seen.append(handler.headers.get("Authorization"))
            answer(handler, 200, registry.files[path])

        with serving(registry.files, {path: look}) as port:
            argv = ("install", "quiz_master", "--registry", port.url, "--format", "json")
            assert client.run(*argv, TEAM_TOKEN=TOKEN).refusal == (3, "TRUST_UNPINNED")
            assert seen == [None]
        stamp = f"{METADATA}timestamp.json"
        to = f"{other.url}/{stamp}?{TOKEN}"
        moving = {stamp: lambda handler: answer(handler, 302, b"", Location=to)}
        with serving(registry.files, moving) as moved:
            assert add(client, moved.url, registry, *options, TEAM_TOKEN=TOKEN).code == 0
            done = client.run("install", "quiz_master", "--registry", moved.url, TEAM_TOKEN=TOKEN)
    assert "error[NETWORK_REFUSED]" in done.err
    assert TOKEN not in done.err
    assert other.asked == []


def test_a_secret_is_not_sent_unencrypted(client, registry):
    done = add(client, "http://prompts.invalid", registry, "--token-env", "V", V=TOKEN)
    assert done.code == 3
    assert "error[TRUST_INSECURE]" in done.err
    assert TOKEN not in done.err


def refused_login(client, registry, options, **env):
    with guarded(registry, "never") as (server, gate):
        done = add(client, server.url, registry, *options, **env)
    assert done.code == 4, done.err
    assert "error[NETWORK_LOGIN]: this registry asks you to log in" in done.err
    assert TOKEN not in done.err + done.out
    return done, gate


def test_what_a_command_does_wrong_is_told_without_what_it_says(client, registry, tmp_path):
    def run(command):
        done, gate = refused_login(client, registry, ["--credential-command", command])
        assert gate.seen == []
        return done.err

    assert "ended with status 3" in run(printing(tmp_path, TOKEN, 3))
    assert "did not print one line" in run(printing(tmp_path, f"{TOKEN}\n{TOKEN}"))
    assert "did not print one line" in run(printing(tmp_path, ""))
    assert "did not print one line" in run(printing(tmp_path, TOKEN * 5000))
    assert "cannot be run" in run(str(tmp_path / "absent"))


def test_what_netrc_lacks_is_told(client, registry, tmp_path):
    netrc = tmp_path / "netrc"
    done, gate = refused_login(client, registry, ["--netrc"], NETRC=str(netrc))
    assert "cannot be read" in done.err
    # What is for any host is not for this one.
    netrc.write_text(f"default login ana password {TOKEN}\n")
    netrc.chmod(0o600)
    done, gate = refused_login(client, registry, ["--netrc"], NETRC=str(netrc))
    assert "does not have 127.0.0.1" in done.err
    netrc.write_text(f"machine 127.0.0.1 login ana passwurd {TOKEN}\n")
    done, gate = refused_login(client, registry, ["--netrc"], NETRC=str(netrc))
    assert "cannot be read" in done.err
    assert gate.seen == []


@pytest.mark.parametrize(
    "line",
    [
        'token_env = "TEAM_TOKEN"',
        "netrc = true",
        'credential_command = ["touch", "ran"]',
        'ca_bundle = "ca.pem"',
        'client_certificate = "me.pem"',
        'client_key = "me.pem"',
    ],
)
def test_a_project_file_says_nothing_of_it(client, registry, line):
    with guarded(registry, f"Bearer {TOKEN}") as (server, gate):
        table = f'[registries.main]\nurl = "{server.url}"\nroot_sha256 = "{registry.pin}"\n{line}\n'
        (client.place / "psreg.toml").write_text(f'registry = "main"\n{table}')
        done = client.run("install", "quiz_master", "--format", "json", TEAM_TOKEN=TOKEN)
    assert done.refusal == (2, "CONFIG_INVALID")
    assert "belongs in your own settings" in done.json["error"]["message"]
    assert gate.seen == []
    assert not (client.place / "ran").exists()


@pytest.mark.parametrize(
    "line",
    [
        f'token_env = "Bearer {TOKEN}"',
        'netrc = "yes"',
        'credential_command = "pass prompts"',
        "credential_command = [1]",
        "ca_bundle = 1",
        'client_key = "me.pem"',
        'token_env = "A"\nnetrc = true',
        'token_env = "A"\nheader_env = {authorization = "B"}',
    ],
)
def test_what_is_not_valid_is_told_without_the_value(client, registry, line):
    with guarded(registry, "x") as (server, gate):
        client.trust(server.url, registry.pin)
        settings = client.home / "config" / "config.toml"
        settings.write_text(f"{settings.read_text()}{line}\n")
        done = client.run("install", "quiz_master", "--format", "json")
    assert done.refusal == (2, "CONFIG_INVALID")
    assert TOKEN not in done.out
    assert gate.seen == []


def test_options_that_contradict_are_refused(client, registry):
    with guarded(registry, "x") as (server, gate):
        done = add(client, server.url, registry, "--netrc", "--token-env", "V")
        assert (done.code, gate.seen) == (2, [])
    assert "error[USAGE]: the options have" in done.err


# TLS: certificates made here, servers on loopback


def certified(folder, name, issuer=None):
    """Make a key and a certificate for 127.0.0.1, signed by `issuer` or by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"psreg test {name}")])
    now = dt.datetime.now(dt.UTC)
    signing = issuer or SimpleNamespace(subject=subject, key=key)
    names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("registry.invalid")]
    made = (
        x509.CertificateBuilder(
            signing.subject, subject, key.public_key(), x509.random_serial_number()
        )
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .sign(signing.key, hashes.SHA256())
    )
    private = key.private_bytes(
        PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    certificate = made.public_bytes(PEM)
    files = {
        f"{name}.pem": certificate,
        f"{name}.key": private,
        f"{name}.both": certificate + private,
    }
    for file, data in files.items():
        (folder / file).write_bytes(data)
    return SimpleNamespace(
        subject=subject,
        key=key,
        pem=folder / f"{name}.pem",
        file=folder / f"{name}.key",
        both=folder / f"{name}.both",
    )


@pytest.fixture(scope="module")
def ca(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    authority = certified(folder, "ca")
    return SimpleNamespace(
        folder=folder,
        pem=authority.pem,
        host=certified(folder, "host", authority),
        person=certified(folder, "person", authority),
        stranger=certified(folder, "stranger"),
    )


@contextmanager
def secure(registry, ca, tricks=None, *, demanding=False):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(ca.host.pem, ca.host.file)
    if demanding:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(ca.pem)
    with serving(registry.files, tricks) as server:
        server.server.socket = context.wrap_socket(
            server.server.socket, server_side=True, do_handshake_on_connect=False
        )
        server.https = server.url.replace("http:", "https:")
        yield server


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)


def test_the_authorities_that_count_are_set(client, registry, ca):
    with secure(registry, ca) as server:
        done = add(client, server.https, registry)
        assert (done.code, "error[NETWORK_TLS]" in done.err) == (4, True)
        assert add(client, server.https, registry, SSL_CERT_FILE=str(ca.pem)).code == 0
        other = add(client, server.https, registry, "--ca-bundle", ca.stranger.pem)
        assert "error[NETWORK_TLS]" in other.err
        assert add(client, server.https, registry, "--ca-bundle", ca.pem).code == 0
        assert client.run("install", "quiz_master").code == 0


def test_a_file_is_relative_to_the_settings(client, registry, ca):
    with secure(registry, ca) as server:
        client.trust(server.https, registry.pin)
        settings = client.home / "config" / "config.toml"
        settings.write_text(f'{settings.read_text()}ca_bundle = "ca.pem"\n')
        done = client.run("install", "quiz_master")
        assert f"{settings.parent / 'ca.pem'} cannot be used: No such file" in done.err
        (settings.parent / "ca.pem").write_bytes(ca.pem.read_bytes())
        done = client.run("install", "quiz_master")
        assert done.code == 0, done.err
        (settings.parent / "ca.pem").write_bytes(TOKEN.encode())
        done = client.run("info", "quiz_master")
        assert "cannot be used" in done.err
        assert TOKEN not in done.err


def test_a_certificate_of_this_machine_is_shown(client, registry, ca):
    with secure(registry, ca, demanding=True) as server:
        trust = ("--ca-bundle", ca.pem)
        assert add(client, server.https, registry, *trust).code == 4
        for options in (
            ("--client-certificate", ca.person.both),
            ("--client-certificate", ca.person.pem, "--client-key", ca.person.file),
        ):
            done = add(client, server.https, registry, *trust, *options)
            assert done.code == 0, done.err
        assert client.run("install", "quiz_master").code == 0
        done = add(client, server.https, registry, *trust, "--client-certificate", ca.person.pem)
        assert (done.code, "cannot be used" in done.err) == (4, True)


def test_a_key_with_a_password_is_not_asked_for(client, registry, ca):
    secured = serialization.BestAvailableEncryption(b"password")
    data = ca.person.key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, secured)
    (ca.folder / "locked.key").write_bytes(data)
    with secure(registry, ca, demanding=True) as server:
        options = ("--client-certificate", ca.person.pem, "--client-key", ca.folder / "locked.key")
        done = add(client, server.https, registry, "--ca-bundle", ca.pem, *options)
    assert (done.code, "cannot be used" in done.err) == (4, True)


class Proxy(BaseHTTPRequestHandler):
    """A CONNECT proxy that sends everybody to the TLS server of the test."""

    def do_CONNECT(self):
        self.server.seen.append((self.path, dict(self.headers)))
        self.send_response(200)
        self.end_headers()
        with socket.create_connection(("127.0.0.1", self.server.target)) as there:
            back = threading.Thread(target=pump, args=(there, self.connection), daemon=True)
            back.start()
            pump(self.connection, there)
            back.join(5)
        self.close_connection = True

    def log_message(self, *_):
        pass


def pump(source, target):
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@pytest.mark.parametrize("exempt", ["", "registry.invalid", ".invalid", "*"])
def test_a_proxy_sees_the_host_and_no_secret(client, registry, ca, exempt):
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    proxy.daemon_threads = True
    proxy.seen = []
    seen = []
    path = f"{METADATA}1.root.json"

    def look(handler):
        seen.append(handler.headers.get("Authorization"))
        answer(handler, 200, registry.files[path])

    with secure(registry, ca, {path: look}) as server, listening(proxy):
        proxy.target = server.server.server_port
        url = "https://registry.invalid"
        options = ("--ca-bundle", ca.pem, "--token-env", "TEAM_TOKEN")
        env = {"HTTPS_PROXY": f"http://127.0.0.1:{proxy.server_port}", "TEAM_TOKEN": TOKEN}
        done = add(client, url, registry, *options, **env, NO_PROXY=exempt)
    assert TOKEN not in done.out + done.err
    if exempt:
        assert (done.code, proxy.seen) == (4, [])
    else:
        assert done.code == 0, done.err
        assert [where for where, _ in proxy.seen] == ["registry.invalid:443"]
        assert TOKEN not in str(proxy.seen)
        assert seen == [f"Bearer {TOKEN}"]
