"""The rule about what a checkout holds beside plain files. Findings name their file in `path`."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, Finding
from psreg.core.rule import rule
from psreg.formats.irregular import Irregular
from psreg.formats.tree import Tree

_HINTS = {
    Irregular.LINK: "Put a copy where the link is.",
    Irregular.SUBMODULE: "Put the files there, or remove it: git rm --cached",
    Irregular.SPECIAL: "Remove it.",
    Irregular.EXECUTABLE: "Take the bit away: git update-index --chmod=-x",
}


@rule("REG025", spec="registry/LAYOUT", severity=ERROR)
def not_a_plain_file(tree: Tree) -> Iterator[Finding]:
    """Something below `pbes/` is a link, a submodule or a device, or a file is executable.

    ## Why
    A link leads elsewhere: what a reviewer reads need not be what is published, and what one
    machine resolves another does not. A submodule is a pointer to somebody else's repository,
    which can disappear or change hands. A prompt is read, not run; a file that a shell would
    start has no place in a registry.

    ## Fix
    Replace links and submodules by the files themselves, and take the executable bit away:

    ```sh
    chmod -x pbes/prompt/email_reply/1.0.0/README.md
    git update-index --chmod=-x pbes/prompt/email_reply/1.0.0/README.md
    ```
    """
    for path, kind in sorted(tree.irregular.items()):
        hint = _HINTS[kind]
        yield Finding(
            message=f"this is {kind}; a registry's tree holds plain files",
            path=str(path),
            hint=f"{hint} {path}" if ":" in hint else hint,
        )
