"""A bare Git repository made of mappings, for tests of what reads repositories.

Commits are written by `git fast-import`; trees that Git itself would not make (`..` as a name, a
name with a slash) are written as loose objects. No hook, no setting of the machine has a say.
"""

import hashlib
import os
import subprocess
import zlib
from pathlib import Path

PLAIN, EXECUTABLE, LINK, SUBMODULE = "100644", "100755", "120000", "160000"

ALONE = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "Ana",
    "GIT_AUTHOR_EMAIL": "ana@example.org",
    "GIT_COMMITTER_NAME": "Ana",
    "GIT_COMMITTER_EMAIL": "ana@example.org",
    "GIT_TERMINAL_PROMPT": "0",
}
"""What keeps Git from asking the machine."""

STARTED = (
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "diff.external",
    "diff.evil.command",
    "diff.evil.textconv",
    "filter.evil.smudge",
    "filter.evil.clean",
    "filter.evil.process",
    "merge.evil.driver",
    "interactive.diffFilter",
    "credential.helper",
    "gpg.program",
    "trailer.x.command",
    "uploadpack.packObjectsHook",
)
"""Settings by which Git starts a program."""

DELETED = None


class Bare:
    """A bare repository at `path` whose branches are made by `commit`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.git("init", "-q", "--bare", "-b", "main", path, cwd=path.parent)
        self.stream = []

    def git(self, *arguments, cwd=None, data=None):
        done = subprocess.run(
            ["git", *map(str, arguments)],
            cwd=cwd or self.path,
            env={**os.environ, **ALONE},
            input=data,
            capture_output=True,
            check=True,
        )
        return done.stdout.decode().strip()

    def commit(self, branch, files, *, parent="refs/heads/main", title="Change it"):
        """Note a commit; `files` maps paths to bytes, `(mode, bytes or sha)` or DELETED."""
        say = self.stream.append
        say(b"commit refs/heads/%s\n" % branch.encode())
        say(b"committer Ana <ana@example.org> 1700000000 +0000\n")
        say(data_of(title.encode()))
        if parent:
            say(b"from %s\n" % parent.encode())
        for path, content in files.items():
            say(entry_of(os.fsencode(path), content))

    def write(self):
        """Write what was noted."""
        self.git("fast-import", "--quiet", "--force", data=b"".join([*self.stream, b"done\n"]))
        self.stream = []

    def loose(self, kind, content):
        """Write an object as it is and return its name."""
        data = b"%s %d\0%s" % (kind.encode(), len(content), content)
        name = hashlib.sha1(data).hexdigest()
        place = self.path / "objects" / name[:2] / name[2:]
        place.parent.mkdir(exist_ok=True)
        if not place.exists():
            place.write_bytes(zlib.compress(data, 1))
        return name

    def tree(self, rows):
        """Write a tree of `(mode, name, object)` in the order given."""
        return self.loose(
            "tree",
            b"".join(
                b"%s %s\0%s" % (mode.lstrip("0").encode(), name, bytes.fromhex(sha))
                for mode, name, sha in rows
            ),
        )

    def rows(self, tree):
        """Return the rows of the tree that a revision names."""
        found = self.git("ls-tree", "-z", tree).split("\0")
        parts = [row.partition("\t") for row in found if row]
        return [(p[0].split()[0], os.fsencode(p[2]), p[0].split()[2]) for p in parts]

    def graft(self, branch, folder, rows):
        """Make a branch of main whose `folder` has more `rows`, whatever Git thinks of them."""
        tree = self.tree(sorted([*self.rows(f"main:{folder}"), *rows], key=lambda row: row[1]))
        parts = folder.split("/")
        while parts:
            *parts, name = parts
            around = self.rows("main:" + "/".join(parts))
            tree = self.tree([(m, n, tree if n == name.encode() else s) for m, n, s in around])
        self.point(branch, tree)

    def point(self, branch, tree, parents=("main",)):
        """Make a commit of a tree and a branch of it."""
        lines = [f"tree {tree}", *(f"parent {self.git('rev-parse', p)}" for p in parents)]
        who = "Ana <ana@example.org> 1700000000 +0000"
        lines += [f"author {who}", f"committer {who}", "", "Graft", ""]
        commit = self.loose("commit", "\n".join(lines).encode())
        self.git("update-ref", f"refs/heads/{branch}", commit)


def data_of(content):
    return b"data %d\n%s\n" % (len(content), content)


def entry_of(path, content):
    quoted = (
        b'"'
        + b"".join(b"\\%03o" % c if c < 33 or c in b'"\\' or c > 126 else bytes([c]) for c in path)
        + b'"'
    )
    if content is DELETED:
        return b"D %s\n" % quoted
    mode, content = (PLAIN, content) if isinstance(content, bytes) else content
    if mode == SUBMODULE:
        return b"M %s %s %s\n" % (mode.encode(), content.encode(), quoted)
    return b"M %s inline %s\n%s" % (mode.encode(), quoted, data_of(content))
