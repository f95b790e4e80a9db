"""Settings: the registry to use, and the registries that the user trusts.

There are three files, and later ones win: the system's, the user's and the project's
(`.psreg.toml` or `psreg.toml` in this folder or the nearest one above). The system file may lock a
key; then nothing overrides it. A project file may select a registry but never makes one trusted,
not even a folder: it comes with a clone. `client.settings.editing` changes the user's file.

```toml
registry = "main"                  # a name below, a URL, or a path (relative to this file)
require_claimed = true             # install only names that are claimed; false by default
locked = ["registry"]              # only in the system's file

[registries.main]
url = "https://prompts.example.org"
root_sha256 = "…"                  # of registry/metadata/1.root.json
header_env = {Authorization = "V"} # how to log in: `system.credentials`; not in a project
names = ["acme_*", "quiz_master"]  # what it is asked for, and no other (`client.selection`)

[policy]                           # what may be installed: see `client.project.policy`
```

A project file also has what `client.project.manifest` reads: `[prompts]` and `folder`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.core.dataclass import dataclass, replace
from psreg.core.errors import TrustError, UnavailableError, UsageError
from psreg.core.identity import is_name_pattern
from psreg.core.plain_toml import plain_toml
from psreg.http.address import is_url, normal_location
from psreg.system.files import is_ours, read_file, real_path

if TYPE_CHECKING:
    from psreg.system.credentials import Access

PROJECT_FILES = (".psreg.toml", "psreg.toml")
LOCKABLE = ("registry", "registries")
_KEYS = ("registry", "registries", "require_claimed", "policy", "locked")
_OF_PROJECTS = ("prompts", "folder", "targets")
_MAX_FILE = 256 * 1024
# Patterns are compiled where they are used: most runs use none of them.
_SHA256 = r"[0-9a-f]{64}"
_NAME = r"[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?"


DEMANDS = ("witnesses", "witness_threshold")
"""What a registry's table in the settings demands of its log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRegistry:
    """A registry with a name: its location, its pin, and the file that defines it.

    So many of its `witnesses`, keys of C2SP, as `threshold` says must cosign its log. `names` are
    the patterns of the names that are bound to it.
    """

    name: str
    location: str
    root_sha256: str | None
    file: Path
    witnesses: tuple[str, ...] = ()
    threshold: int = 0
    access: Access | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedRegistry:
    """The registry to use. `origin` is what selected it: an option, a variable or a file.

    `root_sha256` is None if the registry is not pinned; `suggested_sha256` is the digest in a file
    that cannot make a registry trusted. `from_project` says that such a file names the location.
    `pinned_in` is the file with the pin.
    """

    location: str
    origin: str
    root_sha256: str | None = None
    suggested_sha256: str | None = None
    from_project: bool = False
    pinned_in: Path | None = None
    witnesses: tuple[str, ...] = ()
    threshold: int = 0
    access: Access | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    path: Path
    text: str
    values: Mapping[str, Any]
    trusted: bool

    def fault(self, key: str, why: str, hint: str = "") -> UsageError:
        """Return the error for an invalid value of `key`, with its line if it can be found."""
        return _invalid(self.path, self.line(key), f"`{key}` {why}", hint)

    def line(self, key: str) -> int:
        """Return the line of a key, 1 if it cannot be found."""
        pattern = re.compile(rf"^\s*\[?[\w.\"' -]*\b{re.escape(key)}\b", re.MULTILINE)
        match = pattern.search(self.text)
        return self.text.count("\n", 0, match.end()) + 1 if match else 1


class Settings:
    """The contents of all settings files; `warnings` are sentences about what was ignored."""

    def __init__(self, files: Iterable[_File], warnings: Iterable[str] = ()) -> None:
        self._files = tuple(files)
        self.warnings = tuple(warnings)
        self.locks: dict[str, _File] = {}
        for file in self._files[:1]:
            self.locks = dict.fromkeys(_strings(file, "locked"), file)

    @classmethod
    def load(cls, start: Path, *, system: Path, user: Path) -> Settings:
        """Read the files that apply in the folder `start`.

        Raises:
            UsageError: `CONFIG_INVALID`, with file and line.
            UnavailableError: a file exists but cannot be read.
        """
        warnings: list[str] = []
        project = _find_project(start, warnings)
        named = [(system, True), (user, True), *((path, False) for path in project)]
        files = [_read(path, trusted, warnings) for path, trusted in named]
        return cls(files, warnings)

    def registries(self) -> tuple[NamedRegistry, ...]:
        """Return the named registries of the system's and the user's file, sorted by name."""
        return tuple(sorted(self._registries(trusted=True).values(), key=lambda item: item.name))

    def of_clone(self) -> tuple[NamedRegistry, ...]:
        """Return the registries that a project file has, as it has them."""
        known = self._registries(trusted=True)
        return tuple(
            _named_registry(file, name, table, known)
            for file in self._files
            if not file.trusted
            for name, table in _tables(file, "registries").items()
        )

    @property
    def require_claimed(self) -> bool:
        """Whether only claimed names are installed: if one of the files says so, even a clone's.

        Raises:
            UsageError: `CONFIG_INVALID`.
        """
        return any(_flag(file, "require_claimed") for file in self._files)

    def default(self) -> SelectedRegistry | None:
        """Return the registry that the files select, or None.

        Raises:
            TrustError: `POLICY_LOCKED`: a file overrides a key that the system's file locks.
        """
        lock = self.locks.get("registry")
        chosen: SelectedRegistry | None = None
        for file in self._files:
            value = file.values.get("registry")
            if value is None:
                continue
            if not isinstance(value, str) or not value:
                raise file.fault("registry", "must be a name, a URL or a path")
            selected = self._named_in(file.path, value, trusted=file.trusted)
            if lock not in (None, file) and chosen and selected.location != chosen.location:
                raise _locked("registry", file.path, lock)
            chosen = selected
        return chosen

    def select(self, value: str, *, origin: str, start: Path) -> SelectedRegistry:
        """Return the registry `value` that the option or variable `origin` selects.

        Raises:
            TrustError: `POLICY_LOCKED`: the system's file locks a different one.
        """
        selected = self.find(value, origin=origin, start=start)
        lock = self.locks.get("registry")
        if lock is not None:
            default = self.default()
            if default is None or default.location != selected.location:
                raise _locked("registry", origin, lock)
        return selected

    def of_project(self, value: str, file: Path) -> SelectedRegistry:
        """Return the registry `value` that a project file names; it must be a trusted one.

        Raises:
            TrustError: `POLICY_LOCKED`, as `select`.
            PsregError: as `find`.
        """
        selected = self._named_in(file, value, trusted=False)
        if (lock := self.locks.get("registry")) is not None:
            default = self.default()
            if default is None or default.location != selected.location:
                raise _locked("registry", file, lock)
        return selected

    def _named_in(self, file: Path, value: str, *, trusted: bool) -> SelectedRegistry:
        """Return the registry that a file names, and whether only an untrusted file does."""
        selected = self.find(value, origin=str(file), start=file.parent)
        only = not trusted and value not in self._registries(trusted=True)
        return replace(selected, from_project=True) if only else selected

    def policies(self) -> Iterator[tuple[str, Any, Callable[..., UsageError]]]:
        """Yield the table `[policy]` of each file that has one: its path, it, and its `fault`."""
        for file in self._files:
            if "policy" in file.values:
                yield str(file.path), file.values["policy"], file.fault

    def check_lock(self, key: str, *, by: str) -> None:
        """Raise TrustError POLICY_LOCKED if `key` must not be changed."""
        if key in self.locks:
            raise _locked(key, by, self.locks[key])

    def find(self, value: str, *, origin: str, start: Path) -> SelectedRegistry:
        """Return the registry that `value` means: a name, else a URL, else a folder.

        Raises:
            UnavailableError: `UNKNOWN_REGISTRY`.
            UsageError, TrustError: it is not the address of a registry (`normal_location`).
        """
        trusted, all_named = self._registries(trusted=True), self._registries(trusted=False)
        if value in all_named:
            registry = trusted.get(value, all_named[value])
            location = registry.location
        elif is_url(value):
            location = normal_location(value)
        else:
            location = normal_location(str(start / Path(value).expanduser()))
            if not Path(location).is_dir():
                known = ", ".join(sorted(all_named)) or "none"
                raise UnavailableError(
                    "UNKNOWN_REGISTRY",
                    f"{origin}: `{value}` is neither a registry in your settings nor a folder",
                    f"Add one with `psreg registry add URL`; your registries: {known}.",
                )
        pinned = next((each for each in trusted.values() if each.location == location), None)
        return SelectedRegistry(
            location=location,
            witnesses=pinned.witnesses if pinned else (),
            threshold=pinned.threshold if pinned else 0,
            access=pinned.access if pinned else None,
            origin=origin,
            root_sha256=pinned.root_sha256 if pinned else None,
            suggested_sha256=next(
                (each.root_sha256 for each in all_named.values() if each.location == location), None
            ),
            from_project=value in all_named and value not in trusted,
            pinned_in=pinned.file if pinned and pinned.root_sha256 else None,
        )

    def _registries(self, *, trusted: bool) -> dict[str, NamedRegistry]:
        """Return the registries by name; a name that the system's file locks keeps its meaning."""
        result: dict[str, NamedRegistry] = {}
        for file in self._files:
            if trusted and not file.trusted:
                continue
            for name, table in _tables(file, "registries").items():
                registry = _named_registry(file, name, table, result)
                lock = self.locks.get("registries") or self.locks.get("registry")
                before = result.get(name)
                if lock not in (None, file) and before and before.location != registry.location:
                    raise _locked(f"registries.{name}", file.path, lock)
                result[name] = registry
        return result


def is_registry_name(text: str) -> bool:
    """Return whether `text` is a valid name for a registry in the settings."""
    return re.fullmatch(_NAME, text) is not None


def is_sha256(text: str) -> bool:
    """Return whether `text` is a SHA-256 in lower-case hexadecimal."""
    return re.fullmatch(_SHA256, text) is not None


def _read(path: Path, trusted: bool, warnings: list[str]) -> _File:
    if not is_there(path):
        return _File(path=path, text="", values={}, trusted=trusted)
    data = read_file(real_path(path), _MAX_FILE + 1)
    if len(data) > _MAX_FILE:
        raise _invalid(path, 1, f"has more than {_MAX_FILE:,} bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _invalid(path, data.count(b"\n", 0, error.start) + 1, "is not UTF-8") from error
    values = plain_toml(text)
    if values is None:
        values = _toml(path, text)
    file = _File(path=path, text=text, values=values, trusted=trusted)
    known = _KEYS if trusted else (*_KEYS, *_OF_PROJECTS)
    warnings += [_unknown(file, key, known) for key in values if key not in known]
    return file


def _toml(path: Path, text: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - most settings are plain

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        number = int(line[1]) if line else text.count("\n") + 1
        raise _invalid(path, number, str(error)) from error
    except (ValueError, RecursionError) as error:  # int() has a limit of its own
        lines = [len(re.findall(r"[\d\[{]", line)) for line in text.split("\n")]
        number = lines.index(max(lines)) + 1
        raise _invalid(path, number, "is nested too deep, or has a number too long") from error


def _unknown(file: _File, key: str, known: Sequence[str]) -> str:
    """Return the warning about an unknown key."""
    from psreg.core.spelling import nearest  # noqa: PLC0415 - keys are rarely misspelt

    near = nearest(key, known)
    guess = f"; did you mean `{near}`?" if near else ""
    return f"{file.path}:{file.line(key)}: unknown key `{key}`{guess}"


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


def _flag(file: _File, key: str) -> bool:
    value = file.values.get(key, False)
    if not isinstance(value, bool):
        raise file.fault(key, "must be true or false")
    return value


def _tables(file: _File, key: str) -> Mapping[str, Any]:
    value = file.values.get(key, {})
    if not isinstance(value, dict):
        raise file.fault(key, "must be a table")
    return value


def _named_registry(
    file: _File, name: str, table: Any, known: Mapping[str, NamedRegistry]
) -> NamedRegistry:
    if not is_registry_name(name) or not isinstance(table, dict):
        raise file.fault(
            name, "must be a table with `url` and `root_sha256`, and its name in lower case"
        )
    url, pin = table.get("url"), table.get("root_sha256")
    names = table.get("names", [])
    if not isinstance(names, list) or not all(map(is_name_pattern, names)):
        raise file.fault(name, 'has invalid `names`: write names such as `["acme_*", "quiz"]`')
    if url is None and names and not file.trusted and name in known:
        url = known[name].location  # a project binds names to a registry of the user
    if not isinstance(url, str) or not url:
        raise file.fault(name, "has no `url`")
    if pin is not None and not (isinstance(pin, str) and is_sha256(pin)):
        raise file.fault(
            name, "has an invalid `root_sha256`: it must be 64 lower-case hexadecimal digits"
        )
    location = url if is_url(url) else str(file.path.parent / Path(url).expanduser())
    try:
        location = normal_location(location)
    except UsageError as error:
        raise file.fault(name, error.message) from error
    witnesses, threshold = _witnesses(file, name, table)
    return NamedRegistry(
        name=name,
        location=location,
        root_sha256=pin,
        file=file.path,
        witnesses=witnesses,
        threshold=threshold,
        access=_access(file, name, table),
        names=tuple(names),
    )


def _access(file: _File, name: str, table: Mapping[str, Any]) -> Access | None:
    """Return how a registry is reached; a clone must not choose what is sent, or run."""
    if table.keys() <= {"url", "root_sha256", "names", *DEMANDS}:
        return None
    from psreg.system.credentials import KEYS, Access  # noqa: PLC0415 - few need to log in

    found = [key for key in KEYS if key in table]
    if found and not file.trusted:
        raise file.fault(name, f"has `{found[0]}`, which belongs in your own settings")
    try:
        return Access.of(table, file.path.parent)
    except ValueError as error:
        raise file.fault(name, f"has {error}") from error


def _witnesses(file: _File, name: str, table: Mapping[str, Any]) -> tuple[tuple[str, ...], int]:
    """Return the keys of the witnesses that must cosign the log, and how many of them."""
    texts = table.get("witnesses")
    if texts is None:
        return (), 0
    from psreg.registry.log.checkpoint import Witnesses  # noqa: PLC0415 - few registries have them

    count = table.get("witness_threshold", len(texts) if isinstance(texts, list) else 0)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise file.fault(name, "has `witnesses` that are not a list of keys")
    if not isinstance(count, int) or isinstance(count, bool) or not texts:
        raise file.fault(name, "needs `witness_threshold`, a number, and witnesses")
    try:
        Witnesses.parse(texts, count)
    except ValueError as error:
        raise file.fault(name, f"has invalid `witnesses`: {error}") from error
    return tuple(texts), count


def _locked(key: str, by: object, lock: _File | None) -> TrustError:
    where = lock.path if lock else ""
    return TrustError("POLICY_LOCKED", f"{by} sets `{key}`, which {where} locks")


def _invalid(path: Path, line: int, why: str, hint: str = "") -> UsageError:
    return UsageError("CONFIG_INVALID", f"{path}:{line}: {why}", hint)


def is_there(file: Path) -> bool:
    """Tell whether there is something, which may not be a file, or a link that leads nowhere."""
    return file.exists() or file.is_symlink()
