"""The Python API: load a prompt, check files, review a change.

Nothing here touches the network, unless `load` is given a registry behind a URL. What goes wrong is
a `PsregError` with the code, the message and the hint that the command line prints.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from psreg.client.render import fill, pbe_text
from psreg.core.classes import Format, detect_format
from psreg.core.diagnostics import Diagnostic, Mode, Report
from psreg.core.errors import PsregError, UnavailableError, UsageError
from psreg.formats import dotprompt, pbe

if TYPE_CHECKING:
    from psreg.client.config import Settings
    from psreg.client.install import FetchedRelease
    from psreg.client.resolve import Choice, Request
    from psreg.client.selection.opened import AnyRegistry, KindAt, OpenedRegistries
    from psreg.review.verdict import Review

__all__ = ["Diagnostic", "Prompt", "PsregError", "Report", "check", "load", "review"]

_LOG = logging.getLogger("psreg")
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Prompt:
    """A prompt: a PBE, or a `.prompt` file with variables.

    `name` and `version` are None for a file that is not a release. `data` are the exact bytes, and
    `sha256` is their digest. `variables` maps the names of variables, in order of first use, to
    their defaults; None is the default of one that needs a value.
    """

    def __init__(
        self, data: bytes, path: str, *, name: str | None = None, version: str | None = None
    ) -> None:
        """Read a prompt from `data`; `path` is its name in messages.

        Raises:
            UsageError: `UNKNOWN_FORMAT`: it is neither a PBE nor a `.prompt` file.
        """
        form = detect_format(path, data[:4096].decode("utf-8", "replace"))
        if form is None:
            raise UsageError("UNKNOWN_FORMAT", f"{path} is neither a PBE nor a .prompt file")
        self.data = data
        self.path = path
        self.name = name
        self.version = version
        self.format: Format = form

    def __repr__(self) -> str:
        return f"<psreg.Prompt {self.name or self.path} {self.version or ''}".rstrip() + ">"

    @cached_property
    def sha256(self) -> str:
        """The digest of `data`, in lower-case hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def metadata(self) -> Mapping[str, str]:
        """What the file says about itself: METADATA, or those fields of a PBE that are texts."""
        if self.format is Format.PROMPT:
            return MappingProxyType(dict(self._prompt.metadata))
        value = pbe.read(self.data).value
        return MappingProxyType({k: text for k, text in value.items() if isinstance(text, str)})

    @cached_property
    def variables(self) -> Mapping[str, str | None]:
        """The variables and their defaults; a PBE has none."""
        if self.format is Format.PBE:
            return MappingProxyType({})
        return MappingProxyType({each.name: each.default for each in self._prompt.variables})

    @cached_property
    def text(self) -> str:
        """The text of a PBE, or that of a `.prompt` with its defaults and `{name}` for the rest.

        Raises:
            FindingsError: as `render`, except `MISSING_VALUES`.
        """
        if self.format is Format.PBE:
            return pbe_text(self.data, self.path)
        return fill(self.data, path=self.path, values={}).rendering.text

    def render(self, values: Mapping[str, str] = _NOTHING, /, **more: str) -> str:
        """Return the final text, to be sent to a model as it is.

        Values are given by name; `values` also takes names that are not names in Python.

        Raises:
            TypeError: a value is not a string.
            UsageError: `UNKNOWN_VARIABLE`: the prompt has no such variable.
            FindingsError: `MISSING_VALUES`: a variable has neither a value nor a default;
                `UNREADABLE`; `RESERVED_CLASS`: nothing executes a PBE of this class.
        """
        given = {**values, **more}
        for name, value in given.items():
            if not isinstance(value, str):
                raise TypeError(f"the value of {name!r} is not a string: {value!r}")
        if self.format is Format.PROMPT:
            found = fill(
                self.data, path=self.path, values=given, require_all=True, named=given.keys()
            )
            return found.rendering.text
        if given:
            raise UsageError("UNKNOWN_VARIABLE", f"{self.path} is a PBE, which has no variables")
        return self.text

    @cached_property
    def _prompt(self) -> dotprompt.Prompt:
        return dotprompt.read(self.data)


def load(what: str | os.PathLike[str], *, registry: str | None = None) -> Prompt:
    """Return the prompt that `NAME[@RANGE]` selects, or that in the file at a path.

    In a project, which is looked for from the working directory on, that is the one that its lock
    has, else the installed one. Its file is compared with what was signed. What is not on this
    machine is fetched, if a `registry` is given: it is verified, and nothing is written but the
    state of that registry and the cache. If that registry cannot be reached, what was verified last
    answers until it expires, and a warning is logged. What is locked comes from the registry of the
    project all the same.

    Raises:
        UsageError: `what` is neither a path nor `NAME[@RANGE]`.
        UnavailableError: `NOT_INSTALLED`, `NOT_KEPT`; the file or the registry cannot be read.
        TrustError: `TRUST_DIGEST`: the file was changed; `TRUST_REVOKED`; `POLICY_REFUSED`; what
            `psreg install` refuses.
    """
    if not isinstance(what, str):
        from psreg.system.files import read_named  # noqa: PLC0415 - only a file needs it

        place = Path(what)
        return Prompt(read_named(place), str(place))
    from psreg.client.library import installed_artifact  # noqa: PLC0415 - not for other functions
    from psreg.client.resolve import parse_request  # noqa: PLC0415 - as above

    if (locked := _locked(what, offline=registry is None)) is not None:
        return locked
    try:
        path, data = installed_artifact(what)
    except UnavailableError as error:
        if error.code != "NOT_INSTALLED" or registry is None:
            raise
        return _fetched(parse_request(what), registry)
    version_folder = path.parent
    return Prompt(data, str(path), name=version_folder.parent.name, version=version_folder.name)


def _locked(what: str, *, offline: bool) -> Prompt | None:
    """Return the prompt of the project, None if that does not have it."""
    from psreg.client.project.locked import locked_file  # noqa: PLC0415 - only `load` needs it

    found = locked_file(what, Path.cwd(), _LOG.warning, offline=offline)
    if found is None:
        return None
    for warning in found.warnings:
        _LOG.warning(warning)
    locked = found.locked
    return Prompt(found.data, str(found.path), name=locked.name, version=locked.version)


def _fetched(request: Request, location: str) -> Prompt:
    from psreg.client.artifacts import user_artifacts  # noqa: PLC0415 - only what is fetched needs these
    from psreg.client.install import fetch_all  # noqa: PLC0415
    from psreg.client.registry_choice import load_settings  # noqa: PLC0415
    from psreg.client.selection.opened import OpenedRegistries, asked  # noqa: PLC0415

    settings = load_settings(Path.cwd())

    @contextmanager
    def begin(kind: KindAt | None) -> Iterator[OpenedRegistries]:
        with ExitStack() as stack:
            yield OpenedRegistries(settings, stack, _LOG.warning, option=location, kind=kind)

    def ask(opened: OpenedRegistries) -> FetchedRelease:
        registry = opened.names.named(request.name)
        (fetched,) = fetch_all([request], registry, cache=user_artifacts())
        if [*settings.policies()]:
            _check_policy(fetched.choice, registry, settings)
        return fetched

    fetched = asked(begin, ask, lambda opened: opened, _LOG.warning)
    for warning in fetched.choice.warnings:
        _LOG.warning(warning)
    release = fetched.choice.release
    return Prompt(fetched.data, release.filename, name=release.name, version=release.version)


def _check_policy(choice: Choice, registry: AnyRegistry, settings: Settings) -> None:
    from psreg.client.project.policy import check_settings  # noqa: PLC0415 - few have a policy
    from psreg.client.project.verified import VerifiedRelease  # noqa: PLC0415
    from psreg.client.registry_choice import trust_store  # noqa: PLC0415

    claimed = registry.is_claimed(choice.release.name)
    found = VerifiedRelease(
        registry=registry.id, release=choice.release, row=choice.row, claimed=claimed
    )
    check_settings(settings, trust_store(_LOG.warning), [found])


def check(*paths: str | os.PathLike[str], read: bool = False) -> Report:
    """Return what `psreg check` finds in files, folders and registries.

    `read` checks files as leniently as a reader. `report.failed()` tells whether there is an error.

    Raises:
        UsageError: `UNKNOWN_FORMAT`; `read` with a registry.
        UnavailableError: `NOT_FOUND`; something cannot be read.
    """
    from psreg.cli.rules import registry_rules  # noqa: PLC0415 - loading a prompt has no rules
    from psreg.registry.check.folders import Folder  # noqa: PLC0415
    from psreg.registry.check.paths import Artifact, Subject  # noqa: PLC0415

    mode = Mode.READ if read else Mode.STRICT
    found: list[Diagnostic] = []
    checked = 0
    for place in map(Path, paths):
        if not place.exists():
            raise UnavailableError("NOT_FOUND", f"`{place}` does not exist")
        subject: Subject = (
            Folder(place, mode, registry_rules) if place.is_dir() else Artifact.at(place, mode)
        )
        found += subject.judge({})
        checked += subject.checked
    return Report.of(checked, found)


def review(
    path: str | os.PathLike[str] = ".",
    *,
    base: str | None = None,
    head: str = "HEAD",
    author_id: int | None = None,
    forge: str = "github",
) -> Review:
    """Return the review of the change from `base` to `head` in the Git repository at `path`.

    Both are revisions; without `base`, it is that of the main branch. `author_id` is the number of
    the author's account on `forge`, "github" or "gitlab". It needs `psreg[review]`.

    Raises:
        UsageError: `NO_BASE`: there is no main branch.
        UnavailableError: it is not a repository, or a revision is unknown; `EXTRA_MISSING`.
    """
    from psreg.cli.review import reviewed, usual_base  # noqa: PLC0415 - only this needs Git
    from psreg.core.identity import Author  # noqa: PLC0415
    from psreg.git.repository import open_repository  # noqa: PLC0415

    author = None if author_id is None else Author(forge=forge, id=author_id)
    with open_repository(Path(path)) as repository:
        start = repository.resolve(base or usual_base(repository))
        return reviewed(repository, start, repository.resolve(head), author)
