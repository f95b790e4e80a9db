"""psreg and OpenSSH agree about signatures; psreg also wants a person to have touched the token."""

import hashlib
import shutil
import subprocess
from base64 import b64decode, b64encode

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from psreg.core.errors import TrustError
from psreg.core.ssh_key import KEY_TYPES, SK_ECDSA, SK_ED25519, SshKey
from psreg.registry.trust.ssh_signature import LARGEST, SshSignature

NAMESPACE = "release@psreg"
MESSAGE = b"DSSEv1 28 application/vnd.in-toto+json 2 {}"
KINDS = {
    "ed25519": ("-t", "ed25519"),
    "ecdsa256": ("-t", "ecdsa", "-b", "256"),
    "ecdsa384": ("-t", "ecdsa", "-b", "384"),
    "ecdsa521": ("-t", "ecdsa", "-b", "521"),
    "rsa": ("-t", "rsa", "-b", "3072"),
}


def ssh_keygen(*arguments, **options):
    program = shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    command = [program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, **options)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with a key of each kind that needs no token."""
    place = tmp_path_factory.mktemp("ssh")
    for name, options in KINDS.items():
        made = ssh_keygen(*options, "-q", "-N", "", "-C", "ana laptop", "-f", place / name)
        assert made.returncode == 0, made.stderr
    return place


def signed(folder, name, message=MESSAGE, namespace=NAMESPACE, *options):
    done = ssh_keygen("-Y", "sign", "-n", namespace, "-f", folder / name, *options, input=message)
    assert done.returncode == 0, done.stderr
    return done.stdout


def key_of(folder, name):
    return SshKey.parse((folder / f"{name}.pub").read_text())


def refused(function, *arguments, **options):
    with pytest.raises(TrustError) as error:
        function(*arguments, **options)
    assert error.value.code == "TRUST_STATEMENT"
    return error.value.message


def check(armoured, key, message=MESSAGE, namespace=NAMESPACE):
    return SshSignature.parse(armoured).check(message, namespace, [key])


def openssh_says(tmp_path, armoured, key, message=MESSAGE):
    """Whether `ssh-keygen -Y verify` says Good."""
    (tmp_path / "allowed_signers").write_text(f'ana namespaces="{NAMESPACE}" {key}\n')
    (tmp_path / "signature").write_bytes(armoured)
    files = ("-f", tmp_path / "allowed_signers", "-s", tmp_path / "signature")
    done = ssh_keygen("-Y", "verify", *files, "-I", "ana", "-n", NAMESPACE, input=message)
    return done.returncode == 0


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("options", [(), ("-O", "hashalg=sha256")])
def test_what_ssh_keygen_signs_is_accepted(folder, name, options):
    armoured, key = signed(folder, name, MESSAGE, NAMESPACE, *options), key_of(folder, name)
    assert check(armoured, key) == key
    assert check(armoured.replace(b"\n", b"\r\n"), key) == key
    assert check(armoured.rstrip(), key) == key
    found = SshSignature.parse(armoured)
    assert found.armoured == armoured
    assert SshSignature.read(found.blob) == found


@pytest.mark.parametrize("name", KINDS)
def test_a_key_is_printed_as_openssh_prints_it(folder, name):
    key = key_of(folder, name)
    assert str(key) == (folder / f"{name}.pub").read_text().removesuffix(" ana laptop\n")
    said = ssh_keygen("-l", "-f", folder / f"{name}.pub").stdout.decode()
    assert said.split()[1] == key.fingerprint


def test_only_what_was_signed_by_a_known_key_for_this_purpose(folder):
    armoured, key = signed(folder, "ed25519"), key_of(folder, "ed25519")
    assert "signed something else" in refused(check, armoured, key, MESSAGE + b" ")
    assert "not for 'file'" in refused(check, armoured, key, namespace="file")
    other = signed(folder, "ed25519", namespace="file")
    assert "made for 'file'" in refused(check, other, key)
    assert key.fingerprint in refused(check, armoured, key_of(folder, "rsa"))
    refused(SshSignature.parse(armoured).check, MESSAGE, NAMESPACE, [])


@pytest.mark.parametrize("name", ["ed25519", "ecdsa256"])
def test_no_bit_of_a_signature_can_be_changed(folder, name):
    armoured, key = signed(folder, name), key_of(folder, name)
    blob = blob_of(armoured)
    for at in range(8 * len(blob)):
        byte, bit = divmod(at, 8)
        refused(check, armour(blob[:byte] + bytes([blob[byte] ^ 1 << bit]) + blob[byte + 1 :]), key)
    for size in range(len(blob)):
        refused(SshSignature.parse, armour(blob[:size]))
    assert "something follows" in refused(SshSignature.parse, armour(blob + b"x"))


def blob_of(armoured):
    return b64decode(b"".join(armoured.split(b"\n")[1:-2]))


def armour(blob):
    text = b64encode(blob).decode()
    lines = [text[at : at + 70] for at in range(0, len(text), 70)]
    middle = "".join(f"{line}\n" for line in lines)
    return f"-----BEGIN SSH SIGNATURE-----\n{middle}-----END SSH SIGNATURE-----\n".encode()


def string(data):
    return len(data).to_bytes(4, "big") + data


def mpint(number):
    return string(number.to_bytes(number.bit_length() // 8 + 1, "big"))


def enclosed(key, signature, *, namespace=NAMESPACE, reserved=b"", kind=b"sha512", version=1):
    """A signature as OpenSSH encloses it."""
    start = b"SSHSIG" + version.to_bytes(4, "big") + string(key.blob)
    return armour(
        start + string(namespace.encode()) + string(reserved) + string(kind) + string(signature)
    )


def to_sign():
    digest = hashlib.sha512(MESSAGE).digest()
    return b"SSHSIG" + b"".join(map(string, (NAMESPACE.encode(), b"", b"sha512", digest)))


class Token:
    """A FIDO token: it signs what PROTOCOL.u2f says, and counts."""

    def __init__(self, key_type):
        self.type = key_type
        application = string(b"ssh:")
        if key_type == SK_ED25519:
            self.private = Ed25519PrivateKey.generate()
            public = self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
            blob = string(key_type.encode()) + string(public) + application
        else:
            self.private = ec.generate_private_key(ec.SECP256R1())
            point = self.private.public_key().public_bytes(
                Encoding.X962, PublicFormat.UncompressedPoint
            )
            blob = string(key_type.encode()) + string(b"nistp256") + string(point) + application
        self.key = SshKey(type=key_type, blob=blob)
        self.key.parts()

    def sign(self, flags=b"\x01", counter=7):
        told = flags + counter.to_bytes(4, "big")
        digests = [hashlib.sha256(each).digest() for each in (b"ssh:", to_sign())]
        message = digests[0] + told + digests[1]
        if self.type == SK_ED25519:
            data = self.private.sign(message)
        else:
            signature = self.private.sign(message, ec.ECDSA(hashes.SHA256()))
            data = b"".join(map(mpint, decode_dss_signature(signature)))
        return enclosed(self.key, string(self.type.encode()) + string(data) + told)


@pytest.mark.parametrize("key_type", [SK_ED25519, SK_ECDSA])
def test_tokens(key_type, tmp_path):
    token = Token(key_type)
    for flags in (b"\x01", b"\x05"):
        armoured = token.sign(flags)
        assert check(armoured, token.key) == token.key
        assert openssh_says(tmp_path, armoured, token.key)
    refused(check, token.sign(), token.key, MESSAGE + b" ")
    assert "nobody touched" in refused(check, token.sign(b"\x04"), token.key)


def test_all_types_of_keys_are_tried(folder):
    tokens = [Token(kind).key for kind in (SK_ED25519, SK_ECDSA)]
    tried = {key.type for key in (*tokens, *(key_of(folder, name) for name in KINDS))}
    assert tried == set(KEY_TYPES)


def made(folder, name, **changes):
    """A signature that ssh-keygen made, enclosed in another way."""
    found = SshSignature.parse(signed(folder, name))
    fields = {"key": found.key, "signature": found.signature} | changes
    return enclosed(fields.pop("key"), fields.pop("signature"), **fields)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": 2}, "version 1"),
        ({"kind": b"md5"}, "'md5'"),
        ({"kind": b"sha384"}, "'sha384'"),
        ({"kind": b"sha\xff"}, "not ASCII"),
        ({"reserved": b"x"}, "something else"),
        ({"namespace": ""}, "made for ''"),
    ],
)
def test_what_encloses_a_signature(folder, changes, said):
    assert said in refused(check, made(folder, "ed25519", **changes), key_of(folder, "ed25519"))


def test_a_signature_is_of_the_type_of_its_key(folder):
    for name, kind in (("ed25519", b"ssh-rsa"), ("rsa", b"ssh-rsa"), ("rsa", b"rsa-sha2-384")):
        signature = string(kind) + string(bytes(64))
        armoured = made(folder, name, signature=signature)
        refused(check, armoured, key_of(folder, name))


def test_rsa_with_either_digest(folder, tmp_path):
    """`ssh-keygen` signs with rsa-sha2-512, an agent may sign with rsa-sha2-256."""
    key = key_of(folder, "rsa")
    other = SshSignature.parse(signed(folder, "rsa"))
    relabelled = other.signature.replace(b"rsa-sha2-512", b"rsa-sha2-256")
    armoured = made(folder, "rsa", signature=relabelled)
    assert "something else" in refused(check, armoured, key)
    assert not openssh_says(tmp_path, armoured, key)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        b"-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n",
        b"-----BEGIN SSH SIGNATURE-----\n!!!!\n-----END SSH SIGNATURE-----\n",
        b"-----BEGIN SSH SIGNATURE-----\nAAA\n-----END SSH SIGNATURE-----\n",
        b"-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----\nmore\n",
        b"more\n-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----\n",
        armour(b"SSHSIX" + bytes(20)),
        armour(b"SSHSIG" + b"\x00\x00\x00\x01" + b"\xff\xff\xff\xff"),
        armour(bytes(LARGEST)),
    ],
)
def test_what_is_no_signature(data):
    refused(SshSignature.parse, data)


POINT = string(b"\x04" + bytes(64))


def line(key_type, *fields, after=b""):
    blob = string(key_type.encode()) + b"".join(fields) + after
    return f"{key_type} {b64encode(blob).decode()} a comment"


LARGE = mpint(1 << 3071 | 1)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "ssh-ed25519",
        "ssh-ed25519 !!!!",
        "ssh-ed25519 AAA=A",
        "ssh-ed25519 QR==",
        "ssh-dss AAAAB3NzaC1kc3M=",
        "ssh-ed25519 \u00fc",
        line("ssh-rsa", mpint(65537), mpint(1 << 1023 | 1)),
        line("ssh-rsa", mpint(65537), mpint(1 << 16_384 | 1)),
        line("ssh-rsa", mpint(2), LARGE),
        line("ssh-rsa", string(b""), LARGE),
        line("ssh-rsa", string(b"\x00\x00\x03"), LARGE),
        line("ssh-rsa", string(b"\x83"), LARGE),
        line("ssh-rsa", mpint(65537), LARGE).replace("ssh-rsa", "ssh-ed25519"),
        line("ssh-ed25519", string(bytes(32)), after=b"x"),
        line("ecdsa-sha2-nistp256", string(b"nistp384"), POINT),
    ],
)
def test_what_is_no_key(line):
    with pytest.raises(ValueError, match=r"type|base64|bits|number|follows|curve|length|begin|cut"):
        SshKey.parse(line)


def test_points_that_are_on_no_curve_sign_nothing():
    blob = string(b"ecdsa-sha2-nistp256") + string(b"nistp256") + POINT
    key = SshKey(type="ecdsa-sha2-nistp256", blob=blob)
    signature = string(b"ecdsa-sha2-nistp256") + string(mpint(1) + mpint(1))
    assert "something else" in refused(check, enclosed(key, signature), key)
    # Neither is one of another length a key.
    blob = string(b"ssh-ed25519") + string(bytes(31))
    key = SshKey(type="ssh-ed25519", blob=blob)
    signature = string(b"ssh-ed25519") + string(bytes(64))
    assert "another length" in refused(check, enclosed(key, signature), key)
