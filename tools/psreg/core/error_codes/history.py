"""Codes about Git: the repository, branches, and changes that a review refuses."""

from __future__ import annotations

from psreg.core.error_codes.row import ErrorCode, Subject

GIT = Subject(
    title="Git and submitting",
    codes=(
        ErrorCode(
            code="NO_GIT",
            exit_code=4,
            meaning="The program `git` is not installed or not on the `PATH`.",
            remedy="Install Git 2.30 or newer.",
        ),
        ErrorCode(
            code="NO_REPOSITORY",
            exit_code=4,
            meaning="The path is not in a Git repository.",
            remedy="Run the command in a clone of the registry, or name one.",
        ),
        ErrorCode(
            code="NO_CLONE",
            exit_code=2,
            meaning="The registry's folder is not the top folder of a Git clone.",
            remedy="Clone the registry with `git clone`, or submit through its issue form.",
        ),
        ErrorCode(
            code="REVISION_UNKNOWN",
            exit_code=4,
            meaning="The repository has no such branch, tag or commit.",
            remedy="Check the spelling, or fetch it with the command in the hint.",
        ),
        ErrorCode(
            code="OBJECT_MISSING",
            exit_code=4,
            meaning="The repository lacks a file that the change needs: the clone is partial "
            "or damaged.",
            remedy="Run `git fetch --no-filter --refetch`.",
        ),
        ErrorCode(
            code="GIT",
            exit_code=4,
            meaning="A `git` command failed.",
            remedy="Read what Git says in the message, and correct that first.",
        ),
        ErrorCode(
            code="REMOTE",
            exit_code=4,
            meaning="A `git` command that talks to the remote failed.",
            remedy="Check your connection and your rights to the remote; `git fetch` should work.",
        ),
        ErrorCode(
            code="NO_REMOTE",
            exit_code=2,
            meaning="The clone has no remote, or none of this name.",
            remedy="List the remotes with `git remote -v`, or add one with `git remote add`.",
        ),
        ErrorCode(
            code="NO_IDENTITY",
            exit_code=2,
            meaning="Git does not know in whose name to commit.",
            remedy="Run `git config user.name` and `git config user.email` with your name and "
            "address.",
        ),
        ErrorCode(
            code="NOTHING_NEW",
            exit_code=2,
            meaning="There is nothing to submit: the entries are the same as those merged.",
            remedy="Save your changes first, or start an entry with `psreg new CLASS NAME`.",
        ),
        ErrorCode(
            code="SEVERAL",
            exit_code=2,
            meaning="Several entries changed, and each is submitted on a branch of its own.",
            remedy="Name the entry to submit.",
        ),
        ErrorCode(
            code="BRANCH_IN_USE",
            exit_code=1,
            meaning="The branch of the submission is checked out, and psreg never changes what is "
            "checked out.",
            remedy="Switch to another branch with `git switch`, then run the command again.",
        ),
        ErrorCode(
            code="APPROVED",
            exit_code=1,
            meaning="The pull request of the branch is approved, and another push would change "
            "what the approval was given for.",
            remedy="Ask the reviewer to withdraw the approval, or wait until it is merged and "
            "submit the change as the next version.",
        ),
        ErrorCode(
            code="APPROVAL_UNKNOWN",
            exit_code=4,
            meaning="The branch of the submission already exists on the remote, and psreg cannot "
            "tell whether its pull request is approved: the forge does not answer, refuses, or is "
            "neither GitHub nor GitLab.",
            remedy="Set `GITHUB_TOKEN` or `GITLAB_TOKEN` if the repository is private. Otherwise "
            "look at the page of the pull request, and if nobody has approved it, run `psreg "
            "submit` again with `--force`.",
        ),
        ErrorCode(
            code="BRANCH_MOVED",
            exit_code=1,
            meaning="The branch has commits that psreg did not make: another program changed it "
            "while psreg was preparing the commit, or somebody pushed to it.",
            remedy="Run the command again. If somebody pushed to the branch, close or merge its "
            "pull request and delete the branch first.",
        ),
    ),
)

REVIEW = Subject(
    title="Review",
    codes=(
        ErrorCode(
            code="NO_BASE",
            exit_code=2,
            meaning="psreg cannot guess which branch the change is to be merged into.",
            remedy="Name it with `--base REV`.",
        ),
        ErrorCode(
            code="HISTORY_CUT",
            exit_code=4,
            meaning="The clone is too shallow to show where the change left the main branch.",
            remedy="Fetch the rest of the history with the command in the hint.",
        ),
        ErrorCode(
            code="NO_MERGE_BASE",
            exit_code=1,
            meaning="The change and the main branch share no history, so the change cannot be "
            "merged.",
            remedy="Start a branch at the registry's main branch and make the change there.",
        ),
        ErrorCode(
            code="SEVERAL_MERGE_BASES",
            exit_code=1,
            meaning="The change and the main branch were merged into each other, so they left "
            "each other at several commits, not at one.",
            remedy="Rebase the change on the registry's main branch.",
        ),
        ErrorCode(
            code="MERGE_CONFLICT",
            exit_code=1,
            meaning="The change and the main branch changed the same files in different ways.",
            remedy="Rebase the change on the registry's main branch and resolve the conflicts in "
            "the files that the message names.",
        ),
        ErrorCode(
            code="MERGE_UNCERTAIN",
            exit_code=1,
            meaning="psreg cannot be certain what merging the change would give.",
            remedy="Rebase the change on the registry's main branch.",
        ),
        ErrorCode(
            code="GIT_TOO_OLD",
            exit_code=1,
            meaning="The Git of the machine that reviews is too old to try the merge.",
            remedy="Install Git 2.38 or newer there.",
        ),
        ErrorCode(
            code="TREE_MALFORMED",
            exit_code=1,
            meaning="A commit contains a path that Git refuses to check out, such as `.git`, "
            "`..` or the same name twice.",
            remedy="Make the commit again with an ordinary `git`, without the path in the message.",
        ),
        ErrorCode(
            code="TOO_MANY_FILES",
            exit_code=1,
            meaning="The change has more files and folders than a review reads.",
            remedy="Divide it into several pull requests.",
        ),
    ),
)
