"""A tour of the review: many branches of a bare repository, judged by the real command line.

    python tests/review_tour.py [DIR] [CASE…]

Runs all cases, or those named. Prints `case verdict exit reason-codes` for each and compares with review_tour.expected, a table
that was written by hand. Exits 1 if a line differs, if anything of a repository was executed, or
if anything was written. Nothing is mocked: Git makes the branches, psreg is run once for each.
"""

import json
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import review_cases as cases
from support.bare import ALONE, PLAIN, STARTED, Bare
from support.paths import SOURCE
from support.warm_psreg import run_psreg

EXPECTED = Path(__file__).with_suffix(".expected")
SLEEPERS = ("post-checkout", "pre-auto-gc", "post-index-change", "reference-transaction")


class Tour:
    """The repository, and where the psreg processes run."""

    def __init__(self, root):
        self.root = root
        self.canary = root / "canary"
        self.home = root / "home"
        self.home.mkdir()
        self.bare = Bare(root / "prompts.git")
        self.cases = {}

    def build(self):
        """Make the branches, and lay out everything that must not be started."""
        self.bare.commit("main", cases.base(), parent=None)
        for group in (cases.GOOD, cases.HUMAN, cases.BROKEN, cases.hostile()):
            for name, files in group.items():
                self.bare.commit(name, files)
                self.add(name, head=name)
        self._named_to_be_run()
        self.bare.commit("stranger", {"README.md": b"# Elsewhere\n"}, parent=None)
        self.bare.write()
        self._impossible_trees()
        self._merges()
        self._histories()
        self._bait()

    def add(self, case, *options, head=None, base="main", author=cases.ANA, where=None):
        """Note a case: which revision is judged, against which, for whom, and where."""
        said = {"head": head, "base": base, "author-id": author}
        given = (f"--{key}={value}" for key, value in said.items() if value is not None)
        self.cases[case] = ["review", "--format=json", *given, *options, where or self.bare.path]

    def _named_to_be_run(self):
        for case, branch in (
            ("branch_with_a_command", "x;touch${IFS}canary"),
            ("branch_with_a_substitution", "$(touch${IFS}canary)`id`"),
            ("branch_like_an_option", "--output=canary"),
        ):
            self.bare.commit(branch, cases.PATCH)
            self.add(case, head=f"refs/heads/{branch}")
        title = "x'; touch canary; $(touch canary) `touch canary` <!-- psreg review --> @everyone\n"
        self.bare.commit("title", cases.PATCH, title=title)
        self.add("title_with_a_command", head="title")

    def _impossible_trees(self):
        blob = self.bare.loose("blob", b"x\n")
        inner = self.bare.tree([(PLAIN, b"evil.md", blob)])
        for case, name, mode, what in (
            ("path_of_two_dots", b"..", "40000", inner),
            ("path_through_two_dots", b"../../../../canary", PLAIN, blob),
            ("path_from_the_root", b"/canary", PLAIN, blob),
            ("path_of_git_itself", b".git", "40000", inner),
            ("path_without_a_name", b"", PLAIN, blob),
        ):
            self.bare.graft(case, f"{cases.HELLO}/1.1.0", [(mode, name, what)])
            self.add(case, head=case)
        missing = [(PLAIN, b"notes.md", "1" * 40)]
        self.bare.graft("object_missing", f"{cases.HELLO}/1.1.0", missing)
        self.add("object_missing", head="object_missing")

    def _merges(self):
        """Let branches part at several commits, and change what main changed since."""
        parted = self.bare.git("rev-parse", "main^{tree}")
        self.bare.point("one", parted)
        self.bare.point("two", self.bare.git("rev-parse", "patch^{tree}"))
        self.bare.point("crossed", parted, parents=("one", "two"))
        patch = self.bare.git("rev-parse", "patch^{tree}")
        self.bare.point("several_merge_bases", patch, parents=("two", "one"))
        self.add("several_merge_bases", head="several_merge_bases", base="crossed")
        self.bare.commit("edited", {"README.md": b"# Edited\n"})
        self.bare.commit("edited_too", {**cases.PATCH, "README.md": b"# Edited, too\n"})
        self.bare.write()
        self.add("merge_conflict", head="edited_too", base="edited")
        self.add("behind_main", head="patch", base="edited")

    def _histories(self):
        self.add("nobody_known", head="patch", author=None)
        self.add("someone_else", head="patch", author=cases.BOB)
        self.add("other_forge", "--forge=gitlab", head="patch")
        self.add("no_merge_base", head="stranger")
        self.add("no_such_head", head="nowhere")
        self.add("no_such_base", head="patch", base="nowhere")
        self.add("head_like_an_option", head="--output=canary")
        self.add("head_with_a_newline", head="patch\nmain")
        self.add("base_is_no_commit", head="patch", base="main:README.md")
        self.add("usual_base", head="patch", base=None)
        self.add("no_forge_to_post_to", "--post", head="patch")
        self.add("author_by_name", head="patch", author="octocat")
        shallow = self.root / "shallow.git"
        source = self.bare.path.as_uri()
        self.bare.git("clone", "-q", "--bare", "--depth=1", "--branch=patch", source, shallow)
        self.add("shallow_clone", head="patch", where=shallow)
        self.add("no_repository", head="patch", where=self.home)
        clone = self.root / "clone"
        self.bare.git("init", "-q", "-b", "mine", clone)
        wanted = ("main:refs/remotes/origin/main", "patch:refs/remotes/origin/patch")
        self.bare.git("fetch", "-q", source, *wanted, cwd=clone)
        self.bare.git("checkout", "-q", "--detach", "origin/patch", cwd=clone)
        self.add("detached_head_of_a_clone", base="origin/main", where=clone)
        self.add("dirty_clone", base=None, where=clone)
        (clone / cases.HELLO / "1.1.1/hello.prompt").write_text("not committed\n")

    def _bait(self):
        """Let every repository start a program that leaves a trace, if anything starts it."""
        program = self.root / "program"
        program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{self.canary}'\n")
        program.chmod(0o755)
        for folder in (self.bare.path, self.root / "shallow.git", self.root / "clone/.git"):
            for name in SLEEPERS:
                hook = folder / "hooks" / name
                hook.parent.mkdir(exist_ok=True)
                hook.unlink(missing_ok=True)
                hook.symlink_to(program)
            lines = []
            for setting in STARTED:
                section, _, key = setting.rpartition(".")
                first, _, rest = section.partition(".")
                named = f'[{first} "{rest}"]' if rest else f"[{first}]"
                lines.append(f"{named}\n\t{key} = {program}\n")
            with (folder / "config").open("a") as config:
                config.writelines(lines)
            (folder / "info").mkdir(exist_ok=True)
            (folder / "info/attributes").write_text("* filter=evil diff=evil\n")

    def run(self, case):
        """Return the line of a case."""
        done = run_psreg(*self.cases[case], cwd=self.home, env=self._environment())
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        document = json.loads(done.stdout)
        if "error" in document:
            return f"{case} - {done.returncode} {document['error']['code']}"
        codes = sorted({reason["code"] for reason in document["reasons"]})
        return " ".join([case, document["verdict"], str(done.returncode), *codes])

    def _environment(self):
        program = str(self.root / "program")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIT", "CI_"))}
        started = ("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_ASKPASS", "GIT_EDITOR")
        return {**kept, **ALONE, "HOME": str(self.home), "PYTHONPATH": str(SOURCE)} | dict.fromkeys(
            started, program
        )

    def state(self):
        """Return all that lies here, to see later that nothing was written."""
        found = {}
        for path in self.root.rglob("*"):
            status = path.lstat()
            if not path.is_dir():
                found[str(path.relative_to(self.root))] = (status.st_size, status.st_mtime_ns)
        return found


def expected():
    """Return the line of each case, by its name."""
    rows = (row for row in EXPECTED.read_text().splitlines() if row and row[0] != "#")
    return {row.split()[0]: row for row in rows}


def take(root, named):
    """Return the lines of a tour of the cases `named`, or of all, and what it left behind."""
    tour = Tour(root)
    tour.build()
    before = tour.state()
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        lines = list(pool.map(tour.run, named or tour.cases))
    after = tour.state()
    left = sorted(
        path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
    )
    return lines, left


def main(argv):
    """Take the tour in a folder of its own and compare."""
    named = argv[2:]
    with tempfile.TemporaryDirectory(dir=argv[1] if argv[1:] else None) as folder:
        lines, left = take(Path(folder), named)
    print("\n".join(lines))
    wanted = [row for name, row in expected().items() if not named or name in named]
    differing = [f"- {row}" for row in wanted if row not in lines]
    differing += [f"+ {row}" for row in lines if row not in wanted]
    differing += [f"! executed or written: {path}" for path in left]
    print(f"\n{len(lines)} cases, {len(differing)} differences", *differing, sep="\n")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
