"""Resolves `NAME[@RANGE]` against a verified package record.

The result is the highest final version that matches and is not yanked; a pre-release only if the
range spells a pre-release of the same MAJOR.MINOR.PATCH; a yanked version only if it is named
exactly, with a warning; a revoked one never. No text of a record is used as a path: paths follow
from class, name and version, and a record with another path is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from psreg.core.classes import CLASSES
from psreg.core.dataclass import dataclass
from psreg.core.errors import PsregError, TrustError, UnavailableError, UsageError
from psreg.core.identity import ReleaseId, is_device, is_name, normal_name
from psreg.core.version import ANY, Range, is_version
from psreg.registry.actions.withdrawal import Withdrawal
from psreg.registry.json_members import newer_format
from psreg.registry.records import PackageRecord, ReleaseRecord, bad_record, read_record

if TYPE_CHECKING:
    from psreg.registry.owners.claim import Claim

_LISTED = 8
"""The number of versions that a message lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the user requested: a name and a range of versions."""

    name: str
    range: Range

    def __str__(self) -> str:
        """Return the request as it is typed."""
        return self.name if self.range is ANY else f"{self.name}@{self.range.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The release that a request selects; `warnings` are sentences about it for the user."""

    request: Request
    release: ReleaseId
    row: ReleaseRecord
    warnings: tuple[str, ...] = ()


def parse_request(text: str) -> Request:
    """Return the request that `NAME` or `NAME@RANGE` spells; case and `-` for `_` do not count.

    Raises:
        UsageError: `BAD_NAME` or `BAD_RANGE`, before any registry is contacted.
    """
    spelled, at, wanted = text.partition("@")
    name = normal_name(spelled)
    if is_device(name):  # a registry may not have such a name, and some systems cannot store it
        told = f"`{text}` names a device of Windows, and no prompt"
        raise UsageError("BAD_NAME", told, "Choose another prompt.")
    if not is_name(name):
        raise UsageError(
            "BAD_NAME",
            f"`{text}` is not a valid name",
            _as_request(text)
            or "Write lower-case letters and digits in words joined by `_`, such as `quiz_master` "
            "or `quiz_master@^1.2`.",
        )
    if not at:
        return Request(name=name, range=ANY)
    try:
        return Request(name=name, range=Range.parse(wanted.strip()))
    except ValueError as error:
        hint = _as_request(f"{spelled}=={wanted.strip().removeprefix('v')}")
        if wanted.strip().lower() in _NEWEST:
            hint = f"Write `{name}`: without a range you get the newest version."
        raise UsageError("BAD_RANGE", f"`{text}`: {error}", hint) from error


_OPERATORS = {"=": "", "==": "", "===": "", ":": "", "~=": "~", "^=": "^"} | dict.fromkeys(
    ("/", " ", "-"), ""
)
"""What others write between name and version, and what follows `@` here."""


_NEWEST = ("latest", "newest", "stable", "current")


def _as_request(text: str) -> str:
    """Return a hint for a request as others spell it: `name==1.0.0`, `A name`, a page, a path."""
    if found := re.fullmatch(_PAGE, text, re.ASCII):
        version = f"@{found[3]}" if found[3] and is_version(found[3]) else ""
        return f"Write `{found[2]}{version}`, after `psreg registry add {found[1]}`."
    if is_name(joined := normal_name("_".join(text.split()))):
        return f"Write `{joined}`."
    found = re.fullmatch(
        r"(\w+(?:-\w+)*?)\s*(={1,3}|[:/ -]|[~^<>]=?)\s*v?(\d+(?:\.\d\S*)?)", text, re.ASCII
    )
    if found is None or not is_name(name := normal_name(found[1])):
        if re.search(r"[/\\]|\.(prompt|pbe|pbe\.txt)\Z", text):
            return f"A file needs no installation: `psreg show {text}`, `psreg copy {text}`."
        return ""
    operator = _OPERATORS.get(found[2], found[2])
    exact, caret = f"{operator}{found[3]}", f"^{found[3]}"
    valid = next((wanted for wanted in (exact, caret) if _is_range(wanted)), "")
    return f"Write `{name}@{valid}`." if valid else ""


_PAGE = rf"(https?://[\w.:/~%-]+?)/(?:{'|'.join(CLASSES)})/([a-z0-9_]+)(?:/([^/?#]+))?/?(?:[?#].*)?"
"""The address of a page of the catalogue: the registry, the name and the version."""


def _is_range(text: str) -> bool:
    try:
        Range.parse(text)
    except ValueError:
        return False
    return True


def parse_requests(texts: Iterable[str]) -> tuple[Request, ...]:
    """Return the requests `texts` spell, in order.

    Raises:
        UsageError: one is invalid, or two have the same name.
    """
    requests: dict[str, Request] = {}
    before = ""
    for text in texts:
        if _is_range(text) and before and "@" not in before:
            told = f"`{text}` is a version, and not a name"
            raise UsageError("BAD_NAME", told, f"Write `{before}@{text}`.")
        request, before = parse_request(text), text
        if request.name in requests:
            raise UsageError("USAGE", f"`{request.name}` is named twice", "Name it once.")
        requests[request.name] = request
    return tuple(requests.values())


def check_record(
    name: str, before: bytes | None, now: bytes | None, recount: Callable[[], bool] = lambda: False
) -> None:
    """Check that the record `now` is valid and continues the record `before`; both were verified.

    Not even the key that signs records may take back what this machine has seen. Only the serial
    may be lower if `recount` returns that the keys were replaced which counted it.

    Raises:
        TrustError: `TRUST_METADATA`: it is malformed; `TRUST_NAME_MISSING`: there is none any more;
            `TRUST_ROLLBACK`: a lower serial, or a version is missing or in a format that is not
            known; `TRUST_REWRITTEN`: a version
            has other bytes now.
        UnavailableError: `NEWER_FORMAT`.
    """
    if now is None:
        if before is not None:
            raise missing_name(name)
        return
    new = read_record(now, name)
    for row in new.releases:
        release_id(new, row)
    try:
        old = read_record(before or b"", name)
    except PsregError:
        return  # there is no stored copy, or it is damaged and protects nothing
    digests = {row.version: row.sha256 for row in new.releases}
    versions = {row.version for row in new.rows}
    gone = [row.version for row in old.releases if row.version not in versions]
    if gone or (new.serial < old.serial and not recount()):
        raise TrustError(
            "TRUST_ROLLBACK",
            f"the registry's record of {name} went back from serial {old.serial} to {new.serial}"
            + (f", without version {', '.join(gone)}" if gone else ""),
        )
    for row in old.releases:
        if row.version not in digests:
            raise TrustError(
                "TRUST_ROLLBACK",
                f"this machine has read {name} {row.version}, which now has a format that this "
                "psreg does not know",
                "Install a newer psreg. If the newest cannot read it, tell the maintainers of the "
                "registry.",
            )
        if digests[row.version] != row.sha256:
            raise TrustError(
                "TRUST_REWRITTEN",
                f"{name} {row.version} was {row.sha256} and is now {digests[row.version]}",
                "Tell the maintainers of the registry: a published version never changes.",
            )


def check_yanks(before: PackageRecord, now: PackageRecord, claim: Claim, registry_id: str) -> None:
    """Check that no yank that an owner signed, and no end of one, is taken back.

    What a key that publishes wrote into the record `before` without an owner does not count.

    Raises:
        TrustError: `TRUST_ROLLBACK`.
    """
    for seen in before.releases:
        row = now.release(seen.version)
        if not seen.yank or row is None or row.is_purged:
            continue
        behind = row.yank is None or row.yank.number < seen.yank.number
        if behind and claim.has_signed_yank(before, seen, registry_id):
            told = (
                f"the registry no longer has what the owners of {now.name} {seen.version} signed "
                "about whether it is yanked"
            )
            raise TrustError("TRUST_ROLLBACK", told, "Tell the maintainers of the registry.")


def release_id(record: PackageRecord, row: ReleaseRecord) -> ReleaseId:
    """Return the identity of `row`, whose path follows from class, name and version.

    Raises:
        TrustError: `TRUST_METADATA`: the record gives the artifact another path.
    """
    release = ReleaseId(entry_class=record.entry_class, name=record.name, version=row.version)
    if row.path != str(release.artifact):
        raise bad_record(record.name, f"version {row.version} claims the path {row.path!r}")
    return release


def pick(record: PackageRecord, request: Request, *, revoked: bool = False) -> ReleaseRecord:
    """Return the row of `record` that `request` selects, if need be a `revoked` one.

    Raises:
        UnavailableError: `NO_MATCHING_VERSION`, `NEWER_FORMAT` or `PURGED`.
        TrustError: `TRUST_REVOKED`: everything that matches was revoked.
    """
    matching = [row for row in record.releases if request.range.matches(row.semver)]
    exact = request.range.exact is not None
    offered = [row for row in matching if row.revoked is None]
    candidates = offered
    if not exact:
        candidates = [row for row in offered if row.yanked is None]
    gone = next((row for row in reversed(matching) if row.revoked), None)
    if gone and gone.revoked and not offered and revoked:
        return gone
    if gone and gone.revoked and not offered:
        raise refusal(f"{record.name} {gone.version}", gone.revoked)
    if not candidates:
        raise _no_match(record, request, offered)
    return max(candidates, key=lambda row: (row.semver, row.version))


def choose(record: PackageRecord, request: Request) -> Choice:
    """Return the release of `record` that `request` selects, if it can be installed.

    Raises:
        UnavailableError: see `pick`.
        TrustError: the row contradicts its own identity.
    """
    row = pick(record, request)
    requires = row.release.get("requires")
    if requires and not isinstance(requires, dict):
        raise bad_record(record.name, f"version {row.version} requires {requires!r}")
    return Choice(
        request=request,
        release=release_id(record, row),
        row=row,
        warnings=tuple(warnings_about(record.name, row, record.deprecated)),
    )


def refusal(title: str, seen: Withdrawal) -> TrustError | UnavailableError:
    """Return the error for a release that must not be used: `TRUST_REVOKED` or `PURGED`."""
    if seen.is_purge:
        hint = "Use another version: its bytes are gone for good."
        return UnavailableError("PURGED", seen.told(title), hint)
    return TrustError("TRUST_REVOKED", seen.told(title), "Use another version.")


def similar(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return up to three of `names` that are similar to `name`, most similar first."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistyped name needs it

    return tuple(get_close_matches(name, names, n=3, cutoff=0.7))


def missing_name(name: str) -> TrustError:
    """Return the error for a name that the registry hides: names are never removed."""
    return TrustError(
        "TRUST_NAME_MISSING",
        f"the registry no longer lists `{name}`, which it listed before",
        "Use another mirror, and tell the maintainers: a name stays listed even if it is purged.",
    )


def unknown_name(name: str, names: Iterable[str]) -> PsregError:
    """Return the error for a name without a record, with suggestions from the catalogue."""
    names = tuple(names)
    if name in names:
        return missing_name(name)
    close = similar(name, names)
    guess = " or ".join(f"`{word}`" for word in close)
    hint = f"Did you mean {guess}?" if close else f"Run `psreg search {name}`."
    return UnavailableError("UNKNOWN_NAME", f"the registry has no entry named `{name}`", hint)


def warnings_about(
    name: str, row: ReleaseRecord, deprecated: Mapping[str, Any] | None
) -> Iterable[str]:
    """Yield what the user of a release should know; `deprecated` is what its record says of it."""
    if row.yanked is not None:
        yield f"{name} {row.version} was yanked: {row.yanked}"
    if deprecated is not None:
        replacement = deprecated.get("replacement")
        instead = f"; use {replacement} instead" if replacement else ""
        yield f"{name} is deprecated: {deprecated.get('reason')}{instead}"


def _no_match(
    record: PackageRecord, request: Request, matching: list[ReleaseRecord]
) -> UnavailableError:
    if matching:
        row = matching[-1]
        return UnavailableError(
            "NO_MATCHING_VERSION",
            f"all matching versions of {record.name} were yanked; {row.version}: {row.yanked}",
            f"Name the version to install it anyway: `{record.name}@{row.version}`.",
        )
    known = [row.version for row in record.releases]
    if len(known) < len(record.rows):
        return newer_format(f"{record.name} has releases in a newer format")
    listed = ", ".join(known[-_LISTED:]) or "none"
    if request.range is ANY and known:
        hint = f"Name one of its pre-releases: `{record.name}@{known[-1]}`."
    else:
        hint = f"Choose one of its versions: {listed}."
    return UnavailableError(
        "NO_MATCHING_VERSION", f"no version of {record.name} matches {request.range.text}", hint
    )
