"""`psreg render FILE|NAME[@RANGE]`: fill in a prompt and print the final text, exactly."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from psreg.client.render import Filled, fill, values_of_assignments, values_of_json
from psreg.core.diagnostics import described
from psreg.core.identity import is_name, normal_name
from psreg.core.spelling import nearest
from psreg.formats.dotprompt import MAX_BYTES
from psreg.system.console import Console, add_output_options
from psreg.system.files import read_named

EXAMPLE = "psreg render greeting.prompt --set name=Ana"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "what",
        metavar="FILE|NAME[@RANGE]",
        help="a file, - for standard input, or an installed prompt",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a variable; overrides --vars",
    )
    parser.add_argument(
        "--vars",
        metavar="FILE.json",
        help="read values from a JSON object of strings, numbers and booleans",
    )
    parser.add_argument("--squeeze", action="store_true", help="remove the prompt's blank lines")
    parser.add_argument(
        "--require-all", action="store_true", help="fail if a variable has no value"
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print the text; exit 1 if the prompt cannot be rendered."""
    values = values_of_json(read_named(Path(args.vars)), args.vars) if args.vars else {}
    values |= values_of_assignments(args.set)
    path, data = _read(args.what)
    filled = fill(
        data, path=path, values=values, squeeze=args.squeeze, require_all=args.require_all
    )
    if console.machine:
        shown = filled.rendering
        console.json(
            {
                "schema": "psreg.render/1",
                "text": shown.text,
                "missing": list(shown.missing),
                "unknown": list(shown.unknown),
            }
        )
    else:
        _warn(filled, console)
        console.content(filled.rendering.text)
    return 0


def _read(what: str) -> tuple[str, bytes]:
    """Return the path and content of the file, standard input or installed prompt `what`."""
    if what == "-":
        return "stdin", sys.stdin.buffer.read(MAX_BYTES + 1)
    if is_name(normal_name(what.partition("@")[0])) and not Path(what).is_file():
        from psreg.client.library import installed_artifact

        path, data = installed_artifact(what)
        return str(path), data
    return what, read_named(Path(what))


_NAMED = 20
"""Variables without a value that a warning names."""


def _warn(filled: Filled, console: Console) -> None:
    """Warn about what did not prevent the rendering but may be a mistake."""
    for flaw in filled.flaws:
        console.warn(f"psreg: warning: {described(flaw)}")
    prompt = filled.prompt
    known = [*(variable.name for variable in prompt.variables), *prompt.defaults]
    for name in filled.rendering.unknown:
        near = nearest(name, known)
        guess = f"; did you mean `{near}`?" if near else ""
        console.warn(f"psreg: warning: the prompt has no variable `{name}`{guess}")
    if filled.rendering.missing:
        missing = filled.rendering.missing
        names = ", ".join(f"`{name}`" for name in missing[:_NAMED])
        names += f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
        console.warn(f"psreg: warning: no value for {names}; give one with --set NAME=VALUE")
    for name in sorted({literal.name for literal in prompt.literals}):
        if name in filled.rendering.unknown:
            console.warn(f"  note: {{{{{name}}}}} is a literal; a variable is {{{name}}}")
