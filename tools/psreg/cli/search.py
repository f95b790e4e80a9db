"""`psreg search WORD…`: find prompts in the registry's signed catalogue."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from psreg.cli.registry_option import (
    add_offline_option,
    add_registry_option,
    open_kept,
    warn_of_revoked,
)
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg search quiz education"
SCHEMA = "psreg.search/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="words that must all match; omit to list every entry",
    )
    add_registry_option(parser, "search this registry")
    add_offline_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print the matches, best first; exit 0 even if there are none."""
    from psreg.client.library import user_library
    from psreg.registry.catalog_segments import folded_rows
    from psreg.registry.search import matching_rows, search, suggestions
    from psreg.registry.trust.roles import HEAD, catalog_target

    with open_kept(args, console, lambda: [catalog_target(HEAD)]) as registry:
        segments = registry.segments()
    warn_of_revoked(user_library(), console)
    found = search(matching_rows(segments, args.words), args.words)
    near = suggestions(folded_rows(segments).values(), args.words) if not found else ()
    if console.machine:
        results = [entry.to_json() for entry in found]
        document = {"schema": SCHEMA, "registry": registry.describe(), "words": args.words}
        results_ = {"count": len(results), "results": results, "suggestions": list(near)}
        console.json({**document, **results_})
        return 0
    if not found:
        console.note(_nothing_found(args.words, near))
    width = max((len(entry.name) for entry in found), default=0)
    for entry in found:
        gone = " (deprecated)" if entry.deprecated is not None else ""
        console.line(f"{entry.name:<{width}}  {entry.version:<8}  {entry.summary}{gone}")
    return 0


def _nothing_found(words: Sequence[str], near: Sequence[str]) -> str:
    several = len(" ".join(words).split()) > 1
    if near:
        guess = f"did you mean {' or '.join(f'`{word}`' for word in near)}?"
    else:
        guess = "try fewer" if several else "`psreg search` alone lists all prompts"
    matched = "all these words" if several else f"`{' '.join(words).strip()}`"
    return f"no prompt matches {matched}; {guess}"
