"""`psreg sign NAME[@VERSION]`: sign a release with the SSH key of one of its owners.

With `--owners`, that owner signs who owns the name from then on, and with `--yank`, whether a
version is yanked, both as entry.toml says. With `--object`, that owner prevents that others get the
name because its owners are said to have lost their keys. With `--review`, a reviewer whom the
policy of the registry lists signs that they read it. OpenSSH signs; nothing else has to be
installed. Without psreg, the same is `… | ssh-keygen -Y sign -n NAMESPACE -f KEY`, with what
`--message` prints; the namespace is `release@psreg`, `owners@psreg`, `yank@psreg` or
`review@psreg`.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.authoring.bump import entry_called
from psreg.core.errors import UnavailableError, UsageError
from psreg.formats.tree import Tree
from psreg.registry.checkout import read_tree, required_checkout
from psreg.system import clock
from psreg.system.atomic import write_file
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.core.ssh_key import SshKey
    from psreg.registry.owners.to_sign import Signable

EXAMPLE = "psreg sign quiz_master"
SCHEMA = "psreg.sign/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "name", metavar="NAME[@VERSION]", help="what to sign (default: its highest version)"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--owners",
        action="store_true",
        help="sign that the owners in entry.toml own NAME from now on",
    )
    what.add_argument(
        "--yank",
        action="store_true",
        help="sign whether NAME@VERSION is yanked, as entry.toml says",
    )
    what.add_argument(
        "--object",
        action="store_true",
        help="sign that you still have a key, so that NAME is not recovered for others",
    )
    parser.add_argument(
        "--review",
        action="store_true",
        help="sign that you reviewed NAME@VERSION; your key is in the registry's policy",
    )
    parser.add_argument(
        "--key",
        type=Path,
        metavar="FILE",
        help="SSH key to sign with (default: the one in ~/.ssh or the agent that an owner lists)",
    )
    parser.add_argument(
        "--message", action="store_true", help="only print what is signed, for ssh-keygen"
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Write a signature beside the version folder."""
    root = required_checkout(".")
    signable = _signable(root, args)
    if args.message:
        console.content(signable.statement.message)
        return 0
    key, source = _key(signable, args.key)
    status = "unchanged"
    if key not in signable.signed:
        _write(root, signable, key, source)
        status = "signed"
    document = _document(signable, key, status)
    if console.machine:
        console.json(document)
    elif not console.quiet:
        for line in _lines(document, signable):
            console.line(line)
    return 0


def _signable(root: Path, args: Namespace) -> Signable:
    """Return the release to sign or to review, the change of the owners, objection, or yank.

    Raises:
        UsageError: a version was named with `--owners` or `--object`, none with `--yank`, or
            `--review` as well.
        UnavailableError: NOT_PUBLISHED: the checkout has no registry; NOT_FOUND; NO_LOG.
        FindingsError: NOTHING_TO_SIGN.
    """
    from psreg.registry.owners import to_sign
    from psreg.registry.store_folder import RegistryFolder
    from psreg.registry.trust.reading import open_registry

    what = next((each for each in ("owners", "yank", "object") if getattr(args, each)), "")
    name, at, version = args.name.partition("@")
    if args.review and what:
        raise UsageError("USAGE", f"`--{what}` and `--review` sign different things")
    if what in ("owners", "object") and at:
        raise UsageError("USAGE", f"`--{what}` is about all versions", f"Write `{name}`.")
    if what == "yank" and not version:
        raise UsageError("USAGE", "`--yank` is about one version", f"Write `{name}@VERSION`.")
    entry = entry_called(Tree(read_tree(root)), name)
    version = version or entry.versions[-1]
    if version not in entry.versions:
        known = ", ".join(entry.versions)
        raise UnavailableError("NOT_FOUND", f"{name} has no version {version}; it has {known}")
    state = open_registry(RegistryFolder(root / "registry").read)
    if state is None:
        raise UnavailableError(
            "NOT_PUBLISHED",
            "the checkout has no signed registry, whose id is a part of what is signed",
            "Clone the registry's repository and sign there.",
        )
    if what == "owners":
        return to_sign.owners_to_sign(entry, state)
    if what == "object":
        return to_sign.objection_to_sign(entry, state)
    if what == "yank":
        return to_sign.yank_to_sign(entry, version, state)
    if args.review:
        return to_sign.to_review(entry, version, state, clock.now(), entry.tree.policy.reviewers)
    return to_sign.to_sign(entry, version, state, clock.now())


def _key(signable: Signable, chosen: Path | None) -> tuple[SshKey, Path | str]:
    """Return the key of somebody who can sign, and what to sign with, as `ssh_keygen.sign`.

    Raises:
        UnavailableError: NO_OWNERS_KEY or NO_REVIEWERS_KEY; NOT_FOUND: there is no such file.
    """
    from psreg.core.ssh_key import SshKey
    from psreg.system.ssh_keygen import public_key, public_keys

    given = [(public_key(chosen), chosen)] if chosen else public_keys(Path.home() / ".ssh")
    if chosen and given == [("", chosen)] and not chosen.exists():
        raise UnavailableError("NOT_FOUND", f"{chosen} is not there", "Name an SSH key.")
    for line, source in given:
        try:
            key = SshKey.parse(line)
        except ValueError:
            continue
        if key in signable.keys:
            return key, source
    told = f"{chosen} is not" if chosen else "no public key in ~/.ssh or the agent is"
    known = tuple(f"{account}: {key.fingerprint}" for key, account in signable.keys.items())
    if signable.statement.signers == "reviewer":
        raise UnavailableError(
            "NO_REVIEWERS_KEY",
            f"{told} a key of a reviewer who does not own {signable.name}",
            "Ask the maintainers to list your key in registry/policy.toml, or name another one "
            "with `--key FILE`.",
            known,
        )
    raise UnavailableError(
        "NO_OWNERS_KEY",
        f"{told} a key of an owner of {signable.name}",
        "List your key in `keys` of entry.toml, or name another one with `--key FILE`.",
        known,
    )


def _write(root: Path, signable: Signable, key: SshKey, source: Path | str) -> None:
    """Sign, check what was signed, and write it. Raises TrustError TRUST_STATEMENT."""
    from psreg.registry.trust.ssh_signature import SshSignature
    from psreg.system.ssh_keygen import sign

    message, namespace = signable.statement.message, signable.statement.namespace
    signature = SshSignature.parse(sign(message, namespace, source))
    signature.check(message, namespace, {key})
    place = root / signable.place
    place.parent.mkdir(exist_ok=True)
    write_file(place, signature.armoured)


def _document(signable: Signable, key: SshKey, status: str) -> dict[str, Any]:
    owners = signable.signed_by | {signable.keys[key]}
    return {
        "schema": SCHEMA,
        "name": signable.name,
        "version": signable.version,
        "status": status,
        "owner": signable.keys[key],
        "key": key.fingerprint,
        "path": str(signable.place) if status == "signed" else None,
        "statement": signable.statement.digest,
        "signed": len(owners),
        "threshold": signable.threshold,
    }


def _lines(document: dict[str, Any], signable: Signable) -> list[str]:
    title = signable.title
    done = "reviewed" if signable.statement.signers == "reviewer" else "signed"
    if document["status"] == "unchanged":
        return [f"{title} is already {done} with {document['key']}"]
    missing = document["threshold"] - document["signed"]
    lines = [
        f"{done} {title} as {document['owner']} with {document['key']}",
        f"  {document['path']}",
    ]
    if missing > 0:
        lines.append(f"  {missing} more {'owner' if missing == 1 else 'owners'} must sign it")
    return [*lines, f"  next: git add {document['path']}"]
