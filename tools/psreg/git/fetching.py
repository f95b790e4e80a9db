"""The command that fetches what a clone lacks, ready to be typed; psreg itself fetches nothing."""

from __future__ import annotations

import re
import shlex

from psreg.git.process import Git

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NAME = re.compile(r"[^-~^:?*\[\\@\s][^~^:?*\[\\\s]*")
"""A name of a branch or tag, as git check-ref-format has it, roughly: git has the last word."""


def fetch_command(git: Git, rev: str = "") -> str:
    """Return the command after which the repository has `rev`, and all of its history."""
    remotes = (git.ask("remote") or b"").decode("utf-8", "replace").split()
    if not remotes:
        return "this repository has no remote to fetch it from; add one with git remote add"
    remote = "origin" if "origin" in remotes else remotes[0]
    shallow = (git.ask("rev-parse", "--is-shallow-repository") or b"").strip() == b"true"
    words = ["git", "fetch", *(["--unshallow"] if shallow else []), remote]
    wanted = _refspec(rev, remote)
    if rev and not wanted and not shallow:
        return "name a commit that this repository has, such as HEAD or a branch"
    return shlex.join([*words, *([wanted] if wanted else [])])


def _refspec(rev: str, remote: str) -> str:
    """Return what to ask the remote for, so that `rev` names it afterwards; "" if nothing does."""
    if _ID.fullmatch(rev):
        return rev
    if not _NAME.fullmatch(rev) or rev == "HEAD" or rev.endswith("_HEAD"):
        return ""
    if rev.startswith("refs/remotes/"):
        rev = rev.removeprefix("refs/remotes/")
    elif rev.startswith("refs/"):
        return f"+{rev}:{rev}"
    branch = rev.removeprefix(f"{remote}/")
    here = "heads" if branch == rev else f"remotes/{remote}"
    return f"+refs/heads/{branch}:refs/{here}/{branch}"
