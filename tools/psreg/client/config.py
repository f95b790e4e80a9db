"""Settings: which registry is meant, and which registries this person trusts.

Three files, the later wins: the system's, the user's, the project's (`.psreg.toml` or
`psreg.toml`, found upwards). The system file may lock a key, which then nothing overrides.
A project file may choose a registry but never makes one trusted: it comes with a clone.

```toml
registry = "main"                  # a name below, a URL, or a path (relative to this file)
locked = ["registry"]              # only in the system's file

[registries.main]
url = "https://prompts.example.org"
root_sha256 = "…"                  # of registry/metadata/1.root.json
```
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psreg.core.errors import TrustError, UnavailableError, UsageError
from psreg.http.address import is_url, normal_location
from psreg.system.files import is_ours, read_named

PROJECT_FILES = (".psreg.toml", "psreg.toml")
LOCKABLE = ("registry", "registries")
_MAX_FILE = 256 * 1024
# Patterns are compiled where they are used: most runs use none of them.
_SHA256 = r"[0-9a-f]{64}"
_REMOTE_NAME = r"[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A registry that has a name: its location, its pin, and the file that says so."""

    name: str
    location: str
    root_sha256: str | None
    file: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The registry that is meant. `origin` says by whom: an option, a variable, a file.

    `root_sha256` is None where nobody pinned it; `suggested_sha256` is what a file that cannot
    make a registry trusted says it should be.
    """

    location: str
    origin: str
    root_sha256: str | None = None
    suggested_sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    path: Path
    text: str
    values: Mapping[str, Any]
    trusted: bool

    def fault(self, key: str, why: str) -> UsageError:
        """Return the error for a wrong value of `key`, with its line where it can be found."""
        pattern = re.compile(rf"^\s*\[?[\w.\"' -]*\b{re.escape(key)}\b", re.MULTILINE)
        match = pattern.search(self.text)
        line = self.text.count("\n", 0, match.end()) + 1 if match else 1
        return _invalid(self.path, line, f"'{key}' {why}")


class Settings:
    """All settings files, read; `warnings` are sentences about what was passed over in them."""

    def __init__(self, files: Iterable[_File], warnings: Iterable[str] = ()) -> None:
        self._files = tuple(files)
        self.warnings = tuple(warnings)
        self.locks: dict[str, _File] = {}
        for file in self._files[:1]:
            self.locks = dict.fromkeys(_strings(file, "locked"), file)

    @classmethod
    def load(cls, start: Path, *, system: Path, user: Path) -> Settings:
        """Read the files that matter to somebody working in `start`.

        Raises:
            UsageError: `CONFIG_INVALID`, with file and line.
            UnavailableError: a file is there but cannot be read.
        """
        warnings: list[str] = []
        project = _find_project(start, warnings)
        named = [(system, True), (user, True), *((path, False) for path in project)]
        files = [_read(path, trusted, warnings) for path, trusted in named]
        return cls(files, warnings)

    def remotes(self) -> tuple[Remote, ...]:
        """Return the named registries of the system's and the user's file, sorted by name."""
        return tuple(sorted(self._remotes(trusted=True).values(), key=lambda item: item.name))

    def default(self) -> Wanted | None:
        """Return the registry the files choose, or None.

        Raises:
            TrustError: `POLICY_LOCKED`: a file overrides what the system's file locks.
        """
        lock = self.locks.get("registry")
        chosen: Wanted | None = None
        for file in self._files:
            value = file.values.get("registry")
            if value is None:
                continue
            if not isinstance(value, str) or not value:
                raise file.fault("registry", "must be a name, a URL or a path")
            wanted = self.find(value, origin=str(file.path), start=file.path.parent)
            if lock not in (None, file) and chosen and wanted.location != chosen.location:
                raise _locked("registry", file.path, lock)
            chosen = wanted
        return chosen

    def wanted(self, value: str, *, origin: str, start: Path) -> Wanted:
        """Return the registry that the option or variable `origin` names as `value`.

        Raises:
            TrustError: `POLICY_LOCKED`: the system's file locks another one.
        """
        wanted = self.find(value, origin=origin, start=start)
        lock = self.locks.get("registry")
        if lock is not None:
            default = self.default()
            if default is None or default.location != wanted.location:
                raise _locked("registry", origin, lock)
        return wanted

    def check_lock(self, key: str, *, by: str) -> None:
        """Return if `key` may be changed. Raises TrustError POLICY_LOCKED."""
        if key in self.locks:
            raise _locked(key, by, self.locks[key])

    def find(self, value: str, *, origin: str, start: Path) -> Wanted:
        """Return the registry that `value` means: a name, else a URL, else a folder.

        Raises:
            UnavailableError: `UNKNOWN_REGISTRY`.
            UsageError, TrustError: it is no address of a registry (`normal_location`).
        """
        trusted, all_named = self._remotes(trusted=True), self._remotes(trusted=False)
        if value in all_named:
            remote = trusted.get(value, all_named[value])
            location = remote.location
        elif is_url(value):
            location = normal_location(value)
        else:
            location = normal_location(str(start / Path(value).expanduser()))
            if not Path(location).is_dir():
                known = ", ".join(sorted(all_named)) or "none"
                raise UnavailableError(
                    "UNKNOWN_REGISTRY",
                    f"{origin}: {value!r} is neither a registry that was added nor a folder",
                    f"registries: {known}; add one with 'psreg registry add URL'",
                )
        return Wanted(
            location=location,
            origin=origin,
            root_sha256=_pin(trusted.values(), location),
            suggested_sha256=_pin(all_named.values(), location),
        )

    def _remotes(self, *, trusted: bool) -> dict[str, Remote]:
        """Return name → remote; a name the system's file locks keeps its meaning."""
        result: dict[str, Remote] = {}
        for file in self._files:
            if trusted and not file.trusted:
                continue
            for name, table in _tables(file, "registries").items():
                remote = _remote(file, name, table)
                lock = self.locks.get("registries") or self.locks.get("registry")
                before = result.get(name)
                if lock not in (None, file) and before and before.location != remote.location:
                    raise _locked(f"registries.{name}", file.path, lock)
                result[name] = remote
        return result


def is_remote_name(text: str) -> bool:
    """Tell whether `text` may name a registry in the settings."""
    return re.fullmatch(_REMOTE_NAME, text) is not None


def is_sha256(text: str) -> bool:
    """Tell whether `text` is a SHA-256 in lower-case hexadecimal."""
    return re.fullmatch(_SHA256, text) is not None


def _read(path: Path, trusted: bool, warnings: list[str]) -> _File:
    if not path.is_file():
        return _File(path=path, text="", values={}, trusted=trusted)
    import tomllib  # noqa: PLC0415 - only who has settings pays for it

    data = read_named(path, _MAX_FILE)
    try:
        text = data.decode()
        values = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise _invalid(path, data.count(b"\n", 0, error.start) + 1, "is not UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        number = int(line[1]) if line else text.count("\n") + 1
        raise _invalid(path, number, str(error)) from error
    file = _File(path=path, text=text, values=values, trusted=trusted)
    known = ("registry", "registries", "locked")
    warnings += [f"{path}: unknown setting '{key}'" for key in values if key not in known]
    return file


def _find_project(start: Path, warnings: list[str]) -> list[Path]:
    start = start.absolute()
    for folder in (start, *start.parents):
        for path in (folder / name for name in PROJECT_FILES):
            if path.is_file() and is_ours(path):
                return [path]
            if path.is_file():
                warnings.append(f"{path} belongs to another user and is not used")
    return []


def _strings(file: _File, key: str) -> list[str]:
    value = file.values.get(key, [])
    if not isinstance(value, list) or not all(item in LOCKABLE for item in value):
        raise file.fault(key, f"must be a list of {' and '.join(LOCKABLE)}")
    return value


def _tables(file: _File, key: str) -> Mapping[str, Any]:
    value = file.values.get(key, {})
    if not isinstance(value, dict):
        raise file.fault(key, "must be a table")
    return value


def _remote(file: _File, name: str, table: Any) -> Remote:
    if not is_remote_name(name) or not isinstance(table, dict):
        raise file.fault(name, "must be a table with 'url' and 'root_sha256', in lower case")
    url, pin = table.get("url"), table.get("root_sha256")
    if not isinstance(url, str) or not url:
        raise file.fault(name, "has no 'url'")
    if pin is not None and not (isinstance(pin, str) and is_sha256(pin)):
        raise file.fault(name, "has a 'root_sha256' that is not 64 lower-case hexadecimal digits")
    location = url if is_url(url) else str(file.path.parent / Path(url).expanduser())
    try:
        location = normal_location(location)
    except UsageError as error:
        raise file.fault(name, error.message) from error
    return Remote(name=name, location=location, root_sha256=pin, file=file.path)


def _pin(remotes: Iterable[Remote], location: str) -> str | None:
    return next((r.root_sha256 for r in remotes if r.location == location), None)


def _locked(key: str, by: object, lock: _File | None) -> TrustError:
    where = lock.path if lock else ""
    return TrustError("POLICY_LOCKED", f"{by} sets '{key}', which {where} locks")


def _invalid(path: Path, line: int, why: str) -> UsageError:
    return UsageError("CONFIG_INVALID", f"{path}:{line}: {why}")
