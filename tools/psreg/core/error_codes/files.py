"""Codes about files and folders of this machine."""

from __future__ import annotations

from psreg.core.error_codes.row import ErrorCode, Subject

FILES = Subject(
    title="Files and folders",
    codes=(
        ErrorCode(
            code="NO_CHECKOUT",
            exit_code=2,
            meaning="Neither this folder nor any above it is a registry: none has `pbes/`.",
            remedy="Change into a clone of the registry, or start a new one with `psreg init`.",
        ),
        ErrorCode(
            code="NOT_FOUND",
            exit_code=4,
            meaning="The file, folder, entry or page does not exist.",
            remedy="Check the spelling. If a registry does not serve a file that it should, "
            "tell its maintainers.",
        ),
        ErrorCode(
            code="CANNOT_READ",
            exit_code=4,
            meaning="The operating system does not let psreg read a file or folder.",
            remedy="Check the path and its permissions.",
        ),
        ErrorCode(
            code="CANNOT_WRITE",
            exit_code=4,
            meaning="The operating system does not let psreg write a file, a folder or its output.",
            remedy="Check the path, its permissions and the free space, or choose another place.",
        ),
        ErrorCode(
            code="STATE_UNUSABLE",
            exit_code=4,
            meaning="psreg cannot use the folder in which it remembers what a registry has shown.",
            remedy="Check the permissions and the free space of the folder in the message.",
        ),
        ErrorCode(
            code="LOCKED",
            exit_code=4,
            meaning="Another psreg process is using the same files and did not finish in time.",
            remedy="Wait until it has finished, then run the command again.",
        ),
        ErrorCode(
            code="EXISTS",
            exit_code=2,
            meaning="The command would overwrite a file or folder that exists.",
            remedy="Choose another name, or move the existing one away.",
        ),
        ErrorCode(
            code="NOT_A_FOLDER",
            exit_code=2,
            meaning="A folder is needed, but the path is a file or a link.",
            remedy="Name a folder, or a path that does not exist yet.",
        ),
        ErrorCode(
            code="NOT_EMPTY",
            exit_code=2,
            meaning="The folder to write to holds files that psreg did not make.",
            remedy="Name a new or empty folder.",
        ),
        ErrorCode(
            code="NOT_A_FILE",
            exit_code=1,
            meaning="The registry contains a link, a submodule or something else that is not "
            "a plain file.",
            remedy="Replace it with a copy of the file.",
        ),
        ErrorCode(
            code="LINK",
            exit_code=2,
            meaning="The file is a symbolic link, and `--fix` does not write through links.",
            remedy="Run the command on the file that the link points to.",
        ),
        ErrorCode(
            code="UNKNOWN_FORMAT",
            exit_code=2,
            meaning="The file is neither a PBE nor a `.prompt`.",
            remedy="Name it `*.pbe.txt` or `*.prompt`; `--stdin-filename` names standard input.",
        ),
        ErrorCode(
            code="UNREADABLE",
            exit_code=1,
            meaning="The file has errors that even a lenient reader cannot ignore.",
            remedy="Run `psreg check --read FILE` and correct what it finds.",
        ),
    ),
)
