"""Keys in a security token (SoftHSM) and in a KMS, which never leave them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from support.buckets import CREDENTIALS
from support.loopback import answer, listening
from support.owners import ANA, entry_toml
from support.paths import PBES
from support.warm_psreg import run_psreg

NAME = "email_reply"
LIBRARY = "/usr/lib/softhsm/libsofthsm2.so"


class Checkout:
    """A published registry, and the machines of three people."""

    def __init__(self, root: Path) -> None:
        self.root, self.homes = root / "checkout", root / "homes"
        shutil.copytree(PBES / "prompt" / NAME, self.root / "pbes/prompt" / NAME)
        (self.root / "registry").mkdir()
        shutil.copy(PBES.parent / "registry/policy.toml", self.root / "registry")
        (self.root / "pbes/prompt" / NAME / "entry.toml").write_bytes(entry_toml(ANA))
        self.run("main", "publish", "-q")

    def run(self, who: str, *words: object, code: int = 0, **environ: str):
        env = {**os.environ, "PSREG_HOME": str(self.homes / who), **environ}
        done = run_psreg(*words, cwd=self.root, env=env, text=True)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def made(self, who: str, *words: object, **environ: str) -> str:
        """Let someone have a key; return what they tell the others."""
        return self.run(who, "keys", "create", who, *words, **environ).stdout.split()[0]

    def signers(self, role: str) -> dict[str, str]:
        """Return the types of the keys that sign a role, by their holders."""
        newest = max((self.root / "registry/metadata").glob("*.root.json"))
        root = json.loads(newest.read_text())["signed"]
        keys = (root["keys"][keyid] for keyid in root["roles"][role]["keyids"])
        return {key.get("x-psreg-holder", "psreg"): key["keytype"] for key in keys}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.fixture
def token(tmp_path: Path) -> dict[str, str]:
    """The environment of a token that has a key for signatures."""
    (tmp_path / "tokens").mkdir()
    settings = tmp_path / "softhsm2.conf"
    settings.write_text(f"directories.tokendir = {tmp_path}/tokens\nlog.level = ERROR\n")
    environ = {"SOFTHSM2_CONF": str(settings), "PYKCS11LIB": LIBRARY}
    new = ("--init-token", "--free", "--label", "ben", "--pin", "1234", "--so-pin", "5678")
    pem = tmp_path / "key.pem"
    for command in (
        ["softhsm2-util", *new],
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", pem],
        ["softhsm2-util", "--import", pem, "--token", "ben", "--label", "sign", "--id", "02",
         "--pin", "1234"],
    ):  # fmt: skip
        subprocess.run(command, env={**os.environ, **environ}, check=True, capture_output=True)
    pem.unlink()
    return environ


class Kms:
    """A KMS on this machine with three keys, as far as the API of AWS is needed to sign."""

    def __init__(self) -> None:
        self.keys = {name: new_key() for name in ("alias/cem", "alias/online", "alias/timestamp")}
        self.calls: list[str] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                call = self.headers["X-Amz-Target"].partition(".")[2]
                owner.calls.append(call)
                key = owner.keys.get(asked["KeyId"])
                told = owner.answer(call, asked, key) if key else {"__type": "NotFoundException"}
                answer(self, 200 if key else 400, json.dumps(told).encode())

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.environ = {
            **CREDENTIALS,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.server.server_port}",
        }

    def answer(
        self, call: str, asked: dict[str, str], key: ec.EllipticCurvePrivateKey
    ) -> dict[str, object]:
        if call == "GetPublicKey":
            form = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
            public = b64encode(key.public_key().public_bytes(*form)).decode()
            return {"PublicKey": public, "SigningAlgorithms": ["ECDSA_SHA_384"]}
        assert (asked["MessageType"], asked["SigningAlgorithm"]) == ("DIGEST", "ECDSA_SHA_384")
        digest = ec.ECDSA(Prehashed(hashes.SHA384()))
        return {"Signature": b64encode(key.sign(b64decode(asked["Message"]), digest)).decode()}


class Vault:
    """Vault's transit engine on this machine, as far as it is needed to sign with one key."""

    def __init__(self) -> None:
        self.key = Ed25519PrivateKey.generate()
        self.calls: list[str] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                public = owner.key.public_key().public_bytes_raw()
                other = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
                versions = {"9": other, "10": public}
                self.tell({v: {"public_key": b64encode(k).decode()} for v, k in versions.items()})

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                assert asked["key_version"] == 10
                made = b64encode(owner.key.sign(b64decode(asked["input"]))).decode()
                self.tell(f"vault:v10:{made}")

            def tell(self, told: object) -> None:
                owner.calls.append(self.path)
                known = self.headers["X-Vault-Token"] == "hvs.test"
                member = "keys" if isinstance(told, dict) else "signature"
                body = {"data": {member: told}} if known else {"errors": ["permission denied"]}
                answer(self, 200 if known else 403, json.dumps(body).encode())

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        address = f"http://127.0.0.1:{self.server.server_port}"
        self.environ = {"VAULT_ADDR": address, "VAULT_TOKEN": "hvs.test"}


def new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP384R1())


@pytest.fixture
def kms() -> Iterator[Kms]:
    found = Kms()
    with listening(found.server):
        yield found


@pytest.fixture
def vault() -> Iterator[Vault]:
    pytest.importorskip("hvac", reason="the extra `vault` is not installed")
    found = Vault()
    with listening(found.server):
        yield found


def test_a_vault_signs(checkout: Checkout, vault: Vault) -> None:
    told = [
        checkout.made("ana"),
        checkout.made("ben"),
        checkout.made("dan", "--at", "hv:dan", **vault.environ),
    ]
    (place,) = (checkout.homes / "dan/data/keys").glob("*/dan.json")
    assert json.loads(place.read_text())["uri"] == "hv:dan/10"
    checkout.run("main", "keys", "harden", *told, "--threshold", "3", "-q")
    for each in ("ana", "ben"):
        checkout.run(each, "keys", "sign", "--yes", "-q")
    stranger = {**vault.environ, "VAULT_TOKEN": "hvs.other"}
    assert error(checkout.run("dan", "keys", "sign", "--yes", code=4, **stranger)) == (
        "SIGNER_UNAVAILABLE"
    )
    checkout.run("dan", "keys", "sign", "--yes", "-q", **vault.environ)
    checkout.run("main", "publish", "-q")
    assert {*vault.calls} == {"/v1/transit/keys/dan", "/v1/transit/sign/dan"}
    assert checkout.signers("root") == {"ana": "ed25519", "ben": "ed25519", "dan": "ed25519"}
    checkout.run("newcomer", "install", NAME, "--registry", checkout.root)


def test_a_ceremony_with_a_file_a_token_and_a_kms(
    checkout: Checkout, token: dict[str, str], kms: Kms
) -> None:
    checkout.run("client", "install", NAME, "--registry", checkout.root)
    told = [
        checkout.made("ana"),
        checkout.made("ben", "--at", "hsm:", **token),
        checkout.made("cem", "--at", "awskms:alias/cem", **kms.environ),
    ]
    (place,) = (checkout.homes / "ben/data/keys").glob("*/ben.json")
    assert json.loads(place.read_text())["uri"] == "hsm:2?label=ben"
    checkout.run("main", "keys", "harden", *told, "--threshold", "3", "-q")
    refused = checkout.run("ben", "keys", "sign", code=3, **token)  # asks first, and for no PIN
    assert "NOT_AGREED" in refused.stderr
    checkout.run("ana", "keys", "sign", "--yes", "-q")
    checkout.run("ben", "keys", "sign", "--yes", "-q", PSREG_PIN="1234", **token)
    done = checkout.run("cem", "keys", "sign", "--yes", **kms.environ)
    assert done.stdout.endswith(": signed\n  next: psreg publish\n")
    checkout.run("main", "publish", "-q")
    assert checkout.signers("root") == {"ana": "ed25519", "ben": "ecdsa", "cem": "ecdsa"}
    assert (
        "already installed"
        in checkout.run("client", "install", NAME, "--registry", checkout.root).stdout
    )
    checkout.run("newcomer", "install", NAME, "--registry", checkout.root)
    # They also take back what was revoked.
    release = f"{NAME}@1.0.0"
    checkout.run("main", "revoke", release, "--reason", "It leaks.", "-q")
    checkout.run("main", "publish", "-q")
    checkout.run("main", "revoke", release, "--undo", "--reason", "It does not.", "-q")
    checkout.run("ana", "keys", "sign", "--yes", "-q")
    checkout.run("ben", "keys", "sign", "--yes", "-q", PSREG_PIN="1234", **token)
    checkout.run("cem", "keys", "sign", "--yes", "-q", **kms.environ)
    checkout.run("main", "publish", "-q")
    checkout.run("another", "install", NAME, "--registry", checkout.root)


def error(done) -> str:
    return done.stderr.partition("error[")[2].partition("]")[0]


def test_a_wrong_pin_signs_nothing(checkout: Checkout, token: dict[str, str]) -> None:
    told = [checkout.made("ana"), checkout.made("ben", "--at", "hsm:2", **token)]
    checkout.run("main", "keys", "harden", *told, "-q")
    before = {
        path.name: path.read_bytes() for path in (checkout.root / "registry/signing").iterdir()
    }
    for pin in ({"PSREG_PIN": "4321"}, {}):
        done = checkout.run("ben", "keys", "sign", "--yes", code=4, **token, **pin)
        assert error(done) == "SIGNER_UNAVAILABLE"
        assert "4321" not in done.stderr
    after = {
        path.name: path.read_bytes() for path in (checkout.root / "registry/signing").iterdir()
    }
    assert after == before


@pytest.mark.parametrize(
    ("uri", "code"),
    [("ftp:x", "SIGNER_URI"), ("hsm:x", "SIGNER_URI"), ("azurekms:x", "SIGNER_URI")],
)
def test_what_is_no_address(checkout: Checkout, uri: str, code: str) -> None:
    assert error(checkout.run("ana", "keys", "create", "ana", "--at", uri, code=2)) == code


def test_services_that_are_not_there(checkout: Checkout, token: dict[str, str]) -> None:
    token["PYKCS11LIB"] = "/nowhere.so"
    done = checkout.run("ana", "keys", "create", "ana", "--at", "hsm:", code=4, **token)
    assert error(done) == "SIGNER_UNAVAILABLE"
    done = checkout.run("ana", "keys", "create", "ana", "--at", "gcpkms:projects/x", code=4)
    assert (error(done), "`psreg[gcpkms]`" in done.stderr) == ("EXTRA_MISSING", True)


ELSEWHERE = ("online=awskms:alias/online", "timestamp=awskms:alias/timestamp")


def test_a_kms_publishes(checkout: Checkout, kms: Kms) -> None:
    checkout.run("client", "install", NAME, "--registry", checkout.root)
    kms.calls.clear()
    done = checkout.run("main", "keys", "rotate", *ELSEWHERE, **kms.environ)
    assert done.stdout.startswith("the new keys are in force\n")
    assert checkout.signers("snapshot") == checkout.signers("timestamp") == {"psreg": "ecdsa"}
    keeper = checkout.run("main", "doctor", "--format", "json", **kms.environ)
    found = {each["id"]: each["found"] for each in json.loads(keeper.stdout)["checks"]}
    assert "online-2.json" in found["key-permissions"]
    assert found["former-keys"] == "online.pem, timestamp.pem sign nothing that is in force"
    (keys,) = (checkout.homes / "main/data/keys").iterdir()
    for name in ("online", "timestamp"):
        (keys / f"{name}.pem").unlink()
    for command in ("publish", "--resign"), ("keys", "rotate", "log"):
        checkout.run("main", *command, "-q", **kms.environ)
    for who in ("client", "newcomer"):
        checkout.run(who, "install", NAME, "--registry", checkout.root)
    # Only the KMS can publish now, and only as long as it says yes.
    state = (checkout.root / "registry/metadata/timestamp.json").read_bytes()
    del kms.keys["alias/timestamp"]
    refused = checkout.run("main", "publish", "--resign", code=4, **kms.environ)
    assert refused.stderr.startswith(
        "psreg: error[SIGNER_UNAVAILABLE]: awskms:alias/timestamp does"
    )
    assert (checkout.root / "registry/metadata/timestamp.json").read_bytes() == state
    checkout.run("main", "keys", "rotate", "timestamp", code=4, **kms.environ)
    kms.keys["alias/timestamp"] = new_key()
    assert error(checkout.run("main", "publish", "--resign", code=4, **kms.environ)) == error(
        refused
    )


def test_the_key_of_a_kms_is_replaced(checkout: Checkout, kms: Kms) -> None:
    rotate = ("keys", "rotate", ELSEWHERE[1])
    checkout.run("main", *rotate, "-q", **kms.environ)
    twice = checkout.run("main", *rotate, code=2, **kms.environ)
    assert "a key that the registry uses already" in twice.stderr
    checkout.run("main", "keys", "rotate", "timestamp", "-q", **kms.environ)
    assert checkout.signers("timestamp") == {"psreg": "ed25519"}
    (keys,) = (checkout.homes / "main/data/keys").iterdir()
    assert {each.name for each in keys.glob("timestamp*")} == {
        "timestamp.pem",
        "timestamp-2.json",
        "timestamp-3.pem",
    }
    for what in ("log=awskms:alias/online", "root=awskms:alias/online"):
        assert error(checkout.run("main", "keys", "rotate", what, code=2)) == "CANNOT_ROTATE"
    checkout.run("client", "install", NAME, "--registry", checkout.root)


def test_a_person_with_a_token_publishes_without_it(
    checkout: Checkout, token: dict[str, str]
) -> None:
    made, pin = checkout.made("main", "--at", "hsm:", **token), {**token, "PSREG_PIN": "1234"}
    checkout.run("main", "keys", "harden", made, "--threshold", "1", "-q", **pin)
    checkout.run("main", "publish", "-q", **token)
    for pem in ("root", "owners"):
        (next((checkout.homes / "main/data/keys").iterdir()) / f"{pem}.pem").unlink()
    # The offline roles are due, and nobody can type a PIN here.
    later = str(int(time.time()) + 300 * 86400)
    checkout.run("main", "publish", "--resign", "-q", SOURCE_DATE_EPOCH=later, **token)
    done = checkout.run("main", "keys", "renew", code=4, SOURCE_DATE_EPOCH=later, **token)
    assert error(done) == "SIGNER_UNAVAILABLE"
    checkout.run("main", "keys", "sign", "--yes", "-q", SOURCE_DATE_EPOCH=later, **pin)


def test_a_service_that_does_not_know_the_key(checkout: Checkout, kms: Kms) -> None:
    create = ("keys", "create", "cem", "--at", "awskms:alias/dan")
    assert error(checkout.run("cem", *create, code=4, **kms.environ)) == "SIGNER_UNAVAILABLE"
    checkout.made("cem", "--at", "awskms:alias/cem", **kms.environ)
    assert error(checkout.run("cem", "keys", "create", "cem", code=4)) == "CANNOT_WRITE"


def test_a_service_with_another_key_signs_nothing(checkout: Checkout, kms: Kms) -> None:
    told = [checkout.made("cem", "--at", "awskms:alias/cem", **kms.environ)]
    checkout.run("main", "keys", "harden", *told, "--threshold", "1", "-q")
    kms.keys["alias/cem"] = new_key()
    done = checkout.run("cem", "keys", "sign", "--yes", code=4, **kms.environ)
    assert error(done) == "SIGNER_UNAVAILABLE"
    assert "Sign" in kms.calls


@pytest.mark.parametrize("key", ["A" * 100, "MAA" * 40, "0" * 63, ""])
def test_what_is_no_public_key(checkout: Checkout, key: str) -> None:
    assert error(checkout.run("main", "keys", "harden", f"ana={key}", code=2)) == "USAGE"


def test_a_damaged_file(checkout: Checkout, token: dict[str, str]) -> None:
    checkout.made("ben", "--at", "hsm:", **token)
    (place,) = (checkout.homes / "ben/data/keys").glob("*/ben.json")
    place.write_text("{}")
    assert error(checkout.run("ben", "keys", "sign", code=4)) == "SIGNER_UNAVAILABLE"
    place.chmod(0o644)
    assert error(checkout.run("ben", "keys", "sign", code=3)) == "KEYS_EXPOSED"
