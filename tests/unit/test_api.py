"""The Python API: `psreg.load`, `psreg.api.check` and `psreg.api.review`."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

import psreg
from simulator import TEXT, Simulator
from support.clients import Client
from support.loopback import serving
from support.paths import PBES
from support.review_cases import base

LETTER = b"""[METADATA]
@dotprompt_format_version 0.0.1
@name Letter
[DEFAULTS]
@greeting Dear
[CONTENT]
{greeting} {first-name}, {{x}}
"""
RESERVED = b'{"pbe_name": "watch", "pbe_class": "persistent_service"}'


@pytest.fixture
def made() -> Simulator:
    made = (
        Simulator(mode="dev").release("quiz_master", "1.0.0").release("quiz_master", "2.0.0-rc.1")
    )
    made.release("letter", "1.2.0", LETTER, entry_class="prompt")
    made.release("watch", "0.1.0", RESERVED, entry_class="persistent_service")
    return made.publish()


@pytest.fixture
def registry(made: Simulator, tmp_path: Path) -> Path:
    return made.store(tmp_path / "registry")


@pytest.fixture
def client(tmp_path: Path, registry: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A person who has installed all prompts, and whose home this process has."""
    client = Client(tmp_path)
    monkeypatch.setenv("PSREG_HOME", str(client.home))
    for variable in ("PSREG_LIBRARY", "PSREG_REGISTRY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(client.place)
    done = client.run("install", "quiz_master", "letter", "watch", "--registry", registry)
    assert done.code == 0, done.err
    return client


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", connect)


@pytest.mark.usefixtures("client", "offline")
def test_an_installed_pbe_is_loaded() -> None:
    prompt = psreg.load("quiz_master@^1")
    assert (prompt.name, prompt.version, prompt.format) == ("quiz_master", "1.0.0", "pbe")
    assert prompt.text == prompt.render() == TEXT.decode()
    assert (prompt.data, prompt.sha256) == (TEXT, sha256(TEXT).hexdigest())
    assert prompt.metadata == {"pbe_name": "quiz_master", "pbe_version": "1.0.0"}
    assert prompt.variables == {}
    assert prompt.path.endswith("quiz_master.pbe.txt")
    assert repr(prompt) == "<psreg.Prompt quiz_master 1.0.0>"
    with pytest.raises(psreg.PsregError, match="has no variables") as caught:
        prompt.render(topic="bees")
    assert caught.value.code == "UNKNOWN_VARIABLE"


@pytest.mark.usefixtures("client", "offline")
def test_an_installed_prompt_is_filled_in() -> None:
    prompt = psreg.load("letter")
    assert prompt.variables == {"greeting": "Dear", "first-name": None}
    assert prompt.metadata["name"] == "Letter"
    assert prompt.text == "Dear {first-name}, {x}"
    assert prompt.render({"first-name": "Ana"}) == "Dear Ana, {x}"
    assert prompt.render({"first-name": "{greeting}"}, greeting="") == " {greeting}, {x}"


@pytest.mark.usefixtures("client")
def test_values_that_do_not_fit_are_refused() -> None:
    prompt = psreg.load("letter")
    with pytest.raises(psreg.PsregError, match="no value for `first-name`") as missing:
        prompt.render()
    assert missing.value.code == "MISSING_VALUES"
    with pytest.raises(psreg.PsregError, match="did you mean `greeting`") as unknown:
        prompt.render({"first-name": "Ana"}, greetin="Hi")
    assert unknown.value.code == "UNKNOWN_VARIABLE"
    with pytest.raises(TypeError, match="'greeting' is not a string: 3"):
        prompt.render({"first-name": "Ana"}, greeting=3)


@pytest.mark.usefixtures("client")
def test_what_nothing_executes_has_metadata_but_no_text() -> None:
    watch = psreg.load("watch")
    assert watch.metadata["pbe_class"] == "persistent_service"
    with pytest.raises(psreg.PsregError, match="a design document") as caught:
        watch.render()
    assert caught.value.code == "RESERVED_CLASS"


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("absent", "NOT_INSTALLED"),
        ("quiz_master@^9", "NOT_INSTALLED"),
        ("../quiz_master", "BAD_NAME"),
        ("quiz_master@banana", "BAD_RANGE"),
    ],
)
@pytest.mark.usefixtures("client", "offline")
def test_what_cannot_be_loaded_is_an_error_with_its_code(what: str, code: str) -> None:
    with pytest.raises(psreg.PsregError) as caught:
        psreg.load(what)
    assert caught.value.code == code


def test_one_appended_byte_is_refused(client: Client) -> None:
    path = client.library / "quiz_master/1.0.0/quiz_master.pbe.txt"
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(psreg.PsregError) as caught:
        psreg.load("quiz_master")
    assert (caught.value.code, caught.value.exit_code) == ("TRUST_DIGEST", 3)


def test_what_is_not_installed_is_fetched_only_when_asked(client: Client, registry: Path) -> None:
    client.run("uninstall", "quiz_master")
    before = client.library_content()
    with pytest.raises(psreg.PsregError, match="is not installed"):
        psreg.load("quiz_master")
    prompt = psreg.load("quiz_master", registry=str(registry))
    assert (prompt.name, prompt.version, prompt.data) == ("quiz_master", "1.0.0", TEXT)
    assert client.library_content() == before


def test_a_registry_behind_a_url_must_be_trusted(client: Client, made: Simulator) -> None:
    client.run("uninstall", "quiz_master")
    with serving(made.files) as server:
        with pytest.raises(psreg.PsregError) as caught:
            psreg.load("quiz_master", registry=server.url)
        assert caught.value.code == "TRUST_UNPINNED"
        client.trust(server.url, made.pin)
        assert psreg.load("quiz_master", registry=server.url).data == TEXT


def test_what_was_fetched_is_loaded_again_while_the_registry_is_away(
    client: Client, made: Simulator, caplog: pytest.LogCaptureFixture
) -> None:
    client.run("uninstall", "quiz_master")
    with serving(made.files) as server:
        client.trust(server.url, made.pin)
        psreg.load("quiz_master", registry=server.url)
        asked = len(server.asked)
        assert psreg.load("quiz_master", registry="main").data == TEXT
        assert not [path for path in server.asked[asked:] if path.endswith(".pbe.txt")]
    with caplog.at_level(logging.WARNING, "psreg"):
        assert psreg.load("quiz_master", registry=server.url).data == TEXT
    assert "answered as of" in caplog.text
    with pytest.raises(psreg.PsregError, match="is not kept on this machine") as caught:
        psreg.load("nothing", registry=server.url)
    assert caught.value.code == "NETWORK"


def test_the_policy_applies_to_what_is_fetched(client: Client, registry: Path) -> None:
    client.run("uninstall", "quiz_master")
    settings = client.home / "config/config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    for claimed_only in ("true", "false"):
        settings.write_text(f"[policy]\nclaimed_only = {claimed_only}\n")
        if claimed_only == "true":
            with pytest.raises(psreg.PsregError) as caught:
                psreg.load("quiz_master", registry=str(registry))
            assert (caught.value.code, caught.value.exit_code) == ("POLICY_REFUSED", 3)
    assert psreg.load("quiz_master", registry=str(registry)).data == TEXT


def test_warnings_are_logged(
    client: Client, made: Simulator, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    client.run("uninstall", "letter")
    made.records["letter"]["releases"][0]["yanked"] = "wrong greeting"
    place = made.publish().store(tmp_path / "yanked")
    with caplog.at_level(logging.WARNING, "psreg"):
        psreg.load("letter@=1.2.0", registry=str(place))
    assert "wrong greeting" in caplog.text


def test_a_file_is_loaded_by_its_path(tmp_path: Path) -> None:
    place = tmp_path / "letter.prompt"
    place.write_bytes(LETTER)
    prompt = psreg.load(place)
    assert (prompt.name, prompt.version) == (None, None)
    assert prompt.render({"first-name": "Ana"}) == "Dear Ana, {x}"
    assert repr(prompt) == f"<psreg.Prompt {place}>"
    (tmp_path / "note").write_text("hello")
    with pytest.raises(psreg.PsregError, match="neither a PBE nor") as caught:
        psreg.load(tmp_path / "note")
    assert caught.value.code == "UNKNOWN_FORMAT"


def test_files_and_folders_are_checked(tmp_path: Path) -> None:
    (tmp_path / "a.prompt").write_bytes(LETTER)
    (tmp_path / "b.pbe.txt").write_bytes(b"{")
    report = psreg.api.check(tmp_path, tmp_path / "b.pbe.txt")
    assert report.checked == 3
    assert report.failed()
    assert {each.path.rpartition("/")[2] for each in report.diagnostics} == {
        "a.prompt",
        "b.pbe.txt",
    }
    assert not psreg.api.check(tmp_path / "a.prompt", read=True).failed()
    assert not psreg.api.check(PBES / "prompt").failed(strict=True)
    with pytest.raises(psreg.PsregError, match="does not exist") as caught:
        psreg.api.check(tmp_path / "absent")
    assert caught.value.code == "NOT_FOUND"


def test_a_change_is_reviewed(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        author = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
        subprocess.run(["git", *author, *words], cwd=tmp_path, check=True, capture_output=True)

    for path, data in base().items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "start")
    git("checkout", "-q", "-b", "change")
    (tmp_path / "pbes/prompt/empty.txt").write_text("x")
    git("add", ".")
    git("commit", "-q", "-m", "change")
    found = psreg.api.review(tmp_path)
    assert found.verdict == "reject"
    assert found.reasons
    assert psreg.api.review(tmp_path, base="main", head="main", author_id=7).reasons == ()


def test_the_names_of_the_api_are_listed_and_no_others() -> None:
    assert {"load", "Prompt", "PsregError", "api"} <= set(dir(psreg))
    assert psreg.Prompt is psreg.api.Prompt
    with pytest.raises(AttributeError, match="no attribute 'lod'"):
        psreg.lod  # noqa: B018


def test_importing_psreg_imports_nothing_of_it() -> None:
    script = (
        "import sys; old = set(sys.modules); import psreg; print(sorted(set(sys.modules) - old))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = [name for name in eval(done.stdout) if name.startswith("psreg.")]
    assert loaded == []
