"""Deploying: the files of a site are put into a bucket, so that clients never see half a state.

Pure over the ports. Every refusal comes before the first object is written, unless someone else
deploys at the same time. A killed deployment leaves the old state or the new one in force, and the
next one completes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from psreg.core.errors import TrustError
from psreg.registry.deploy.deployable import Deployable, stored
from psreg.registry.deploy.deployed import MAX_BYTES, Deployed, read_deployed
from psreg.registry.deploy.headers import DEPLOY_FILE, TIMESTAMP_FILE, headers_of
from psreg.registry.deploy.place import Place, find_place
from psreg.registry.deploy.plan import Plan, plan
from psreg.registry.deploy.ports import Bucket, ConflictError, Upload

KEEP = timedelta(days=30)
"""How long objects are kept that the site no longer has, by default."""

BATCH = 2000
"""Objects after which `deploy.json` is written again, so that a killed deployment can go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """What a deployment did, or would do.

    `written` and `removed` are paths, `length` is the number of bytes written. There are `kept`
    objects that the site no longer has, and, if the bucket was listed, `foreign` ones that psreg
    did not put there; `why` says why it was listed. `version` is that of the state in force.
    """

    written: tuple[str, ...]
    removed: tuple[str, ...]
    length: int
    unchanged: int
    kept: int
    foreign: int
    version: int
    why: str


def deploy(
    source: Deployable,
    bucket: Bucket,
    now: datetime,
    *,
    keep: timedelta | None = None,
    full: bool = False,
    dry_run: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Deployment:
    """Make the bucket serve the site in `source`, and return what was done.

    What the site no longer has is removed after `keep`, None for never. With `full` the bucket is
    listed, and what is not as it should be is written again. `progress` is told how many objects
    of how many have been written.

    Raises:
        TrustError: DEPLOY_OLDER, DEPLOY_FORKED, DEPLOY_FOREIGN, before anything is written;
            DEPLOY_CONFLICT: someone else deployed at the same time.
        UnavailableError: the bucket or the site cannot be read, or the bucket not be written.
    """
    place = find_place(source, bucket, full=full)
    steps = plan(source, place, now, keep)
    run = _Run(source=source, bucket=bucket, plan=steps, place=place, progress=progress)
    if not dry_run:
        run.carry_out()
    return Deployment(
        written=steps.written,
        removed=steps.removed,
        length=run.length,
        unchanged=len(source.marks) + 1 - len(steps.written),
        kept=sum(len(each.paths) for each in steps.after.retired),
        foreign=place.foreign,
        version=source.timestamp.version,
        why=place.why,
    )


@dataclass(kw_only=True)
class _Run:
    """One deployment; `done` has the marks of what it wrote, `length` counts the bytes.

    `timestamp` counts whether that has been written.
    """

    source: Deployable
    bucket: Bucket
    plan: Plan
    place: Place
    progress: Callable[[int, int], None]
    done: dict[str, str] = field(default_factory=dict)
    length: int = 0
    timestamp: int = 0

    def carry_out(self) -> None:
        """Write and remove what is planned."""
        if self.plan.written or self.plan.removed or self.plan.after != self.place.deployed:
            try:
                self._change()
            except ConflictError as error:
                _distrust(self.bucket, self.done)
                told = f"another psreg deployed to {self.bucket.url} at the same time"
                raise TrustError("DEPLOY_CONFLICT", told, _AGAIN) from error

    def _change(self) -> None:
        tag, before, after = self.place.tag, self.place.deployed, self.plan.after
        to_come = (path for path in self.plan.written if path != TIMESTAMP_FILE)
        begun = {**before.begun, **dict.fromkeys(to_come, "")}
        during = replace(before, begun=begun, timestamps=(self.place.digest, *after.timestamps))
        if self.plan.written:
            tag = note(self.bucket, during, tag)
        for batch in self._batches():
            self.bucket.write(map(self.source.upload, batch), self._sent)
            if len(batch) == BATCH:
                tag = note(self.bucket, replace(during, begun={**begun, **self.done}), tag)
        if self.plan.timestamp:
            timestamp = self.source.upload(TIMESTAMP_FILE)
            self.bucket.replace(timestamp, self.place.timestamp_tag)
            self._sent(TIMESTAMP_FILE, len(self.source.timestamp.data))
        for root in self.plan.roots:
            self.bucket.write([self.source.upload(root)], self._sent)
        self.bucket.remove(self.plan.removed)
        note(self.bucket, after, tag)

    def _batches(self) -> Iterator[tuple[str, ...]]:
        for stage in self.plan.stages:
            for at in range(0, len(stage), BATCH):
                yield stage[at : at + BATCH]

    def _sent(self, path: str, length: int) -> None:
        if path in self.source.marks:
            self.done[path] = self.source.marks[path]
        else:
            self.timestamp = 1
        self.length += length
        self.progress(len(self.done) + self.timestamp, len(self.plan.written))


def note(bucket: Bucket, deployed: Deployed, tag: str | None) -> str:
    """Write `deploy.json` if it still has `tag`; return its new one. Raises ConflictError."""
    data = deployed.to_bytes()
    headers = headers_of(DEPLOY_FILE, len(data), pack=bucket.packs)
    upload = Upload(path=DEPLOY_FILE, headers=headers, body=lambda: stored(data, headers))
    return bucket.replace(upload, tag)


def _distrust(bucket: Bucket, done: Mapping[str, str]) -> None:
    """Say in the `deploy.json` of another deployment what this one may have written over."""
    noted = bucket.read(DEPLOY_FILE, MAX_BYTES) if done else None
    deployed = read_deployed(noted.data) if noted else None
    if noted and deployed:
        with suppress(ConflictError):  # the other one still writes, and will find the same
            begun = {**deployed.begun, **dict.fromkeys(done, "")}
            note(bucket, replace(deployed, begun=begun), noted.tag)


_AGAIN = "Wait until it has finished, build the site from the newest state and deploy again."
