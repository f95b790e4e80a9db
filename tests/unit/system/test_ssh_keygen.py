"""Signing with the real ssh-keygen."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from psreg.core.errors import UnavailableError
from psreg.registry.trust.ssh_signature import SshSignature
from psreg.system.ssh_keygen import public_key, public_keys, sign
from support.owners import ANA, BEN, Agent


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A folder like `~/.ssh`, with two keys and other things."""
    for name, owner in (("id_ed25519", ANA), ("work", BEN)):
        (tmp_path / name).write_bytes(owner.private_file)
        (tmp_path / name).chmod(0o600)
        (tmp_path / f"{name}.pub").write_text(f"{owner.line}\n")
    (tmp_path / "known_hosts").write_text("a host\n")
    (tmp_path / "folder.pub").mkdir()
    return tmp_path


@pytest.mark.parametrize("name", ["id_ed25519", "id_ed25519.pub"])
def test_a_key_signs(keys: Path, name: str) -> None:
    shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    armoured = sign(b"what is signed", "release@psreg", keys / name)
    assert armoured == ANA.sign(b"what is signed")
    signature = SshSignature.parse(armoured)
    assert signature.check(b"what is signed", "release@psreg", {signature.key}) == signature.key


def test_a_key_that_cannot_sign(keys: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    with pytest.raises(UnavailableError) as caught:
        sign(b"", "release@psreg", keys / "known_hosts")
    assert caught.value.code == "CANNOT_SIGN"
    assert str(keys / "known_hosts") in str(caught.value)
    assert capfd.readouterr().err


def test_a_machine_without_openssh(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(keys))
    with pytest.raises(UnavailableError) as caught:
        sign(b"", "release@psreg", keys / "id_ed25519")
    assert caught.value.code == "NO_SSH"


def test_the_public_keys_of_a_folder(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    files = [(ANA.line, keys / "id_ed25519.pub"), (BEN.line, keys / "work.pub")]
    assert [*public_keys(keys)] == files
    assert [*public_keys(keys / "absent")] == []
    monkeypatch.setenv("PATH", str(keys))
    assert [*public_keys(keys)] == files


def test_a_key_of_an_agent_signs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.which("ssh-agent") or pytest.skip("OpenSSH is not installed")
    with Agent.running(tmp_path) as agent:
        monkeypatch.setenv("SSH_AUTH_SOCK", agent.socket)
        agent.add(ANA)
        ((line, source),) = public_keys(tmp_path)
        assert source == line
        assert line.split()[:2] == ANA.line.split()[:2]
        assert sign(b"x", "release@psreg", ANA.line) == ANA.sign(b"x")
        with pytest.raises(UnavailableError, match="with a key of the agent"):
            sign(b"x", "release@psreg", BEN.line)


def test_the_public_key_beside_a_private_one(keys: Path) -> None:
    assert public_key(keys / "work") == public_key(keys / "work.pub") == BEN.line
    assert public_key(keys / "known_hosts") == ""
