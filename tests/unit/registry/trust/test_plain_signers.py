"""Libraries of clouds that happen to be installed are not imported with The Update Framework."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from psreg.registry.trust import plain_signers
from psreg.registry.trust.plain_signers import standing_in

# isort: split
from securesystemslib import signer

NAMES = ("boto3", "azure", "pkcs11", "hvac")


@pytest.mark.parametrize("module", ["psreg.client.tufclient", "psreg.registry.trust.metadata"])
def test_no_library_of_a_cloud_is_imported(module: str, tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text("print(f'{__name__} was imported')\n")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        f"import {module}\n"
        "print('then')\n"
        f"import {', '.join(NAMES)}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["then", *(f"{name} was imported" for name in NAMES)]


def test_one_that_is_there_already_stays(tmp_path: Path) -> None:
    program = "import sys, types; one = sys.modules['boto3'] = types.ModuleType('boto3')\n"
    program += "import psreg.registry.trust.plain_signers\nassert sys.modules['boto3'] is one\n"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path)


def test_without_cryptography_no_signature_of_ed25519_is_verified() -> None:
    program = (
        "import sys; sys.modules['cryptography'] = None\n"
        "import psreg.registry.trust.plain_signers\n"
        "from securesystemslib.exceptions import UnverifiedSignatureError\n"
        "from securesystemslib.signer import Signature, SSlibKey\n"
        "key = SSlibKey('id', 'ed25519', 'ed25519', {'public': '00' * 32})\n"
        "try: key.verify_signature(Signature('id', '00' * 64), b'data')\n"
        "except UnverifiedSignatureError: print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "refused\n"


def test_a_module_stands_in_while_the_block_lasts() -> None:
    with standing_in({"psreg_a": {"one": 1}, "sys": {"path": []}}):
        assert import_module("psreg_a").one == 1
        assert sys.path
    assert "psreg_a" not in sys.modules


def test_if_that_is_not_enough_nothing_stands_in() -> None:
    done = []
    with standing_in({"psreg_a": {}}):
        done.append(import_module("psreg_a").one)
    assert not done
    assert "psreg_a" not in sys.modules


def test_what_stands_in_refuses_every_signature() -> None:
    with pytest.raises(plain_signers._InvalidError):
        plain_signers._check(b"", b"", b"")


@pytest.mark.parametrize("name", sorted(plain_signers._SIGNERS))
def test_a_signer_is_loaded_when_it_is_asked_for(name: str) -> None:
    module = f"securesystemslib.signer.{plain_signers._SIGNERS[name]}"
    program = (
        "import sys, psreg.registry.trust.plain_signers\n"
        "from securesystemslib import signer\n"
        f"print({module!r} in sys.modules, signer.{name} is signer.{name})\n"
        f"print(signer.{name} is sys.modules[{module!r}].{name})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True", "True"]


def test_a_key_of_a_late_kind_is_read_as_that_kind() -> None:
    value = {"keytype": "rsa", "scheme": "pgp+rsa-pkcsv1.5", "keyval": {"public": {}}}
    key = signer.Key.from_dict("1" * 40, {**value, "method": "pgp+rsa-pkcsv1.5", "hashes": []})
    assert type(key) is signer.GPGKey


def test_what_the_package_does_not_have_is_an_error_as_usual() -> None:
    with pytest.raises(AttributeError, match="no attribute 'OtherSigner'"):
        signer.OtherSigner  # noqa: B018 - looking it up raises
