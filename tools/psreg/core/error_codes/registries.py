"""Codes about finding a registry, a release, and the way to both."""

from __future__ import annotations

from psreg.core.error_codes.row import ErrorCode, Subject

REGISTRIES = Subject(
    title="Registries and releases",
    codes=(
        ErrorCode(
            code="NO_REGISTRY",
            exit_code=4,
            meaning="No registry is set.",
            remedy="Add one with `psreg registry add URL`, or name one with `--registry`.",
        ),
        ErrorCode(
            code="UNKNOWN_REGISTRY",
            exit_code=4,
            meaning="Your settings have no registry of this name, and there is no such folder.",
            remedy="List the registries with `psreg registry list`, or add this one with "
            "`psreg registry add URL`.",
        ),
        ErrorCode(
            code="NOT_A_REGISTRY",
            exit_code=4,
            meaning="Nothing at this address or in this folder is a registry.",
            remedy="Name the address or folder that contains `registry/metadata/`.",
        ),
        ErrorCode(
            code="NOT_PUBLISHED",
            exit_code=4,
            meaning="The checkout of the registry has no signed metadata yet.",
            remedy="Run `psreg publish` in the checkout.",
        ),
        ErrorCode(
            code="BAD_NAME",
            exit_code=2,
            meaning="The name is not a valid name of an entry.",
            remedy="Use lower-case letters and digits in words joined by `_`, at most 64 "
            "characters, a letter first: `quiz_master`.",
        ),
        ErrorCode(
            code="BAD_RANGE",
            exit_code=2,
            meaning="What follows `@` is not a valid range of versions.",
            remedy="Write a version or a range, such as `1.2.0`, `^1.2`, `~1.2.3`, "
            "`>=1.0, <2.0` or `*`.",
        ),
        ErrorCode(
            code="UNKNOWN_NAME",
            exit_code=4,
            meaning="The registry has no entry of this name.",
            remedy="Check the spelling, or look for it with `psreg search`.",
        ),
        ErrorCode(
            code="NO_MATCHING_VERSION",
            exit_code=4,
            meaning="No version of the entry matches, or all that match were yanked.",
            remedy="List the versions with `psreg info NAME`. To install a yanked version, "
            "name it exactly.",
        ),
        ErrorCode(
            code="NOT_INSTALLED",
            exit_code=4,
            meaning="The prompt is not installed, or only in another version.",
            remedy="Install it with `psreg install NAME`; `psreg list` shows what is installed.",
        ),
        ErrorCode(
            code="REQUIRES_UNSUPPORTED",
            exit_code=4,
            meaning="The release needs other entries, which this version of psreg cannot install.",
            remedy="Install a newer psreg, or a release that needs no other entries.",
        ),
        ErrorCode(
            code="NEWER_FORMAT",
            exit_code=4,
            meaning="The data was published in a format that this version of psreg does not know.",
            remedy="Install a newer psreg.",
        ),
        ErrorCode(
            code="TOO_LARGE",
            exit_code=4,
            meaning="The release claims to be larger than any prompt may be.",
            remedy="Tell the maintainers of the registry; the limit is 16 MiB.",
        ),
    ),
)

NETWORK = Subject(
    title="Network",
    codes=(
        ErrorCode(
            code="NETWORK",
            exit_code=4,
            meaning="The registry cannot be reached, or its answer is not usable.",
            remedy="Check the address, your connection and your proxy settings, then try again.",
        ),
        ErrorCode(
            code="NETWORK_SLOW",
            exit_code=4,
            meaning="The registry takes too long to answer, or sends too slowly.",
            remedy="Try again later, or use a mirror.",
        ),
        ErrorCode(
            code="NETWORK_TLS",
            exit_code=4,
            meaning="The certificate of the registry's web server cannot be verified.",
            remedy="Check the address and the clock of this machine. If your network has its own "
            "authority, set `SSL_CERT_FILE`.",
        ),
        ErrorCode(
            code="NETWORK_REFUSED",
            exit_code=4,
            meaning="The registry answered in a way that psreg does not accept: with a redirect "
            "to another host, compressed data, or a path outside of the registry.",
            remedy="If the registry has moved, add its new address. Otherwise tell its "
            "maintainers.",
        ),
        ErrorCode(
            code="TOO_LONG",
            exit_code=4,
            meaning="A file or a message is longer than allowed.",
            remedy="If it comes from a registry, tell its maintainers; if you sent it, shorten it.",
        ),
    ),
)
