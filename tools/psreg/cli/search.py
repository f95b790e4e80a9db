"""`psreg search WORD…`: find prompts in the registry's signed catalogue."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from psreg.cli.registry_option import (
    add_offline_option,
    add_registry_option,
    ask_registries,
    described,
    warn_of_revoked,
)
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.selection.opened import AnyRegistry, OpenedRegistries
    from psreg.registry.catalog_segments import Catalogue, Row
    from psreg.registry.search.ranking import Entry, Filters

    Result = tuple[Entry, AnyRegistry]

EXAMPLE = "psreg search quiz --tag education"
SCHEMA = "psreg.search/1"

_FILTERS = {
    "class": ("CLASS", "prompts of this class, such as prompt"),
    "tag": ("TAG", "prompts with this tag; repeat it for several, all of which must be there"),
    "license": ("SPDX", "prompts with this licence, such as MIT"),
    "language": ("LANG", "prompts in this language, such as en"),
    "platform": ("PLATFORM", "prompts that passed a test there, such as claude"),
    "protocol": ("PROTOCOL", "prompts that declare this protocol, such as vpp"),
}


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help='words in any order, or a "quoted phrase"; omit to list every entry',
    )
    for option, (metavar, text) in _FILTERS.items():
        parser.add_argument(
            f"--{option}", action="append", default=[], metavar=metavar, help=f"only {text}"
        )
    add_registry_option(parser, "search this registry")
    add_offline_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print the matches, best first; exit 0 even if there are none."""
    from psreg.client.library import user_library
    from psreg.registry.catalog_segments import folded_rows
    from psreg.registry.search.ranking import suggestions
    from psreg.registry.trust.roles import HEAD, catalog_target

    filters = {by: values for by in _FILTERS if (values := getattr(args, by))}
    results: list[Result] = []
    rows: list[Row] = []

    def ask(opened: OpenedRegistries) -> Sequence[AnyRegistry]:
        results.clear()
        rows.clear()
        searched = opened.searched()
        for registry in searched:
            catalogue = registry.catalogue()
            found = _found(catalogue, args.words, filters)
            answers = opened.names.answers
            results.extend((each, registry) for each in found if answers(registry, each.name))
            rows.extend(folded_rows(catalogue.segments).values() if not found else ())
        return searched

    searched = ask_registries(args, console, lambda: [catalog_target(HEAD)], ask)
    warn_of_revoked(user_library(), console)
    near = suggestions(rows, args.words) if not results else ()
    listed = _listed(results)
    if console.machine:
        document = {"schema": SCHEMA, "registry": described(searched[0]), "words": args.words}
        document["registries"] = [described(each) for each in searched]
        document["filters"] = filters
        entries = [{**entry.to_json(), "registry": each.describe()} for entry, each in listed]
        console.json(
            {**document, "count": len(entries), "results": entries, "suggestions": list(near)}
        )
        return 0
    if not results:
        console.note(_nothing_found(args.words, filters, rows, near))
    whole = [(entry, each) for entry, each in listed if not entry.partial]
    console.table(_cells(whole, several=len(searched) > 1))
    if some := listed[len(whole) :]:
        console.note("matching some of the words:" if whole else _SOME)
        console.table(_cells(some, several=len(searched) > 1))
    return 0


def _found(catalogue: Catalogue, words: Sequence[str], filters: Filters) -> Sequence[Entry]:
    from psreg.registry.search.ranking import search
    from psreg.registry.search.thesaurus import psreg_thesaurus

    return search(catalogue.segments, words, filters, psreg_thesaurus(catalogue.synonyms))


_SOME = "no prompt matches all these words; these match some:"


def _listed(results: Iterable[Result]) -> list[Result]:
    """Return what is shown of the results of all registries: matches of some words come last."""
    from psreg.registry.search.ranking import shortened

    found = sorted(results, key=lambda result: result[0].partial)
    return found[: shortened(sum(not entry.partial for entry, _ in found))]


def _cells(results: Iterable[Result], *, several: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the cells of each result, which say where it is if `several` were searched."""
    for entry, registry in results:
        where = f" ({registry.location})" if several else ""
        yield entry.name, f"{entry.version:<8}", f"{entry.summary}{_mark(entry)}{where}"


def _mark(entry: Entry) -> str:
    return " (deprecated)" if entry.deprecated is not None else ""


def _unknown(by: str, value: str, near: str) -> str:
    guess = f"; did you mean `{near}`?" if near else ""
    return f"no prompt has the {by} `{value}`{guess}"


def _nothing_found(
    words: Sequence[str], filters: Filters, rows: Sequence[Row], near: Sequence[str]
) -> str:
    from psreg.registry.search.ranking import unknown_values

    unknown = next(unknown_values(rows, filters), None)
    if unknown:
        return _unknown(*unknown)
    several = len(" ".join(words).split()) + sum(map(len, filters.values())) > 1
    if near:
        guess = f"did you mean {' or '.join(f'`{word}`' for word in near)}?"
    else:
        guess = "try other words" if several else "`psreg search` alone lists all prompts"
    matched = f"`{' '.join(words).strip()}`"
    if several:
        matched = "all of this" if filters else "any of these words"
    return f"no prompt matches {matched}; {guess}"
