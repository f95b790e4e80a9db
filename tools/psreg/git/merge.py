"""The result of merging a change, computed by Git in a temporary repository.

That repository has no settings, attributes, hooks or refs, so nothing in the reviewed repository
can influence the merge, and nothing is written there: only its objects are borrowed. Git merges
three commits without history, one for each tree.

The result is that of `git merge` with its default options. Where another version of Git could give
another result, because of a detected rename, the change is refused instead.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from psreg.core.errors import FindingsError
from psreg.core.identity import EntryId, ReleaseId, is_name
from psreg.core.version import is_version, parse_version
from psreg.git.batch import missing
from psreg.git.objects import Objects, Row
from psreg.git.process import Git
from psreg.git.tree_diff import Difference, FolderPair, differences, lookup
from psreg.system.files import MAX_FILE

REBASE = "Rebase the change on the branch it is to be merged into, and push it again."

_SECONDS = 60
"""Time limit of a merge; in a registry of 100,000 entries it takes less than one second."""

_LARGEST = 64 * 1024 * 1024
"""Maximum bytes of all the files that both sides changed, in all three versions."""

_SHOWN, _LONGEST = 5, 120
"""Maximum number of conflicting paths in a message, and of characters of each."""

_SETTINGS = """\
[core]
	repositoryformatversion = 1
	bare = true
[extensions]
	objectFormat = {}
"""

_MERGE = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages")

_FINE, _CONFLICT = 0, 1
"""Exit codes of `git merge-tree`."""

_SINCE = (2, 38)
"""The first Git whose merge-tree has --write-tree."""


class MergeFolder:
    """A temporary folder for the objects that merges create; `close` removes it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="psreg-merge-")
        self._root = Path(self._folder.name)
        self.objects = self._root / "objects"
        """The folder of the new objects."""
        self.objects.mkdir()
        (self._root / "refs").mkdir()
        (self._root / "HEAD").write_text("ref: refs/heads/none\n")

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()

    def merge(self, objects: Objects, borrowed: Path, base: str, tip: str, head: str) -> str:
        """Return the merge result of the folders `tip` and `head`.

        `base` is their common ancestor, and `borrowed` is where their objects are. The new objects
        are in `self.objects`, where `objects` must also look.

        Raises:
            FindingsError: `MERGE_CONFLICT`, `MERGE_UNCERTAIN`, `GIT_TOO_OLD`, `TREE_MALFORMED`,
                `TOO_MANY_FILES`.
            UnavailableError: `OBJECT_MISSING`.
        """
        _require_new_git(Git(self._root, borrowed))
        if tip == base:  # only one side changed: a merge has one possible result
            return head
        if head in (base, tip):
            return tip
        # NOTE: Git itself accepts trees that it would not check out, and trees that expand to a
        # billion files: the folders in which `head` differs are checked before Git reads them.
        sent = differences(objects, [FolderPair("", base, head)])
        here = {path: _file(lookup(objects, tip, path)) for path in sent}
        _require_small(objects, sent, here)
        merged, paths = self._merged(borrowed, base, tip, head)
        if paths:
            taken = [
                e.name for e in _entries(paths) if lookup(objects, base, str(e.folder)) is None
            ]
            raise _conflict(paths, next(iter(taken), ""))
        made = differences(objects, [FolderPair("", tip, merged)])
        _require_certain(sent, here, made)
        return merged

    def _merged(self, borrowed: Path, base: str, tip: str, head: str) -> tuple[str, Sequence[str]]:
        """Return the merge result, or the paths with a conflict."""
        (self._root / "config").write_text(
            _SETTINGS.format("sha1" if len(base) == _SHA1 else "sha256")
        )
        git = Git(self._root, borrowed)
        start = _commit(git, base)
        out, said, code = _ended(git, _commit(git, tip, start), _commit(git, head, start))
        tree, *paths = out.decode("utf-8", "surrogateescape").split("\0")
        if code == _FINE:
            return tree, ()
        if code == _CONFLICT:
            return "", paths[:-1]
        if b" limit " in said or b"ut of memory" in said:
            raise _uncertain("files that both sides changed are too large to be merged")
        raise missing(f"needed to merge {head}")


_SHA1 = 40
_ASIDE = re.compile(r"~([0-9a-f]{40}|[0-9a-f]{64})\Z")


def _commit(git: Git, tree: str, *parents: str) -> str:
    """Return a new commit of a folder."""
    given = (word for parent in parents for word in ("-p", parent))
    out = git.ask("commit-tree", "--no-gpg-sign", *given, tree)
    if out is None:
        raise missing(tree)
    return out.decode().strip()


def _ended(git: Git, tip: str, head: str) -> tuple[bytes, bytes, int]:
    """Return the output of a merge, its errors, and its exit code."""
    process = git.start(*_MERGE, tip, head, stderr=subprocess.PIPE)
    try:
        out, said = process.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired as error:
        process.kill()
        process.communicate()
        raise _uncertain(f"merging takes longer than {_SECONDS} seconds") from error
    return out, said, process.returncode


def _file(row: Row | None) -> Row | None:
    return None if row and row.is_folder else row


def _contested(one: Difference, here: Row | None) -> bool:
    """Tell whether both sides changed a file to different contents."""
    return here not in one


def _require_small(
    objects: Objects, sent: dict[str, Difference], here: dict[str, Row | None]
) -> None:
    """Refuse a merge of files that are too large to be merged quickly."""
    rows = (
        row
        for path, one in sent.items()
        if _contested(one, here[path])
        for row in (*one, here[path])
        if row and row.is_file
    )
    total = 0
    for oid in {row.id for row in rows}:
        size = objects.size(oid)
        total += size
        if size > MAX_FILE or total > _LARGEST:
            raise _uncertain("files that both sides changed are too large to be merged")


def _require_certain(
    sent: dict[str, Difference], here: dict[str, Row | None], made: dict[str, Difference]
) -> None:
    """Refuse a merge whose result is not that of merging each path separately."""
    for path in {*sent, *made}:
        wanted, found = sent.get(path), made.get(path)
        if wanted and _contested(wanted, here[path]):
            good = all((*wanted, here[path], found is None or found.after))
        else:
            after = wanted.after if wanted else None
            before = here.get(path)
            good = found == (Difference(before, after) if wanted and before != after else None)
        if not good:
            raise _uncertain(f"{_shown(path)} was moved on one side and changed on the other")


def _require_new_git(git: Git) -> None:
    found = re.match(rb"git version (\d+)\.(\d+)", git.ask("version") or b"")
    if not found or tuple(map(int, found.groups())) < _SINCE:
        raise FindingsError(
            "GIT_TOO_OLD",
            "Git is too old to compute the merge result",
            "Install Git 2.38 or newer on the machine that runs the review.",
        )


def _entries(paths: Iterable[str]) -> Iterator[EntryId]:
    """Yield the entries that paths with a conflict belong to."""
    for path in paths:
        entry = EntryId.of(PurePosixPath(path).parent)
        if entry and entry.is_valid:
            yield entry


def _conflict(found: Iterable[str], name: str) -> FindingsError:
    """Return the error; `name` is that of an entry that both sides added, "" for none."""
    # NOTE: where a file and a folder have the same path, Git adds the id of a commit to the file's.
    paths = list(dict.fromkeys(_ASIDE.sub("", path) for path in found))
    named = ", ".join(_shown(path) for path in paths[:_SHOWN])
    more = f" and {len(paths) - _SHOWN:,} more" if len(paths) > _SHOWN else ""
    message = f"the change cannot be merged: both sides changed {named}{more}"
    if name:
        message = f"the name `{name}` was taken in the meantime; {message}"
        hint = f"Rename your entry: its folder, its artifact and what names it inside. {REBASE}"
        return FindingsError("MERGE_CONFLICT", message, hint)
    taken = next((release for path in paths if (release := _release(path))), None)
    if taken is None:
        return FindingsError("MERGE_CONFLICT", message, REBASE)
    message = f"{taken.version} of `{taken.name}` was released in the meantime; {message}"
    following = parse_version(taken.version).bump_patch()
    hint = f"Release yours as {following} or higher, in a folder of its own. {REBASE}"
    return FindingsError("MERGE_CONFLICT", message, hint)


def _release(path: str) -> ReleaseId | None:
    release = ReleaseId.of(PurePosixPath(path))
    return release if release and is_version(release.version) and is_name(release.name) else None


def _uncertain(why: str) -> FindingsError:
    message = f"the merge result is not certain: {why}"
    return FindingsError("MERGE_UNCERTAIN", message, REBASE)


def _shown(path: str) -> str:
    """Return a path on one line, in ASCII."""
    return ascii(path if len(path) <= _LONGEST else f"{path[:_LONGEST]}…")
