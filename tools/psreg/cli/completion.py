"""`psreg completion SHELL`: print what lets a shell complete commands, options and names.

The scripts ask psreg for what may follow, so that they never grow old: it reads the same parsers as
the command line. Names are those that are installed or locked, and those of the catalogues that
were read last, of all registries in the settings; nothing is fetched.
"""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from psreg.cli.commands import COMMANDS
from psreg.cli.parsers import actions_of, commands_of, innermost, is_place
from psreg.core.errors import PsregError
from psreg.core.terminal import one_line
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.config import SelectedRegistry, Settings

ParserOf = Callable[[str], ArgumentParser | None]
"""Returns the parser of a command, None if there is no such command."""

EXAMPLE = "psreg completion fish | source"

_BASH = """\
_psreg() {
    local IFS=$'\\n'
    COMPREPLY=($(psreg completion words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -o nosort -F _psreg psreg
"""
_ZSH = """\
#compdef psreg
_psreg() {
    local -a found
    local line
    psreg completion words "${(@)words[2,CURRENT]}" 2>/dev/null | while IFS= read -r line; do
        found+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done
    if (( $#found )); then _describe -V psreg found; else _files; fi
}
if [[ $funcstack[1] = _psreg ]]; then _psreg; else compdef _psreg psreg; fi
"""
_FISH = """\
function __psreg_words
    psreg completion words (commandline -opc)[2..] (commandline -ct) 2>/dev/null
end
complete -c psreg -a '(__psreg_words)' -k
"""
_POWERSHELL = """\
Register-ArgumentCompleter -Native -CommandName psreg -ScriptBlock {
    param($word, $line, $at)
    $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if (-not $word) { $words += ' ' }  # before 7.3, nothing is passed for ''
    psreg completion words @words 2>$null | ForEach-Object {
        $text, $about = $_ -split "`t", 2
        [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $about)
    }
}
"""
SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL}
WORDS = "words"
"""Stands in place of a shell: the scripts ask with it what may follow words."""


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("shell", choices=(*SCRIPTS,), help="whose script to print")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print the script."""
    script = SCRIPTS[args.shell]
    if console.machine:
        console.json({"schema": "psreg.completion/1", "shell": args.shell, "script": script})
    else:
        console.out(script)
    return 0


def tell(words: Sequence[str], console: Console, parser_of: ParserOf) -> int:
    """Print what may follow words, the last of which has been begun; nothing if that fails."""
    *before, begun = words or [""]
    begun = begun.strip()  # PowerShell begins a word with a blank
    try:
        found = [
            (word, text) for word, text in _following(before, parser_of) if word.startswith(begun)
        ]
    except PsregError:
        found = []
    for word, text in found:
        if begun.startswith("-") or not word.startswith("-"):
            console.out(f"{one_line(word)}\t{one_line(text)}\n")
    return 0


def _following(before: Sequence[str], parser_of: ParserOf) -> Iterator[tuple[str, str]]:
    """Yield the words that may come next, each with what it means."""
    if not before:
        yield from ((name, text) for _, name, text in COMMANDS)
        yield from (("--help", "show this overview"), ("--version", "print the version"))
        return
    parser = parser_of(before[0])
    if parser is None:
        return
    parser, _ = innermost(parser, before[1:])
    option = _option(parser, before[-1])
    if option is not None and option.nargs != 0:
        yield from _values(option)
        return
    for name in commands_of(parser):
        yield name, ""
    given = {word.partition("=")[0] for word in before}
    for action in actions_of(parser):
        if not given.intersection(action.option_strings):
            yield from _words_of(action)


def _option(parser: ArgumentParser, word: str) -> Action | None:
    return next((each for each in actions_of(parser) if word in each.option_strings), None)


def _words_of(action: Action) -> Iterator[tuple[str, str]]:
    if action.option_strings:
        yield action.option_strings[-1], (action.help or "").partition("\n")[0]
    elif is_place(action):
        yield from _values(action)


def _values(action: Action) -> Iterator[tuple[str, str]]:
    """Yield what an option or a place may have; nothing for files, which the shell knows."""
    what = action.metavar if isinstance(action.metavar, str) else ""
    if action.choices:
        yield from ((str(each), "") for each in action.choices)
    elif "URL" in what:
        yield from _registries()
    elif "NAME" in what and not action.option_strings and "=" not in what:
        yield from _prompts()


def _registries() -> Iterator[tuple[str, str]]:
    from pathlib import Path

    from psreg.client.registry_choice import load_settings

    for registry in load_settings(Path.cwd()).registries():
        yield registry.name, registry.location


def _prompts() -> Iterable[tuple[str, str]]:
    """Return the prompts that are locked or installed, and the catalogue that was read last."""
    from psreg.client.library import user_library

    found = {each.release.name: each.release.version for each in user_library().readable_receipts()}
    return sorted({**_catalogue(), **found, **_locked()}.items())


def _locked() -> dict[str, str]:
    from pathlib import Path

    from psreg.client.project.workspace import Workspace

    try:
        return Workspace.find(Path.cwd()).lock().versions
    except PsregError:
        return {}


def _catalogue() -> dict[str, str]:
    """Return the names in the catalogues that were read last, with their summaries.

    The registries are the usual one and all of the settings, as this machine keeps them; one that
    has `names` is asked for no others.
    """
    from pathlib import Path

    from psreg.client.registry_choice import load_settings, select_registry
    from psreg.client.selection.bindings import bound_to

    settings, found = load_settings(Path.cwd()), dict[str, str]()
    limits = {each.name: each for each in settings.registries()}
    for option in (*reversed(limits), None):  # the usual one comes first
        with suppress(PsregError):
            selected = select_registry(option, settings, Path.cwd())
            same = (each for each in limits.values() if each.location == selected.location)
            limit = next((each for each in same if each.names), None)
            known = _kept_names(selected, settings)
            found |= {n: text for n, text in known.items() if not limit or bound_to(n, [limit])}
    return found


def _kept_names(selected: SelectedRegistry, settings: Settings) -> dict[str, str]:
    from psreg.client.chain import Pins
    from psreg.client.offline.kept_registry import KeptRegistry
    from psreg.client.registry_choice import known_anchor, trust_store
    from psreg.registry.catalog_segments import folded_rows

    store = trust_store(_say_nothing)
    if (anchor := known_anchor(selected, store)) is None:
        return {}
    kept = KeptRegistry(anchor, selected.location, Pins(store, settings.registries()), _say_nothing)
    rows = folded_rows(kept.catalogue().segments)
    return {name: str(row["summary"]) for name, row in rows.items()}


def _say_nothing(_: str) -> None: ...
