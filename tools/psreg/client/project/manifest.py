"""The project file `psreg.toml`: which prompts a project uses, and where their files go.

The same file holds settings (`client.config`), whose keys are allowed here and read there. It comes
with a clone: it is read as the input of a stranger, and can only choose among trusted registries.

```toml
folder = "prompts"                    # where the files go; this is the default

[prompts]
quiz_master = "^1.2"
glossary = {version = "~2.0.1", registry = "work"}

[[targets]]                           # what `psreg sync` exports
target = "claude-command"
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from psreg.core.dataclass import dataclass
from psreg.core.errors import UsageError
from psreg.core.identity import is_name, normal_name
from psreg.core.spelling import did_you_mean
from psreg.core.version import Range
from psreg.formats.json.pointer import join
from psreg.formats.toml_document import parse

NAME = "psreg.toml"
DEFAULT_FOLDER = "prompts"
SETTINGS = ("registry", "registries", "require_claimed")
"""The keys of a project file that `client.config` reads."""

KEYS = ("prompts", "folder", "targets", "policy", *SETTINGS)
_OF_A_PROMPT = ("version", "registry")
_OF_A_TARGET = ("target", "folder", "prompts")
_MOST = 10_000
"""The prompts that one project may list."""

_RESERVED = frozenset({"con", "prn", "aux", "nul"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A prompt that the project asks for. `registry` is as written, None for the usual one.

    `origin` is where that is written: `psreg.toml:4`.
    """

    name: str
    range: Range
    registry: str | None = None
    origin: str = NAME


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportTarget:
    """Exports that `psreg sync` keeps current, in `folder`; without `prompts`, of all of them.

    `target` is one of `client.exports.targets.NAMES`, and `origin` is where the table begins.
    """

    target: str
    folder: PurePosixPath
    prompts: tuple[str, ...] = ()
    origin: str = NAME


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a project file says. Folders are relative to it, and inside of its folder."""

    prompts: Mapping[str, Wanted]
    folder: PurePosixPath = PurePosixPath(DEFAULT_FOLDER)
    targets: tuple[ExportTarget, ...] = ()

    @classmethod
    def read(cls, data: bytes, path: str = NAME) -> Manifest:
        """Read a project file; `path` is how messages call it.

        Raises:
            UsageError: `CONFIG_INVALID`, with the line.
        """
        return _Reader(data, path).manifest()


class _Reader:
    def __init__(self, data: bytes, path: str) -> None:
        self._tree, self._path = parse(data), path

    def manifest(self) -> Manifest:
        """Return what the file says. Raises as `Manifest.read`."""
        if not self._tree.parsed:
            issue = self._tree.issues[0]
            raise self._invalid(self._line_of(issue.span.start), issue.message)
        value: Mapping[str, Any] = self._tree.value
        self._check_keys(value, (), KEYS)
        prompts = value.get("prompts", {})
        if not isinstance(prompts, dict):
            raise self._fault(("prompts",), 'must be a table: `name = "^1.2"`')
        if len(prompts) > _MOST:
            raise self._fault(
                ("prompts",), f"lists {len(prompts):,} prompts; the limit is {_MOST:,}"
            )
        return Manifest(
            prompts={name: self._wanted(name, prompts[name]) for name in sorted(prompts)},
            folder=self._folder(value.get("folder", DEFAULT_FOLDER), ("folder",)),
            targets=tuple(self._targets(value.get("targets", []), prompts)),
        )

    def _targets(self, tables: Any, known: Mapping[str, Any]) -> Iterator[ExportTarget]:
        if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
            raise self._fault(("targets",), "must be tables: `[[targets]]`")
        for number, table in enumerate(tables):
            yield self._target(table, ("targets", str(number)), known)

    def _target(
        self, table: Mapping[str, Any], at: tuple[str, ...], known: Mapping[str, Any]
    ) -> ExportTarget:
        # NOTE: few projects have targets, and these modules are many.
        from psreg.client.exports.targets import NAMES, target_of  # noqa: PLC0415

        self._check_keys(table, at, _OF_A_TARGET)
        name, names = table.get("target"), table.get("prompts", [])
        if name not in NAMES:
            hint = did_you_mean(str(name), NAMES)
            raise self._fault((*at, "target"), "must be a target of `psreg export`", hint)
        if not isinstance(names, list) or any(each not in [*known] for each in names):
            raise self._fault((*at, "prompts"), "must be a list of names in `[prompts]`")
        folder = table.get("folder", target_of(name).folder)
        here = PurePosixPath()
        return ExportTarget(
            target=name,
            folder=here if folder == "." else self._folder(folder, (*at, "folder")),
            prompts=tuple(names),
            origin=f"{self._path}:{self._line(at)}",
        )

    def _wanted(self, name: str, value: Any) -> Wanted:
        at = ("prompts", name)
        if not is_name(name):
            near = normal_name(name)
            hint = f"Write `{near}`." if is_name(near) else ""
            raise self._fault(at, "is not a valid name", hint)
        table = {"version": value} if isinstance(value, str) else value
        if not isinstance(table, dict):
            raise self._fault(at, 'must be a range such as "^1.2", or a table with `version`')
        self._check_keys(table, at, _OF_A_PROMPT)
        text, registry = table.get("version"), table.get("registry")
        if not isinstance(text, str):
            raise self._fault(at, 'needs `version`, a range such as "^1.2"')
        if registry is not None and (not isinstance(registry, str) or not registry):
            raise self._fault((*at, "registry"), "must be a name, a URL or a path")
        try:
            wanted = Range.parse(text.strip())
        except ValueError as error:
            raise self._fault(at, f"has no valid range: {error}") from error
        return Wanted(
            name=name, range=wanted, registry=registry, origin=f"{self._path}:{self._line(at)}"
        )

    def _folder(self, value: Any, at: tuple[str, ...]) -> PurePosixPath:
        fault = self._fault(at, 'must be a folder inside of the project, such as "prompts"')
        if not isinstance(value, str) or not value.isprintable() or set(value) & set('\\:*?"<>|'):
            raise fault
        path = PurePosixPath(value)
        parts = path.parts
        if path.is_absolute() or ".." in parts or not parts or any(map(_is_awkward, parts)):
            raise fault
        return path

    def _check_keys(
        self, table: Mapping[str, Any], at: tuple[str, ...], known: tuple[str, ...]
    ) -> None:
        for key in table:
            if key not in known:
                raise self._fault((*at, key), "is unknown", did_you_mean(key, known))

    def _fault(self, at: tuple[str, ...], why: str, hint: str = "") -> UsageError:
        return self._invalid(self._line(at), f"`{'.'.join(at)}` {why}", hint)

    def _line(self, at: tuple[str, ...]) -> int:
        return self._line_of(self._tree.key_span(join(at)).start)

    def _line_of(self, offset: int) -> int:
        return self._tree.text.count("\n", 0, offset) + 1

    def _invalid(self, line: int, why: str, hint: str = "") -> UsageError:
        return UsageError("CONFIG_INVALID", f"{self._path}:{line}: {why}", hint)


def _is_awkward(part: str) -> bool:
    """Return whether a system has no folder of this name, or another one of it."""
    stem = part.partition(".")[0].casefold()
    return part.endswith((".", " ")) or stem in _RESERVED or part.casefold() == ".git"
