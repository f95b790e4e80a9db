"""Installed prompts for programs that speak the Model Context Protocol, with its official SDK.

Every answer reads the library again and compares the file with its receipt: a file that was
changed, or a release that was revoked, is not listed and not sent. Clients are told when the list
changes.
"""

from __future__ import annotations

import hashlib
import json
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any

from psreg.client.exports.exported import Exported, exported
from psreg.client.library import Receipt, installed_artifact, user_library
from psreg.core.errors import PsregError, UnavailableError, UsageError
from psreg.system.extras import extra

HOST = "127.0.0.1"
PATH = "/mcp"
_SCHEME = "psreg://prompts/"
_EVERY = 1.0
"""Seconds between two looks at the library."""

_MOST_SESSIONS = 100

Notify = Callable[[str], None]


class PromptServer:
    """The server; `notify` is told of what is left out."""

    def __init__(self, version: str, notify: Notify) -> None:
        with extra("mcp"):
            from mcp import types  # noqa: PLC0415 - an extra
            from mcp.server.lowlevel import Server  # noqa: PLC0415
            from mcp.server.subscriptions import (  # noqa: PLC0415
                InMemorySubscriptionBus,
                ListenHandler,
            )
        self._types: Any = types
        self._notify = notify
        self._told: set[str] = set()
        self._sessions: dict[int, Any] = {}
        self._bus = InMemorySubscriptionBus()
        self._server = Server(
            "psreg",
            version=version,
            title="psreg",
            instructions="Prompts that this machine has installed from a psreg registry.",
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_list_resources=self._list_resources,
            on_read_resource=self._read_resource,
            on_subscriptions_listen=ListenHandler(self._bus),
        )

    def serve_stdio(self) -> None:
        """Serve one client on standard input and output, until it closes them."""
        import anyio  # noqa: PLC0415 - as the SDK

        anyio.run(self._stdio)

    def serve_http(self, port: int, ready: Callable[[str], None]) -> None:
        """Serve clients over streamable HTTP on this machine; `ready` is told the address.

        Requests whose `Host` or `Origin` is not this machine are refused. It ends with Ctrl-C.

        Raises:
            UnavailableError: `PORT_BUSY`.
        """
        import anyio  # noqa: PLC0415 - as the SDK

        try:
            listener = socket.create_server((HOST, port))
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            message = f"cannot listen on {HOST}:{port}: {why}"
            hint = "Choose another port with --port."
            raise UnavailableError("PORT_BUSY", message, hint) from error
        with listener:
            ready(f"http://{HOST}:{listener.getsockname()[1]}{PATH}")
            anyio.run(self._http, listener)

    async def _stdio(self) -> None:
        from mcp.server.lowlevel import NotificationOptions  # noqa: PLC0415 - an extra
        from mcp.server.stdio import stdio_server  # noqa: PLC0415

        changes = NotificationOptions(prompts_changed=True, resources_changed=True)
        options = self._server.create_initialization_options(changes)

        async def serve() -> None:
            async with stdio_server() as (reading, writing):
                await self._server.run(reading, writing, options)

        await self._watching(serve)

    async def _http(self, listener: socket.socket) -> None:
        import uvicorn  # noqa: PLC0415 - an extra

        app = self._server.streamable_http_app(streamable_http_path=PATH, host=HOST)
        server = uvicorn.Server(
            uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, lifespan="on")
        )

        async def serve() -> None:
            await server.serve(sockets=[listener])

        await self._watching(serve)

    async def _watching(self, serve: Callable[[], Awaitable[None]]) -> None:
        """Serve, and tell the clients when the library changes."""
        import anyio  # noqa: PLC0415 - as the SDK

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watch)
            await serve()
            tasks.cancel_scope.cancel()

    async def _watch(self) -> None:
        import anyio  # noqa: PLC0415 - as the SDK

        before = _state()
        while True:
            await anyio.sleep(_EVERY)
            now = _state()
            if now != before:
                before = now
                await self._tell_of_changes()

    async def _tell_of_changes(self) -> None:
        from mcp.shared.subscriptions import (  # noqa: PLC0415 - an extra
            PromptsListChanged,
            ResourcesListChanged,
        )

        await self._bus.publish(PromptsListChanged())
        await self._bus.publish(ResourcesListChanged())
        for key, session in [*self._sessions.items()]:
            try:
                await session.send_prompt_list_changed()
                await session.send_resource_list_changed()
            except Exception:  # noqa: BLE001 - whatever the SDK says, this client has gone
                del self._sessions[key]

    def _remember(self, context: Any) -> None:
        """Remember a client that does not subscribe, as those before the protocol of 2026 do."""
        while len(self._sessions) >= _MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[id(context.session.client_params)] = context.session

    async def _list_prompts(self, context: Any, _: Any) -> Any:
        self._remember(context)
        prompts = []
        for receipt in user_library().receipts():
            with suppress(_LeftOutError):
                prompt = self._installed(receipt)
                arguments = [
                    self._types.PromptArgument(
                        name=each.name,
                        description=f"default: {each.default}" if each.default else None,
                        required=each.default is None,
                    )
                    for each in prompt.variables
                ]
                prompts.append(
                    self._types.Prompt(
                        name=prompt.name,
                        title=f"{prompt.name} {prompt.version}",
                        description=prompt.description,
                        arguments=arguments,
                    )
                )
        return self._types.ListPromptsResult(prompts=prompts)

    def _installed(self, receipt: Receipt) -> Exported:
        """Return an installed prompt.

        Raises:
            _LeftOutError: it cannot be used; that is told once.
        """
        name = receipt.release.name
        try:
            prompt = _read(name, {})
        except PsregError as error:
            if error.message not in self._told:
                self._told.add(error.message)
                self._notify(f"`{name}` is left out: {error.message}")
            raise _LeftOutError from error
        return prompt

    async def _get_prompt(self, _: Any, params: Any) -> Any:
        try:
            prompt = _read(params.name, params.arguments or {})
            text = prompt.final()
        except PsregError as error:
            raise self._refusal(error) from error
        message = self._types.PromptMessage(
            role="user", content=self._types.TextContent(type="text", text=text)
        )
        return self._types.GetPromptResult(description=prompt.description, messages=[message])

    async def _list_resources(self, context: Any, _: Any) -> Any:
        self._remember(context)
        library = user_library()
        resources = []
        for receipt in library.receipts():
            if library.drift(receipt) or library.withdrawal(receipt):
                continue
            name, version = receipt.release.name, receipt.release.version
            rows = (
                (f"{_SCHEME}{name}", f"{name} {version}", "text/plain", receipt.size),
                (f"{_SCHEME}{name}/receipt", f"receipt of {name}", "application/json", None),
            )
            resources += [
                self._types.Resource(uri=uri, name=title, mime_type=kind, size=size)
                for uri, title, kind, size in rows
            ]
        return self._types.ListResourcesResult(resources=resources)

    async def _read_resource(self, _: Any, params: Any) -> Any:
        uri = str(params.uri)
        name, _slash, part = uri.removeprefix(_SCHEME).partition("/")
        try:
            if not uri.startswith(_SCHEME) or part not in ("", "receipt"):
                raise UsageError("USAGE", f"unknown resource `{uri}`")
            _path, data = installed_artifact(name)
            receipt = user_library().receipt(name)
        except PsregError as error:
            raise self._refusal(error) from error
        kind = "text/plain"
        text = data.decode("utf-8", "replace")
        if part and receipt:
            kind, text = "application/json", json.dumps(receipt.to_json(), ensure_ascii=False)
        content = self._types.TextResourceContents(uri=uri, mime_type=kind, text=text)
        return self._types.ReadResourceResult(contents=[content])

    def _refusal(self, error: PsregError) -> Exception:
        """Return an error of psreg as one of the protocol, with its code as data."""
        from mcp.shared.exceptions import MCPError  # noqa: PLC0415 - an extra

        message = f"{error.message} ({error.hint})" if error.hint else error.message
        found: Exception = MCPError(
            self._types.INVALID_PARAMS, f"{error.code}: {message}", {"code": error.code}
        )
        return found


class _LeftOutError(Exception):
    """A prompt that is installed cannot be used."""


def _read(name: str, values: dict[str, str]) -> Exported:
    """Return an installed prompt, filled in. Raises as `installed_artifact` and `exported`."""
    path, data = installed_artifact(name)
    return exported(
        data,
        PurePosixPath(path).name,
        name=path.parent.parent.name,
        version=path.parent.name,
        sha256=hashlib.sha256(data).hexdigest(),
        values=values,
    )


def _state() -> tuple[Any, ...]:
    """Return what changes when the list does: the receipts, and when their files were written."""
    return tuple(_rows())


def _rows() -> Iterator[tuple[str, str, str, int]]:
    library = user_library()
    for receipt in library.receipts():
        release, written = receipt.release, 0
        with suppress(OSError):
            written = library.path(receipt).lstat().st_mtime_ns
        yield release.name, release.version, receipt.sha256, written
