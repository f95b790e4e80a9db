"""Codes about signatures, digests and keys: nothing is written when one of them is raised."""

from __future__ import annotations

from psreg.core.error_codes.row import ErrorCode, Subject

TRUST = Subject(
    title="Trust",
    codes=(
        ErrorCode(
            code="TRUST_UNPINNED",
            exit_code=3,
            meaning="You have not trusted this registry yet.",
            remedy="Compare the digest in the message with the one that the maintainers "
            "published, then run the command in the hint.",
        ),
        ErrorCode(
            code="TRUST_OTHER_REGISTRY",
            exit_code=3,
            meaning="The name is installed from another registry than the one that psreg uses "
            "here.",
            remedy="Check which registry is meant: a project file may have chosen this one. To "
            "replace the installed prompt, name the registry with `--registry`.",
        ),
        ErrorCode(
            code="TRUST_PIN",
            exit_code=3,
            meaning="The registry shows another root than the one you trusted, or claims the id "
            "of another registry.",
            remedy="Check the address and the digest for typing errors, and ask the maintainers "
            "before you trust the new root.",
        ),
        ErrorCode(
            code="TRUST_SIGNATURE",
            exit_code=3,
            meaning="Metadata is not signed by the keys that the root names.",
            remedy="Try another mirror, and tell the maintainers of the registry.",
        ),
        ErrorCode(
            code="TRUST_ROLLBACK",
            exit_code=3,
            meaning="The registry shows an older state than this machine has seen, or takes a "
            "release back.",
            remedy="Try again later or use another mirror: this one may be behind. If it stays, "
            "tell the maintainers.",
        ),
        ErrorCode(
            code="TRUST_FROZEN",
            exit_code=3,
            meaning="The metadata of the registry has expired; the message names the file and "
            "the date.",
            remedy="Check the clock of this machine, or use another mirror. Maintainers renew the "
            "metadata with `psreg publish --resign`.",
        ),
        ErrorCode(
            code="TRUST_MIXED",
            exit_code=3,
            meaning="The metadata files do not belong to the same state of the registry.",
            remedy="Try again: the registry may be publishing now. Maintainers restore "
            "`registry/` from a complete copy.",
        ),
        ErrorCode(
            code="TRUST_ROLE",
            exit_code=3,
            meaning="A metadata file stands in place of another one: it names another role or "
            "registry, or no longer names its role.",
            remedy="Use another mirror: somebody may be hiding names from you. If it stays, tell "
            "the maintainers.",
        ),
        ErrorCode(
            code="TRUST_KEY_TWICE",
            exit_code=3,
            meaning="Metadata lists one key under two ids, so that its signature would count "
            "twice.",
            remedy="Tell the maintainers: a role that needs two signatures needs two keys.",
        ),
        ErrorCode(
            code="TRUST_NAME_MISSING",
            exit_code=3,
            meaning="The registry does not list a name that its catalogue lists, or that this "
            "machine has seen or installed.",
            remedy="Use another mirror, and tell the maintainers. Names are never removed: a "
            "purged one stays listed.",
        ),
        ErrorCode(
            code="TRUST_DIGEST",
            exit_code=3,
            meaning="A file does not have the length or the digest that was signed.",
            remedy="Do not use the file. Try another mirror, and tell the maintainers.",
        ),
        ErrorCode(
            code="TRUST_CONTENT",
            exit_code=3,
            meaning="The release is signed, but contains what no review accepts, such as hidden "
            "text.",
            remedy="Do not use it, and tell the maintainers of the registry. The message names "
            "the rules; `psreg explain CODE` explains each.",
        ),
        ErrorCode(
            code="TRUST_REWRITTEN",
            exit_code=3,
            meaning="A published version now has other bytes than this machine has seen.",
            remedy="Do not use it. Tell the maintainers: a published version never changes.",
        ),
        ErrorCode(
            code="TRUST_METADATA",
            exit_code=3,
            meaning="Signed metadata or a record is malformed: not strict JSON, too long, "
            "incomplete, or contradicting itself.",
            remedy="Check the address: a web page in place of a file looks like this. "
            "Otherwise tell the maintainers.",
        ),
        ErrorCode(
            code="TRUST_INSECURE",
            exit_code=3,
            meaning="The address uses plain http, and what it serves could be changed on the way.",
            remedy="Use https. Plain http is only for this machine.",
        ),
        ErrorCode(
            code="TRUST_FOREIGN",
            exit_code=3,
            meaning="The checkout or repository belongs to another user of this machine.",
            remedy="Run the command in the hint only if you trust that user.",
        ),
    ),
)
