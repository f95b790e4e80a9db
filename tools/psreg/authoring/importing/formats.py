"""The formats that `psreg import` reads, each told by its name and content."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import NamedTuple

from psreg.authoring.importing import (
    assistant_files,
    csv_rows,
    langchain,
    markdown,
    messages,
    own_files,
    pattern_folder,
    promptfoo,
    template_files,
)
from psreg.authoring.importing.found import Fields, Files, Found, Refused, SourceFile
from psreg.authoring.importing.licence_files import LicenceFiles
from psreg.formats.licenses import spdx_expression


class Format(NamedTuple):
    """A format of single files: how to tell it, and what reads it."""

    claims: Callable[[SourceFile, Fields], bool]
    read: Callable[[SourceFile, Fields], Iterator[Found | Refused]]


FORMATS = (
    Format(csv_rows.claims, csv_rows.read),
    Format(assistant_files.claims_command, assistant_files.read_command),
    Format(assistant_files.claims_prompt_file, assistant_files.read_prompt_file),
    Format(own_files.claims_prompt, own_files.read_prompt),
    Format(template_files.claims, template_files.read),
    Format(own_files.claims_pbe, own_files.read_pbe),
    Format(langchain.claims, langchain.read),
    Format(promptfoo.claims, promptfoo.read),
    Format(messages.claims, messages.read),
    Format(markdown.claims, markdown.read),
)
"""The first format that claims a file, and finds something in it, reads it."""


class FolderFormat(NamedTuple):
    """A format of folders: its main file, how to tell it by all names, and what reads it."""

    file: str
    claims: Callable[[Collection[str]], bool]
    read: Callable[[SourceFile, Fields, Collection[PurePosixPath]], Found | Refused]


FOLDER_FORMATS = (
    FolderFormat(
        assistant_files.SKILL_FILE, assistant_files.claims_skill, assistant_files.read_skill
    ),
    FolderFormat(pattern_folder.FILE, pattern_folder.claims, pattern_folder.read),
    FolderFormat(
        template_files.KERNEL_FILE, template_files.claims_kernel, template_files.read_kernel
    ),
)
"""What is in a folder that one of these claims, and below it, is part of its prompt."""


def prompts_in(
    files: Files,
    fields: Fields,
    covers: Callable[[str], bool],
    *,
    is_alone: bool,
) -> Iterator[Found | Refused]:
    """Yield what a source has; files that are not prompts, or not covered, are left out.

    `is_alone`: the user named the one file, which is Markdown or plain text if it is nothing else.
    """
    found = _parts(files, fields, covers, is_alone=is_alone)
    yield from islice(found, MOST)
    if further := next(found, None):
        reason = f"the source has more than {MOST:,} parts; it and those after it are not read"
        yield Refused(path=further.path, reason=reason)


MOST = 100_000
"""The most prompts, and parts that are refused, of one source."""


def _parts(
    files: Files,
    fields: Fields,
    covers: Callable[[str], bool],
    *,
    is_alone: bool,
) -> Iterator[Found | Refused]:
    licences = LicenceFiles(files)
    for found in _found(files, fields, covers, is_alone=is_alone):
        if isinstance(found, Found) and not spdx_expression(found.license):
            license_, where = licences.of(PurePosixPath(found.path.partition("#")[0]))
            yield replace(found, license=license_, license_in=where) if license_ else found
        else:
            yield found


def _found(
    files: Files,
    fields: Fields,
    covers: Callable[[str], bool],
    *,
    is_alone: bool,
) -> Iterator[Found | Refused]:
    folders = _folders(files)
    main = {folder / form.file: form for folder, form in folders.items()}
    others: dict[PurePosixPath, list[PurePosixPath]] = {path: [] for path in main}
    owned = set[PurePosixPath]()
    for path in files:
        folder = next((parent for parent in path.parents if parent in folders), None)
        if folder is not None and path not in main:
            owned.add(path)
            others[folder / folders[folder].file].append(path)
    for path in sorted(files):
        if path not in owned and covers(str(path)):
            file = SourceFile(path=path, files=files)
            try:
                if path in main:
                    yield main[path].read(file, fields, others[path])
                else:
                    yield from _read(file, fields, is_alone=is_alone)
            except ValueError as error:  # it is not a text
                yield Refused(path=str(path), reason=str(error))


def _folders(files: Iterable[PurePosixPath]) -> dict[PurePosixPath, FolderFormat]:
    """Return the format of each folder that has one."""
    names: dict[PurePosixPath, set[str]] = {}
    for path in files:
        names.setdefault(path.parent, set()).add(path.name)
    found = (
        (folder, form)
        for folder, there in names.items()
        for form in reversed(FOLDER_FORMATS)
        if form.claims(there)
    )
    return dict(found)


def _read(file: SourceFile, fields: Fields, *, is_alone: bool) -> Iterator[Found | Refused]:
    claiming = (form for form in FORMATS if form.claims(file, fields))
    first = next(claiming, FORMATS[-1] if is_alone else None)
    for form in chain(filter(None, (first,)), claiming):
        found = form.read(file, fields)
        if (one := next(found, None)) is not None:
            yield one
            yield from found
            return
