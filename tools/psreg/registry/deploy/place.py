"""What is known of a bucket before a deployment, and whether it may be deployed to."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from psreg.core.errors import TrustError
from psreg.core.identity import PBES
from psreg.registry.deploy.deployable import Deployable
from psreg.registry.deploy.deployed import MAX_BYTES, Deployed, read_deployed, same_content
from psreg.registry.deploy.headers import DEPLOY_FILE, TIMESTAMP_FILE, is_immutable
from psreg.registry.deploy.ports import Bucket, Listed
from psreg.registry.trust.metadata import Document, accepts, verified
from psreg.registry.trust.roles import METADATA_FOLDER, TIMESTAMP, role_and_version

NOTHING = ""
"""The digest of a timestamp that is not there."""

_MAX_TIMESTAMP = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A bucket before a deployment.

    `deployed` is what `deploy.json` says, `timestamp` the one in force, both with the tags of the
    objects; `digest` is of the latter. `marks` are of the objects that need not be written again.
    A listing also finds `foreign` objects, which psreg did not put there; `why` says why there
    had to be one.
    """

    deployed: Deployed
    tag: str | None
    timestamp: Document | None
    timestamp_tag: str | None
    digest: str
    marks: Mapping[str, str]
    foreign: int = 0
    why: str = ""


def find_place(source: Deployable, bucket: Bucket, *, full: bool) -> Place:
    """Return what is known of the bucket; it is listed if `full`, or if nothing else tells.

    What is in force is replaced, whatever it is, if it is `full` and keys signed it that the newest
    root has replaced.

    Raises:
        TrustError: DEPLOY_OLDER, DEPLOY_FORKED, DEPLOY_FOREIGN.
        UnavailableError: NEWER_FORMAT, and what `Bucket` raises.
    """
    noted = bucket.read(DEPLOY_FILE, MAX_BYTES)
    deployed = read_deployed(noted.data) if noted else None
    registry_id = source.state.registry_id
    if deployed and deployed.registry_id != registry_id:
        told = f"{bucket.url} holds another registry, {deployed.registry_id}"
        raise TrustError("DEPLOY_FORKED", told, _ELSEWHERE)
    force = bucket.read(TIMESTAMP_FILE, _MAX_TIMESTAMP)
    timestamp = _signed(force.data, source) if force else None
    if force and not timestamp and not full:
        told = f"{bucket.url} has a timestamp.json that this registry did not sign"
        raise TrustError("DEPLOY_FOREIGN", told, _REPLACE)
    place = Place(
        deployed=deployed or Deployed(registry_id=registry_id),
        tag=noted.tag if noted else None,
        timestamp=timestamp,
        timestamp_tag=force.tag if force else None,
        digest=hashlib.sha256(force.data).hexdigest() if force else NOTHING,
        marks=deployed.marks if deployed else {},
    )
    _refuse_older(source, bucket, place, full=full)
    if deployed and not full and place.digest in deployed.timestamps:
        return place
    why = ""
    if noted and not full:
        what = "does not describe what is in force" if deployed else "cannot be read"
        why = f"{DEPLOY_FILE} {what}"
    listing = bucket.listing()
    known = {DEPLOY_FILE, TIMESTAMP_FILE, *place.deployed.paths}
    others = sorted(listing.keys() - known)
    if others and not (deployed or timestamp or full):
        raise _foreign(others, bucket)
    return replace(
        place,
        marks=_confirmed(source, bucket, place.marks, listing),
        foreign=sum(path not in source.marks for path in others),
        why=why,
    )


def _foreign(others: Sequence[str], bucket: Bucket) -> TrustError:
    more = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
    told = f"{bucket.url} has objects that psreg did not put there: {others[0]}{more}"
    return TrustError("DEPLOY_FOREIGN", told, _REPLACE)


def _signed(data: bytes, source: Deployable) -> Document | None:
    """Return a timestamp that one of our roots signed, else None."""
    for root in reversed(source.state.roots):
        try:
            return verified(data, TIMESTAMP, root, entry=None)
        except TrustError:
            continue
    return None


def _refuse_older(source: Deployable, bucket: Bucket, place: Place, *, full: bool) -> None:
    force, ours, files = place.timestamp, source.timestamp, place.deployed.files
    former = force is not None and not accepts(source.state.root.signed, force)
    if former and full:
        return
    hint = f"{_REPLACED} " if former else ""
    if force and ours.version < force.version:
        told = f"state {force.version} is in force in {bucket.url}, this site is {ours.version}"
        raise TrustError("DEPLOY_OLDER", told, f"{hint}Build the site from the newest state.")
    other = next((path for path in files if not _is_before(path, files[path], source)), "")
    if force and ours.version == force.version and ours.data != force.data:
        other = TIMESTAMP_FILE
    if other:
        told = f"{bucket.url} has {other}, which is not in the history of this site"
        raise TrustError("DEPLOY_FORKED", told, f"{hint}{_ELSEWHERE}")


def _is_before(path: str, mark: str, source: Deployable) -> bool:
    """Return whether a file in force is one of the site, or can be one of a state before it."""
    if not is_final(path):
        return True
    if path in source.marks:
        return same_content(mark, source.marks[path])
    folder, _, name = path.rpartition("/")
    if folder == f"registry/{METADATA_FOLDER}":
        role, version = role_and_version(name) or ("", 0)
        return version < source.state.versions.get(role, version + 1)
    parts = path.split("/")
    return parts[0] != PBES or tuple(parts[2:4]) in source.releases


def _confirmed(
    source: Deployable, bucket: Bucket, marks: Mapping[str, str], listing: Mapping[str, Listed]
) -> dict[str, str]:
    """Return the marks of the objects that are there as the site has them."""

    def is_there(path: str) -> bool:
        body, listed = source.upload(path).body(), listing[path]
        if listed.length != len(body):
            return False
        if listed.md5 == hashlib.md5(body, usedforsecurity=False).hexdigest():
            return True
        found = bucket.read(path, len(body))
        return found is not None and found.data == body

    same = (path for path, mark in marks.items() if source.marks.get(path) == mark)
    return {path: marks[path] for path in same if path in listing and is_there(path)}


def is_final(path: str) -> bool:
    """Return whether a file is part of what is signed, and never changes."""
    return is_immutable(path) or path.startswith(f"{PBES}/")


_REPLACED = "If a thief of the keys that were replaced deployed it, pass `--full`."
_ELSEWHERE = "Deploy to another place, or build the site from the registry that is there."
_REPLACE = "Name an empty place, or pass `--full` to write over what is in the way."
