"""`psreg show FILE|NAME[@RANGE]`: show a prompt in readable form."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from psreg.cli.bundle_option import add_bundle_option, bundled, final_text
from psreg.cli.named_prompt import METAVAR, add_source_options, find_prompt
from psreg.client.outline import pbe_outline, prompt_outline
from psreg.core.classes import Format, detect_format
from psreg.core.errors import FindingsError, UsageError
from psreg.formats import dotprompt, pbe
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg show socratic_tutor"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("what", metavar=METAVAR, help="a file, an installed prompt, or another")
    parser.add_argument("--raw", action="store_true", help="print the file exactly as it is")
    add_bundle_option(parser)
    add_source_options(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print the prompt; exit 1 if it is malformed, 2 if it is not a prompt, 4 if missing."""
    if args.bundle and args.raw:
        raise UsageError("USAGE", "`--bundle` and `--raw` exclude each other")
    found = find_prompt(args.what, args, console)
    path, data = found.path, found.data
    form = detect_format(path, data[:4096].decode("utf-8", "replace"))
    if args.bundle:
        data = bundled(found, final_text(found), args, console).encode()
    if (args.raw or args.bundle) and not console.machine:
        console.content(data)
        return 0
    if form is None:
        raise UsageError("UNKNOWN_FORMAT", f"{path} is neither a PBE nor a .prompt file")
    if console.machine:
        text = data.decode("utf-8", "replace")
        console.json({"schema": "psreg.show/1", "path": path, "format": form, "text": text})
        return 0
    for line in _outline(path, data, form):
        console.line(line)
    return 0


def _outline(path: str, data: bytes, form: Format) -> Iterator[str]:
    if form is Format.PBE:
        document = pbe.read(data)
        if not document.tree.parsed or not isinstance(document.tree.value, dict):
            raise _unreadable(path)
        return pbe_outline(document.tree)
    prompt = dotprompt.read(data)
    if not prompt.readable:
        raise _unreadable(path)
    variables = {variable.name: variable.default for variable in prompt.variables}
    return prompt_outline(prompt.metadata, variables, dotprompt.render(prompt, {}).text)


def _unreadable(path: str) -> FindingsError:
    return FindingsError("UNREADABLE", f"{path} is malformed", f"Run `psreg check --read {path}`.")
