"""What a review costs: of one release added to 10,000 entries, against the same among 100.

Names are three words each, every entry.toml is different, and a hundredth of them lists aliases,
which a new name must not have. As many names are published, with whose texts that of the release is
compared. The page cache is cold for a repository's files after
`posix_fadvise(POSIX_FADV_DONTNEED)` on each; Python and git themselves stay warm.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import generate
import synthetic
from measure import Metric

MANY, FEW = 10_000, 100
RUNS = 9
SECONDS = 1.5
GROWTH = 1.3
READING = 0.5
UNTESTED = "REG011"
NEW = "mind_map_maker"
OWNED = 'owners = [{{forge = "github", id = {id}, login = "made{id}"}}]\nthreshold = 1\naliases = {aliases}\n'
NEEDS_HUMAN = 42
GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ana",
    "GIT_AUTHOR_EMAIL": "ana@example.org",
    "GIT_COMMITTER_NAME": "Ana",
    "GIT_COMMITTER_EMAIL": "ana@example.org",
}
TIMED = """\
import sys, time
from pathlib import Path
import git
from psreg.git.repository import open_repository
began = time.perf_counter()
if sys.argv[2] == "ours":
    with open_repository(Path(sys.argv[1])) as repository:
        blobs = [data for _, data in repository.tree("main").contents()]
else:
    tree = git.Repo(sys.argv[1]).commit("main").tree
    blobs = [item.data_stream.read() for item in tree.traverse() if item.type == "blob"]
print(time.perf_counter() - began, len(blobs), sum(map(len, blobs)))
"""


def review():
    """The whole process, for a new name, which is compared with all others."""
    with tempfile.TemporaryDirectory() as folder:
        many, few = (_repository(Path(folder, str(n)), n) for n in (MANY, FEW))
        for cache, prepare in (("warm", lambda _: None), ("cold", _forget)):
            took = {many: [], few: []}
            for repository in [many, few] * RUNS:
                prepare(repository)
                took[repository].append(_review(repository))
            large, small = (statistics.median(took[one]) for one in (many, few))
            yield Metric(f"review one release among 10,000, {cache} page cache, s", large, SECONDS)
            yield Metric(
                f"review one release among 10,000, {cache} page cache, s, vs among 100",
                large,
                GROWTH,
                small,
            )


def revision():
    """All files of a commit with 10,000 blobs, from opening the repository on."""
    with tempfile.TemporaryDirectory() as folder:
        repository = _repository(Path(folder, "r"), MANY // 4)  # four files an entry
        took = {"ours": [], "GitPython's": []}
        read = set()
        for who in [*took] * RUNS:
            command = [sys.executable, "-c", TIMED, str(repository), who]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            seconds, *what = done.stdout.split()
            took[who].append(float(seconds))
            read.add(tuple(what))
        if len(read) != 1:
            sys.exit(f"bench: the two read different bytes: {read}")
        ours, theirs = (statistics.median(seconds) for seconds in took.values())
        yield Metric(
            "read 10,000 blobs, s, vs GitPython's traverse and read", ours, READING, theirs
        )


def _repository(root, number):
    """Make a clone with `number` entries on the branch `main` and one more on `new`."""
    (root / "registry").mkdir(parents=True)
    (root / "registry/policy.toml").write_text(generate.POLICY.format(code=UNTESTED))
    for n, name in enumerate(generate.names(number)):
        aliases = f'["old_{name}"]' if n % 100 == 0 else "[]"
        generate.entry(root, name, n, OWNED.format(id=n + 1, aliases=aliases))
    synthetic.build(root.with_suffix(".signed"), number, at_once=True)
    for folder in ("metadata", "targets"):
        shutil.move(root.with_suffix(".signed") / "registry" / folder, root / "registry")
    _git(root, "init", "-q", "-b", "main")
    _git(root, "config", "gc.auto", "0")  # none in the background
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", "Begin")
    _git(root, "switch", "-qc", "new")
    generate.entry(root, NEW, number, OWNED.format(id=number, aliases="[]"))
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", "Add one")
    _git(root, "gc", "-q")  # as a clone is packed
    return root


def _git(root, *arguments):
    subprocess.run(["git", *arguments], cwd=root, env={**os.environ, **GIT}, check=True)


def _forget(root):
    """Let the kernel drop what it remembers of the repository."""
    os.sync()
    for path in (root / ".git").rglob("*"):
        if path.is_file():
            number = os.open(path, os.O_RDONLY)
            os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(number)


def _review(root):
    """Return the wall seconds of one review, whose verdict must be that a human decides."""
    command = [
        sys.executable,
        "-m",
        "psreg",
        "review",
        "--base=main",
        "--head=new",
        "--format=json",
    ]
    began = time.perf_counter()
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    if done.returncode != NEEDS_HUMAN:
        sys.exit(f"bench: the review ended with {done.returncode}:\n{done.stderr.decode()}")
    return time.perf_counter() - began
