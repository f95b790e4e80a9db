"""Prompts for programs that speak the Model Context Protocol, with its official SDK.

Every answer reads them again and compares each file with its receipt, or with the lock: a file that
was changed, or a release that was revoked, is not listed and not sent. Clients are told when the
list changes.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from psreg.client.exports.exported import Exported, exported
from psreg.client.exports.offered import Offered
from psreg.client.render import quoted
from psreg.core.errors import FindingsError, PsregError, UnavailableError, UsageError
from psreg.formats.conversation.prompt_messages import ASSISTANT, USER
from psreg.system.extras import extra

HOST = "127.0.0.1"
PATH = "/mcp"
_SCHEME = "psreg://prompts/"
_EVERY = 1.0
"""Seconds between two looks at the library."""

_MOST_SESSIONS = 100

Notify = Callable[[str], None]

Offers = Callable[[], Sequence[Offered]]
"""Returns the prompts there are now, by name."""


class PromptServer:
    """The server of the prompts that `offers` returns; `notify` is told of what is left out."""

    def __init__(self, version: str, offers: Offers, notify: Notify) -> None:
        with extra("mcp"):
            from mcp import types  # noqa: PLC0415 - an extra
            from mcp.server.lowlevel import Server  # noqa: PLC0415
            from mcp.server.subscriptions import (  # noqa: PLC0415
                InMemorySubscriptionBus,
                ListenHandler,
            )
        self._types: Any = types
        self._offers = offers
        self._notify = notify
        self._told: set[str] = set()
        self._sessions: dict[int, Any] = {}
        self._bus = InMemorySubscriptionBus()
        self._server = Server(
            "psreg",
            version=version,
            title="psreg",
            instructions="Prompts of psreg registries: those of this project, and installed ones.",
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

        before = self._state()
        while True:
            await anyio.sleep(_EVERY)
            now = self._state()
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
        for offer in self._offered():
            with suppress(_LeftOutError):
                prompt = self._usable(offer)
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

    def _offered(self) -> Sequence[Offered]:
        try:
            return self._offers()
        except PsregError as error:
            raise self._refusal(error) from error

    def _named(self, name: str) -> Offered:
        """Return the prompt with a name. Raises UnavailableError `NOT_INSTALLED`."""
        for offer in self._offers():
            if offer.name == name:
                return offer
        raise UnavailableError(
            "NOT_INSTALLED", f"`{name}` is not installed", "`psreg install NAME` installs prompts."
        )

    def _usable(self, offer: Offered) -> Exported:
        """Return a prompt.

        Raises:
            _LeftOutError: it cannot be used; that is told once.
        """
        try:
            return _filled(offer, {})
        except PsregError as error:
            if error.message not in self._told:
                self._told.add(error.message)
                self._notify(f"`{offer.name}` is left out: {error.message}")
            raise _LeftOutError from error

    async def _get_prompt(self, _: Any, params: Any) -> Any:
        try:
            prompt = _filled(self._named(params.name), params.arguments or {})
            said = _final(prompt)
        except PsregError as error:
            raise self._refusal(error) from error
        messages = [
            self._types.PromptMessage(
                role=role, content=self._types.TextContent(type="text", text=text)
            )
            for role, text in said
        ]
        return self._types.GetPromptResult(description=prompt.description, messages=messages)

    async def _list_resources(self, context: Any, _: Any) -> Any:
        self._remember(context)
        resources = []
        for offer in self._offered():
            with suppress(PsregError):
                offer.read()
                name, title = offer.name, f"{offer.name} {offer.version}"
                rows = (
                    (f"{_SCHEME}{name}", title, "text/plain", offer.size),
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
            offer = self._named(name)
            data = offer.read()
        except PsregError as error:
            raise self._refusal(error) from error
        kind, text = "text/plain", data.decode("utf-8", "replace")
        if part:
            kind, text = "application/json", json.dumps({**offer.entry}, ensure_ascii=False)
        content = self._types.TextResourceContents(uri=uri, mime_type=kind, text=text)
        return self._types.ReadResourceResult(contents=[content])

    def _state(self) -> tuple[Any, ...]:
        """Return what changes when the list does: the releases, and when files were written."""
        try:
            return tuple(_rows(self._offers()))
        except PsregError as error:
            return (error.message,)

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


def _filled(offer: Offered, values: dict[str, str]) -> Exported:
    """Return a prompt, filled in. Raises as `Offered.read` and `exported`."""
    return exported(
        offer.read(),
        str(offer.path),
        name=offer.name,
        version=offer.version,
        sha256=offer.sha256,
        values=values,
    )


def _final(prompt: Exported) -> Sequence[tuple[str, str]]:
    """Return role and text of each message; one of the user where the protocol lacks a role.

    Raises:
        FindingsError: `MISSING_VALUES`.
    """
    missing = [each.name for each in prompt.variables if each.default is None]
    if missing:
        told = f"no value for {quoted(missing)} of {prompt.name}"
        raise FindingsError("MISSING_VALUES", told, "Pass each as an argument.")
    if all(each.role in (USER, ASSISTANT) for each in prompt.messages):
        return prompt.final_messages()
    return [(USER, prompt.final())]


def _rows(offers: Sequence[Offered]) -> Iterator[tuple[str, str, str, int]]:
    for offer in offers:
        written = 0
        with suppress(OSError):
            written = offer.path.lstat().st_mtime_ns
        yield offer.name, offer.version, offer.sha256, written
