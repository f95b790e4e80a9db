"""Codes about signing a registry and building its site."""

from __future__ import annotations

from psreg.core.error_codes.row import ErrorCode, Subject

PUBLISHING = Subject(
    title="Publishing",
    codes=(
        ErrorCode(
            code="CHECK_FAILED",
            exit_code=1,
            meaning="The check found errors, so nothing was published.",
            remedy="Run `psreg check` and correct what it finds.",
        ),
        ErrorCode(
            code="RELEASE_CHANGED",
            exit_code=1,
            meaning="Files of a released version changed, and a released version never changes.",
            remedy="Restore the files as they were released, and release a new version instead.",
        ),
        ErrorCode(
            code="REQUIRES_REFUSED",
            exit_code=1,
            meaning="A new release requires other entries, which psreg does not install yet.",
            remedy="Remove `[requires]` from its release.toml.",
        ),
        ErrorCode(
            code="FILE_TOO_LARGE",
            exit_code=1,
            meaning="A file of the registry is too large to be published.",
            remedy="Remove the file or make it smaller.",
        ),
        ErrorCode(
            code="METADATA_MISSING",
            exit_code=3,
            meaning="The registry was published before, but its metadata is gone, or the clone "
            "lacks the history that would tell; nothing was changed.",
            remedy="Restore `registry/metadata` and `registry/targets` as the message says, or "
            "from a mirror; fetch the whole history in a shallow clone. "
            "Only to create another registry on purpose, run `psreg publish --start-over`: every "
            "client has to trust it first.",
        ),
        ErrorCode(
            code="KEY_MISSING",
            exit_code=3,
            meaning="A key that has to sign is not on this machine; nothing was changed.",
            remedy="Copy the registry's keys to the folder in the message, or publish where they "
            "are.",
        ),
        ErrorCode(
            code="KEY_UNREADABLE",
            exit_code=3,
            meaning="A key file does not contain a readable Ed25519 key.",
            remedy="Restore the file from your backup of the keys.",
        ),
        ErrorCode(
            code="KEYS_IN_TREE",
            exit_code=3,
            meaning="The keys would be kept inside the registry, where they could be committed or "
            "published by mistake.",
            remedy="Set `PSREG_HOME` or `XDG_DATA_HOME` to a folder outside of the registry.",
        ),
        ErrorCode(
            code="KEYS_EXPOSED",
            exit_code=3,
            meaning="A private key is not only yours: other users of this machine may read or "
            "change it, or the file has a second name.",
            remedy="Run the command in the hint. If somebody may have read the key, replace it.",
        ),
        ErrorCode(
            code="SITE_DRIFT",
            exit_code=1,
            meaning="Files of the checkout differ from what the registry has signed.",
            remedy="Check out the published commit, or run `psreg publish`.",
        ),
        ErrorCode(
            code="SITE_FRAME",
            exit_code=1,
            meaning="mkdocs cannot build the pages of the site, or warns about them.",
            remedy="Correct what the message names in `site/`.",
        ),
    ),
)
