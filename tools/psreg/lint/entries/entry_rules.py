"""The rules about entry.toml, the one file of an entry that may change. `path` is set."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, pairwise

from psreg.core.diagnostics import ERROR, Finding
from psreg.core.identity import is_name
from psreg.core.rule import Rule, rule
from psreg.core.spelling import nearest
from psreg.core.ssh_key import SshKey
from psreg.core.terminal import code_point, control_in
from psreg.core.version import parse_version
from psreg.formats.json.pointer import join
from psreg.formats.toml_document import MOST
from psreg.formats.tree import Entry
from psreg.lint.entries.waiver_rules import Place, faults_of_keys, faults_of_reason
from psreg.lint.parser_findings import of_violations


@rule("REG012", spec="pbe-1.0/PBE-A12", severity=ERROR)
def versions_differ_in_build_only(entry: Entry) -> Iterator[Finding]:
    """Two versions differ only in their build metadata.

    ## Why
    `1.0.0+a` and `1.0.0+b` have the same precedence in SemVer: no program can tell which one is
    newer, so a range such as `^1.0` would select one of them by chance.

    ## Fix
    Increase the patch number of the newer release instead of changing the part after the `+`.

    ```text
    before   1.0.0    1.0.0+fixed
    after    1.0.0    1.0.1
    ```
    """
    for one, other in pairwise(entry.versions):
        if parse_version(one) == parse_version(other):
            yield Finding(
                message=f"{one} and {other} differ in build metadata only",
                path=str(entry.path.parent / other / "release.toml"),
                hint=f"Release {parse_version(other).bump_patch()} instead.",
            )


@rule("REG016", spec="registry/ENTRY", severity=ERROR)
def bad_entry_file(entry: Entry) -> Iterator[Finding]:
    """entry.toml is missing or invalid.

    ## Why
    entry.toml says who owns a name, how many owners must sign a release, and which versions are
    withdrawn. With a missing or misspelled key, the registry would do something that its author did
    not intend, or nothing at all. A reason is shown to everybody who installs the prompt: `.` or
    "n/a" tells them nothing, and with a line break or another control character it could look like
    several lines of output.

    ## Fix
    Every entry needs this file. While a name has no owner, the maintainers of the registry look
    after it:

    ```toml
    owners = []
    ```

    An owner is an account, identified by the number that the forge gave it:

    ```toml
    owners = [{forge = "github", id = 583231, login = "octocat"}]
    threshold = 1
    ```
    """
    path = str(entry.path)
    if entry.path not in entry.documents:
        yield Finding(
            message="entry.toml is missing",
            path=path,
            hint="Create the file with the line `owners = []` if the name has no owner.",
        )
    yield from of_violations(entry.file.violations, "REG016", path)
    owners = entry.file.owners[:MOST]
    if owners and entry.file.threshold > len(owners):
        yield Finding(
            message=f"the threshold is {entry.file.threshold}; there are {len(owners)} owner(s)",
            at="/threshold",
            path=path,
            hint=f"Write {len(owners)} or less.",
        )
    for index, owner in enumerate(owners):
        account = (owner.get("forge"), owner.get("id"))
        if account in [(o.get("forge"), o.get("id")) for o in owners[:index]]:
            message = "the same account is listed twice"
            yield Finding(message=message, at=join(("owners", index)), path=path)
        if control := control_in(str(owner.get("login", ""))):
            message = f"the login contains {code_point(control)}, a control character"
            at = join(("owners", index, "login"))
            yield Finding(message=message, at=at, path=path, since="0.2.0")
    faults = (faults_of_reason(text, at, path) for at, text in _reasons(entry) if text)
    yield from islice(chain.from_iterable(faults), MOST)


def _reasons(entry: Entry) -> Iterator[tuple[str, str]]:
    if deprecated := entry.file.deprecated:
        yield "/deprecated/reason", deprecated.get("reason", "")
    for version, reason in entry.file.yanked.items():
        yield join(("yanked", version)), reason


@rule("REG019", spec="registry/ENTRY", severity=ERROR)
def points_to_nothing(entry: Entry) -> Iterator[Finding]:
    """entry.toml yanks a version or recommends an entry that does not exist.

    ## Why
    If the version is misspelled, nothing is yanked and people continue to install the bad version.
    A replacement that does not exist leaves people without an alternative.

    ## Fix
    Write the version exactly as its folder is named, and the replacement exactly as its entry is
    named.

    ```toml
    [deprecated]
    reason = "Superseded by a version with save and resume."
    replacement = "quiz_master"

    [yanked]
    "1.0.1" = "Loses the score after a save."
    ```
    """
    path = str(entry.path)
    for version in islice((v for v in entry.file.yanked if v not in entry.folders), MOST):
        yield Finding(
            message=f"unknown version {version}",
            at=join(("yanked", version)),
            key=True,
            path=path,
            hint=f"Versions: {', '.join(entry.versions) or 'none'}.",
        )
    replacement = (entry.file.deprecated or {}).get("replacement")
    if replacement is not None and (
        replacement == entry.name or replacement not in entry.tree.names
    ):
        near = nearest(replacement, [name for name in entry.tree.names if name != entry.name])
        itself = replacement == entry.name
        yield Finding(
            message="an entry cannot replace itself"
            if itself
            else f"unknown entry `{replacement}`",
            at="/deprecated/replacement",
            path=path,
            hint=f"Did you mean `{near}`?" if near and not itself else "",
        )


@rule("REG024", spec="registry/ENTRY pbe-1.0/PBE-05", severity=ERROR)
def alias_not_free(entry: Entry) -> Iterator[Finding]:
    """An alias is not a valid name, or is already in use.

    ## Why
    An alias is a second name under which people find an entry. If it were also the name or the
    alias of another entry, an old habit or link would lead to someone else's prompt.

    ## Fix
    Remove the alias or choose an unused one. Aliases follow the same grammar as names.

    ```toml
    aliases = ["quiz_simple"]
    ```
    """
    for index, alias in islice(entry.file.strings("aliases"), MOST):
        if not is_name(alias):
            message = f"`{alias}` is not a name"
        elif alias in entry.tree.names:
            message = f"`{alias}` is the name of an entry"
        elif alias in entry.file.aliases[:index]:
            message = f"`{alias}` is listed twice"
        elif other := next(
            (e.name for e in entry.tree.with_alias(alias) if e.name != entry.name), ""
        ):
            message = f"`{alias}` is also an alias of `{other}`"
        else:
            continue
        yield Finding(message=message, at=join(("aliases", index)), path=str(entry.path))


@rule("REG039", spec="registry/ENTRY", severity=ERROR, since="0.2.0")
def owner_key_not_usable(entry: Entry) -> Iterator[Finding]:
    """A key of an owner is not a public SSH key that can sign, or too few owners have one.

    ## Why
    Once a name is claimed, a release counts only if its owners signed it with these keys. If a key
    is cut off, or of a kind that is broken, or if fewer owners have keys than `threshold` asks for,
    nobody can release anything under the name. Several keys of one owner count as one.

    ## Fix
    Copy the whole line of each public key, which is in a file such as `~/.ssh/id_ed25519.pub`. The
    private key stays where it is. `ssh-keygen -t ed25519` makes a new pair.

    ```toml
    threshold = 1
    [[owners]]
    forge = "github"
    id = 583231
    login = "octocat"
    keys = ["ssh-ed25519 AAAA… laptop"]
    ```
    """
    path, usable = str(entry.path), dict[Place, SshKey]()
    yield from faults_of_keys(entry.file.keys, path, usable)
    signers = {place[1] for place in usable}
    if 0 < len(signers) < entry.file.threshold:
        yield Finding(
            message=f"{entry.file.threshold} owners must sign, and only {len(signers)} of them "
            f"{'has a key' if len(signers) == 1 else 'have keys'}",
            at="/threshold",
            path=path,
            hint="List the keys of more owners, or lower the number.",
        )


ENTRY_RULES: tuple[Rule[Entry], ...] = (
    versions_differ_in_build_only,
    bad_entry_file,
    points_to_nothing,
    alias_not_free,
    owner_key_not_usable,
)
"""The rules judged once per entry."""
