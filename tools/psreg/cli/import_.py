"""`psreg import SOURCE`: make entries of the prompts in files, folders and repositories."""

from __future__ import annotations

import os
import sys
import tomllib
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, cast

from psreg.authoring.import_findings import with_findings
from psreg.authoring.importing.alike import Cluster
from psreg.authoring.importing.entries import Origin, named
from psreg.authoring.importing.formats import prompts_in
from psreg.authoring.importing.found import FIELDS, MAX_FILE, STANDARD_INPUT
from psreg.authoring.importing.importer import Imported, Importer, Status
from psreg.authoring.new_folders import add_folder
from psreg.authoring.text_language import language_of
from psreg.cli.rules import registry_rules
from psreg.core.classes import CLASSES, Format
from psreg.core.diagnostics import ERROR, WARNING
from psreg.core.errors import UsageError
from psreg.core.spelling import did_you_mean
from psreg.forges.remotes import hosted
from psreg.formats import policy
from psreg.formats.licenses import spdx_expression
from psreg.formats.release import origin_parts
from psreg.formats.tree import POLICY
from psreg.git.work_tree import WorkTree
from psreg.lint.entries.release_rules import is_language
from psreg.registry.checkout import read_tree, required_checkout
from psreg.system.clock import now
from psreg.system.console import Console, add_output_options
from psreg.system.files import FilesBelow, read_named, refuse_existing

EXAMPLE = "psreg import prompts.csv --address https://github.com/example/prompts --dry-run"
SCHEMA = "psreg.import/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="a file, a folder, a Git repository by path or address, or - for standard input",
    )
    parser.add_argument(
        "--into", metavar="CLASS", default=Format.PROMPT.value, help="the class (default: prompt)"
    )
    parser.add_argument(
        "--address",
        metavar="URL",
        help="the https address where the source is published; by default that of the repository",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="GLOB",
        help="import only files whose path matches, such as 'prompts/*.md'; repeatable",
    )
    parser.add_argument(
        "--license",
        metavar="SPDX",
        help="the licence, as you state it, of prompts for which the source does not state one",
    )
    parser.add_argument(
        "--language",
        metavar="TAG",
        help="the language, as you state it, of prompts for which the source does not state one",
    )
    parser.add_argument(
        "--map", metavar="FILE", help="TOML: names of fields, names for entries, what to skip"
    )
    parser.add_argument(
        "--report", metavar="FILE", help="also write a page of HTML for deciding about each prompt"
    )
    parser.add_argument("--dry-run", action="store_true", help="write nothing, show the table")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Write the entries and print what became of each part; exit 1 if one was refused."""
    _require_class(args.into)
    if args.report:
        refuse_existing(Path(args.report))
    license_, language = _license(args.license), _language(args.language)
    said = _mapping(args.map)
    root = required_checkout(".")
    tree, rules = read_tree(root), registry_rules()
    with _opened(args.source, args.only) as source:
        day = now().date().isoformat()
        address = _address(args.address or source.address, args.source)
        origin = Origin(
            address=address,
            revision=source.revision,
            day=day,
            license=license_,
            language=language,
        )
        importer = Importer(tree, origin, rules, said.names, language_of)
        with console.working("importing") as working:
            found = prompts_in(source.files, said.fields, source.covers, is_alone=source.is_alone)
            made = _told_of(importer.all(found, source.covers, said.skips), working)
            rows = [row if args.dry_run else _written(root, row) for row in with_findings(made)]
    clusters = importer.clusters()
    _print(rows, clusters, console, written=not args.dry_run)
    if args.report:
        from psreg.cli.import_report import report
        from psreg.system.atomic import write_file

        site = policy.read(tree.get(POLICY, b"")).site_address
        page = report(rows, clusters, origin, site=site, written=not args.dry_run)
        write_file(Path(args.report), page.encode())
    return int(any(row.status is Status.REFUSED for row in rows))


def _told_of(rows: Iterable[Imported], working: Callable[[str], None]) -> Iterator[Imported]:
    """Yield the rows, and say on a terminal which one was made."""
    for row in rows:
        working(f"importing {row.path}")
        yield row


def _written(root: Path, row: Imported) -> Imported:
    """Write the files of a row; what is in the way of one prompt does not stop the others."""
    if row.folder is None:
        return row
    try:
        add_folder(root, row.folder, row.files)
    except UsageError as error:
        return Imported(path=row.path, status=Status.REFUSED, notes=(error.message,))
    # NOTE: of ten thousand entries, the texts are not kept until the end.
    return replace(row, files=dict.fromkeys(row.files, b""))


def _require_class(entry_class: str) -> None:
    if entry_class not in CLASSES:
        hint = did_you_mean(entry_class, CLASSES)
        raise UsageError("CLASS_UNKNOWN", f"`{entry_class}` is not a class", hint)
    if entry_class != Format.PROMPT:
        message = f"a text does not say what a PBE of class {entry_class} requires"
        raise UsageError("USAGE", message, "Leave out `--into`, and write the PBE by hand.")


def _license(text: str | None) -> str:
    if text is not None and spdx_expression(text) != text:
        better = spdx_expression(text)
        hint = f"Write `{better}`." if better else "See https://spdx.org/licenses/."
        raise UsageError("USAGE", f"`{text}` is not a licence as SPDX writes it", hint)
    return text or ""


def _language(text: str | None) -> str:
    if text is not None and not is_language(text):
        message = f"`{text}` is not a tag of a language"
        raise UsageError("USAGE", message, "Write one such as `en` or `pt-BR`.")
    return text or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Map:
    """What the file of `--map` says: what fields are called, names by path, paths to skip."""

    fields: Mapping[str, str]
    names: Mapping[str, str]
    skipped: tuple[str, ...]

    def skips(self, path: str) -> bool:
        return any(path == each or fnmatchcase(path, each) for each in self.skipped)


def _mapping(path: str | None) -> _Map:
    if path is None:
        return _Map(fields={}, names={}, skipped=())
    try:
        said: dict[str, Any] = tomllib.loads(read_named(Path(path)).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError("USAGE", f"{path} is not valid TOML: {error}") from error
    keys = (*_TABLES, _SKIP)
    for key in said.keys() - set(keys):
        raise UsageError("USAGE", f"unknown key `{key}` in {path}", did_you_mean(key, keys))
    fields, names = (_texts(said.get(key, {}), key, path) for key in _TABLES)
    for key in fields.keys() - FIELDS.keys():
        raise UsageError("USAGE", f"unknown field `{key}` in {path}", did_you_mean(key, FIELDS))
    skipped = said.get(_SKIP, [])
    if not isinstance(skipped, list) or not all(isinstance(each, str) for each in skipped):
        raise UsageError("USAGE", f"`{_SKIP}` in {path} is not a list of texts")
    return _Map(fields=fields, names=names, skipped=tuple(skipped))


_TABLES, _SKIP = ("fields", "names"), "skip"


def _texts(table: Any, key: str, path: str) -> Mapping[str, str]:
    texts = isinstance(table, dict) and all(isinstance(value, str) for value in table.values())
    if not texts:
        raise UsageError("USAGE", f"`{key}` in {path} is not a table of texts")
    return cast("dict[str, str]", table)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """The files of a source, and what is known of where they are from.

    `is_alone`: the user named one file; `only` are the patterns of paths to import.
    """

    files: Mapping[PurePosixPath, bytes]
    address: str = ""
    revision: str = ""
    is_alone: bool = False
    only: tuple[str, ...] = ()

    def covers(self, path: str) -> bool:
        if self.is_alone:
            return PurePosixPath(path) in self.files
        return not self.only or any(fnmatchcase(path, glob) for glob in self.only)


@contextmanager
def _opened(source: str, only: list[str]) -> Iterator[_Source]:
    if source == "-":
        data = sys.stdin.buffer.read(MAX_FILE + 1)
        yield _Source(files={STANDARD_INPUT: data}, is_alone=True)
    elif "://" in source or ("@" in source and ":" in source and not os.path.lexists(source)):
        from psreg.git.remote_commit import newest_commit

        with newest_commit(source) as (commit, files):
            yield _published(files, source, commit, only)
    elif not (folder := Path(source)).is_dir():
        data = read_named(folder, MAX_FILE + 1)
        yield _Source(files={PurePosixPath(folder.name): data}, is_alone=True)
    elif place := _git_folder(folder):
        from psreg.git.repository import Repository

        address = WorkTree(folder, ".").remote_address()
        with Repository(place) as repository:
            commit = repository.resolve("HEAD")
            yield _published(repository.tree(commit), address, commit, only)
    else:
        yield _Source(files=FilesBelow(folder, MAX_FILE + 1), only=tuple(only))


def _git_folder(folder: Path) -> Path | None:
    """Return the Git folder of a repository whose top folder, or whole, is `folder`; else None."""
    place = WorkTree(folder, ".").place()
    return place[0] if place and place[1] == PurePosixPath() else None


def _published(
    files: Mapping[PurePosixPath, bytes], remote: str, commit: str, only: list[str]
) -> _Source:
    at = hosted(remote, os.environ)
    address = f"https://{at.host}/{at.path}" if at else ""
    return _Source(files=files, address=address, revision=commit, only=tuple(only))


def _address(address: str, source: str) -> str:
    if not origin_parts(address):
        what = f"`{address}` is not a plain https address" if address else ""
        message = what or f"where `{source}` is published is not known"
        hint = "Add `--address` with an https address, without user, query or fragment."
        raise UsageError("USAGE", message, hint)
    return address


def _print(
    rows: list[Imported], clusters: Sequence[Cluster], console: Console, *, written: bool
) -> None:
    if console.machine:
        alike = [{"names": [*each.names], "why": each.why} for each in clusters]
        documents = [*map(_document, rows)]
        console.json({"schema": SCHEMA, "written": written, "rows": documents, "clusters": alike})
        return
    if not console.quiet:
        told = [row for row in rows if row.status not in (Status.UNCHANGED, Status.SKIPPED)]
        console.table([(row.status, row.name, _told(row)) for row in told])
        for each in clusters:
            told_of = f"the best candidate is `{each.names[0]}`: {each.why}"
            console.line(f"near copies: {named(each.names)}; {told_of}")
    numbers = Counter(row.status for row in rows)
    said = ", ".join(f"{numbers[status]:,} {status}" for status in Status if numbers[status])
    console.line(f"{said or 'no prompts found'}{'' if written else '; nothing was written'}")
    if written and not console.quiet and any(row.files for row in rows):
        console.line("next: psreg check pbes")


def _told(row: Imported) -> str:
    notes = "; ".join((*_blamed(row), *row.questions, *row.notes))
    return f"{row.path}: {notes}" if notes else row.path


def _blamed(row: Imported) -> Iterator[str]:
    """Yield the rules that find something, errors first."""
    for severity in (ERROR, WARNING):
        codes = dict.fromkeys(each.code for each in row.findings if each.severity is severity)
        if codes:
            yield f"{severity}: {', '.join(codes)}"


def _document(row: Imported) -> dict[str, Any]:
    return {
        "path": row.path,
        "status": row.status.value,
        "name": row.name or None,
        "version": row.version or None,
        "license": row.license or None,
        "languages": list(row.languages),
        "notes": [*row.questions, *row.notes],
        "findings": [
            {
                "code": each.code,
                "severity": each.severity.value,
                "line": each.start.line,
                "message": each.message,
            }
            for each in row.findings
        ],
        "files": sorted(map(str, row.files)),
    }
