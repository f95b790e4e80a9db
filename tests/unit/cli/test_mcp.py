"""`psreg mcp`, as the client of the official SDK sees it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest
from mcp import types
from mcp.client.client import Client as McpClient
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from simulator import TEXT, Simulator
from support.clients import Client

LETTER = b"""[METADATA]
@dotprompt_format_version 0.0.1
@description Writes a letter.
[DEFAULTS]
@greeting Dear
[CONTENT]
{greeting} {name}, {{x}}
"""
CHAT = LETTER.replace(b"\n[DEFAULTS]", b"\n@messages user, assistant\n[DEFAULTS]").replace(
    b"{greeting}", b"user:\n{greeting}"
)
CHAT = CHAT.rstrip() + b"\n\nassistant:\nThank you.\n"
TOLD = CHAT.replace(b"user, ", b"system, ").replace(b"user:", b"system:")
RESERVED = b'{"pbe_name": "watch", "pbe_class": "persistent_service"}'
COMMAND = (sys.executable, "-m", "psreg", "mcp")
SECONDS = 60
"""After so long a test is given up."""


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    made = Simulator(mode="dev").release("quiz_master", "1.0.0")
    made.release("letter", "1.2.0", LETTER, entry_class="prompt")
    made.release("watch", "0.1.0", RESERVED, entry_class="persistent_service")
    return made.publish().store(tmp_path / "registry")


@pytest.fixture
def client(tmp_path: Path, registry: Path) -> Client:
    client = Client(tmp_path)
    done = client.run("install", "quiz_master", "letter", "watch", "--registry", registry)
    assert done.code == 0
    return client


def environment(client: Client) -> dict[str, str]:
    return {"PSREG_HOME": str(client.home), "PATH": os.environ["PATH"]}


def over_stdio(client: Client, **settings) -> McpClient:
    server = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:]], env=environment(client), cwd=client.place
    )
    return McpClient(server, **settings)


@contextmanager
def serving(client: Client) -> Iterator[str]:
    """Run the HTTP server; yield its address."""
    process = subprocess.Popen(
        [*COMMAND, "--http", "--port", "0", "--format", "json"],
        env=environment(client),
        cwd=client.place,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        said = ""
        while "}" not in said:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            said += line
        try:
            yield json.loads(said)["url"]
        finally:
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=SECONDS)
            assert process.returncode == 0, err
            assert "Traceback" not in err


async def chats(client: Client) -> None:
    """Get the messages of two chats, of which one has a role that the protocol lacks."""
    async with over_stdio(client) as mcp:
        got = await mcp.get_prompt("chat", {"name": "Ana"})
        assert [(each.role, each.content.text) for each in got.messages] == [
            ("user", "Dear Ana, {x}"),
            ("assistant", "Thank you."),
        ]
        (message,) = (await mcp.get_prompt("told", {"name": "Ana"})).messages
        said = "system:\nDear Ana, {x}\n\nassistant:\nThank you."
        assert (message.role, message.content.text) == ("user", said)


def test_a_chat_is_several_messages(tmp_path: Path) -> None:
    made = Simulator(mode="dev").release("chat", "1.0.0", CHAT, entry_class="prompt")
    made.release("told", "1.0.0", TOLD, entry_class="prompt")
    client = Client(tmp_path)
    registry = made.publish().store(tmp_path / "registry")
    assert client.run("install", "chat", "told", "--registry", registry).code == 0
    run(chats, client)


def run(journey, *arguments):
    async def limited():
        with anyio.fail_after(SECONDS):
            await journey(*arguments)

    anyio.run(limited)


async def use(mcp: McpClient) -> None:
    """List and get prompts, and read resources."""
    letter, quiz = (await mcp.list_prompts()).prompts
    assert (letter.name, letter.title, letter.description) == (
        "letter",
        "letter 1.2.0",
        "Writes a letter.",
    )
    assert [(each.name, each.required, each.description) for each in letter.arguments] == [
        ("greeting", False, "default: Dear"),
        ("name", True, None),
    ]
    assert (quiz.name, quiz.arguments) == ("quiz_master", [])
    got = await mcp.get_prompt("letter", {"name": "{{Ana}}"})
    (message,) = got.messages
    assert (message.role, message.content.text) == ("user", "Dear {{Ana}}, {x}")
    for values, code in (({}, "MISSING_VALUES"), ({"nam": "Ana"}, "UNKNOWN_VARIABLE")):
        with pytest.raises(MCPError, match=code) as caught:
            await mcp.get_prompt("letter", values)
        assert caught.value.error.data == {"code": code}
        assert "--set" not in caught.value.error.message
    with pytest.raises(MCPError, match="RESERVED_CLASS") as caught:
        await mcp.get_prompt("watch")
    assert re.search(r"`psreg show /.*/watch/0.1.0/watch.pbe.txt`", caught.value.error.message)
    with pytest.raises(MCPError, match="NOT_INSTALLED"):
        await mcp.get_prompt("absent")
    uris = [str(each.uri) for each in (await mcp.list_resources()).resources]
    assert "psreg://prompts/watch" in uris
    assert "psreg://prompts/letter/receipt" in uris
    (artifact,) = (await mcp.read_resource("psreg://prompts/quiz_master")).contents
    assert artifact.text == TEXT.decode()
    (receipt,) = (await mcp.read_resource("psreg://prompts/letter/receipt")).contents
    assert json.loads(receipt.text)["version"] == "1.2.0"
    for uri in ("psreg://prompts/letter/x", "file:///etc/passwd", "psreg://prompts/../x"):
        with pytest.raises(MCPError):
            await mcp.read_resource(uri)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_prompts_over_standard_streams(client: Client, mode: str) -> None:
    async def journey():
        async with over_stdio(client, mode=mode) as mcp:
            await use(mcp)

    run(journey)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_prompts_over_http(client: Client, mode: str) -> None:
    async def journey(url):
        async with McpClient(url, mode=mode) as mcp:
            await use(mcp)

    with serving(client) as url:
        run(journey, url)


def test_a_file_that_was_changed_is_not_listed_and_not_sent(client: Client) -> None:
    async def journey():
        async with over_stdio(client) as mcp:
            assert len((await mcp.list_prompts()).prompts) == 2
            path = client.library / "letter/1.2.0/letter.prompt"
            path.write_bytes(path.read_bytes() + b"\n")
            assert [each.name for each in (await mcp.list_prompts()).prompts] == ["quiz_master"]
            with pytest.raises(MCPError, match="TRUST_DIGEST"):
                await mcp.get_prompt("letter", {"name": "Ana"})
            for part in ("", "/receipt"):
                with pytest.raises(MCPError, match="TRUST_DIGEST"):
                    await mcp.read_resource(f"psreg://prompts/letter{part}")

    run(journey)


def test_a_project_offers_what_it_locks(client: Client, registry: Path) -> None:
    assert client.run("registry", "add", registry, "--name", "main").code == 0
    assert client.run("add", "letter").code == 0
    assert client.run("uninstall", "letter").code == 0
    lock, file = client.place / "psreg.lock", client.place / "prompts/letter.prompt"

    async def journey():
        async with over_stdio(client) as mcp:
            assert names(await mcp.list_prompts()) == ["letter", "quiz_master"]
            got = await mcp.get_prompt("letter", {"name": "Ana"})
            assert got.messages[0].content.text == "Dear Ana, {x}"
            (entry,) = (await mcp.read_resource("psreg://prompts/letter/receipt")).contents
            found = json.loads(entry.text)
            assert (found["name"], found["version"], "statement" in found) == (
                "letter", "1.2.0", True,
            )  # fmt: skip
            file.write_bytes(file.read_bytes() + b"\n")
            assert names(await mcp.list_prompts()) == ["quiz_master"]
            listed = [str(each.uri) for each in (await mcp.list_resources()).resources]
            assert "psreg://prompts/letter" not in listed
            for ask in (
                mcp.get_prompt("letter", {"name": "Ana"}),
                mcp.read_resource("psreg://prompts/letter"),
            ):
                with pytest.raises(MCPError, match="TRUST_DIGEST"):
                    await ask
            lock.write_text("{")
            for ask in (mcp.list_prompts(), mcp.list_resources(), mcp.get_prompt("letter")):
                with pytest.raises(MCPError, match="LOCK_INVALID"):
                    await ask
            await anyio.sleep(1.5)  # the watch has read it, too
            lock.unlink()
            assert names(await mcp.list_prompts()) == ["quiz_master"]

    run(journey)


def names(listed) -> list[str]:
    return [each.name for each in listed.prompts]


def test_a_client_is_told_when_the_list_changes(client: Client) -> None:
    told = anyio.Event()

    async def heard(message) -> None:
        if isinstance(message, types.PromptListChangedNotification):
            told.set()

    async def journey():
        async with over_stdio(client, mode="legacy", message_handler=heard) as mcp:
            assert len((await mcp.list_prompts()).prompts) == 2
            await anyio.to_thread.run_sync(lambda: client.run("uninstall", "letter"))
            await told.wait()
            assert len((await mcp.list_prompts()).prompts) == 1

    run(journey)


def test_a_client_that_subscribes_is_told_when_the_list_changes(client: Client) -> None:
    async def journey(url):
        async with (
            McpClient(url) as mcp,
            mcp.listen(prompts_list_changed=True) as changes,
        ):
            await anyio.to_thread.run_sync(lambda: client.run("uninstall", "letter"))
            async for _ in changes:
                break
            assert len((await mcp.list_prompts()).prompts) == 1

    with serving(client) as url:
        run(journey, url)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
    ],
)
def test_a_page_of_another_site_gets_nothing(client: Client, headers, status) -> None:
    ask = {"jsonrpc": "2.0", "id": 1, "method": "prompts/list", "params": {}}
    accept = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    with serving(client) as url:
        place = urlsplit(url)
        connection = HTTPConnection(place.hostname, place.port, timeout=SECONDS)
        connection.request("POST", place.path, json.dumps(ask), {**accept, **headers})
        answer = connection.getresponse()
        assert answer.status == status
        assert b"letter" not in answer.read()
        connection.close()


def test_a_busy_port_is_told(client: Client) -> None:
    with serving(client) as url:
        done = client.run("mcp", "--http", "--port", urlsplit(url).port)
    assert (done.code, "PORT_BUSY" in done.err) == (4, True)


def test_standard_output_belongs_to_the_protocol(client: Client) -> None:
    assert client.refused("mcp") == (2, "USAGE")
