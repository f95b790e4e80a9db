"""`--bundle`: a prompt together with those that it calls, as one text."""

from __future__ import annotations

import hashlib
from argparse import Namespace
from pathlib import PurePath
from typing import TYPE_CHECKING

from psreg.cli.named_prompt import FoundPrompt, find_named
from psreg.client.render import pbe_text
from psreg.core.classes import Format, detect_format
from psreg.core.errors import FindingsError
from psreg.core.identity import is_name, normal_name
from psreg.formats import dotprompt, pbe
from psreg.system.console import Console, OptionAdder

if TYPE_CHECKING:
    from psreg.client.exports.bundle import Part


def add_bundle_option(parser: OptionAdder) -> None:
    """Declare `--bundle`."""
    parser.add_argument(
        "--bundle", action="store_true", help="put the prompts that it calls in front, as one text"
    )


def bundled(found: FoundPrompt, text: str, args: Namespace, console: Console) -> str:
    """Return `text`, the final text of a prompt, together with what that calls.

    Raises:
        FindingsError: `CALL_NOT_REQUIRED`; `CALLS_IN_A_CYCLE`; `TOO_MANY_CALLS`; as `final_text`.
        PsregError: as `find_named`, for what is called.
    """
    from psreg.client.exports.bundle import in_order, written

    required = {_name(found): found.requires}

    def read(name: str, by: Part) -> Part:
        wanted = "" if (listed := required[by.name]) is None else listed.get(name)
        if wanted is None or not is_name(name):
            raise FindingsError(
                "CALL_NOT_REQUIRED",
                f"{by.title} calls `@psreg:{name}`, which it does not require",
                "Tell its author; without `--bundle` you get it alone.",
            )
        other = find_named(f"{name}@{wanted}" if wanted else name, args, console)
        required[_name(other)] = other.requires
        return _part(other, final_text(other))

    return written(in_order(_part(found, text), read))


def final_text(found: FoundPrompt) -> str:
    """Return the text of a prompt with its defaults; other variables stay open.

    Raises:
        FindingsError: `UNREADABLE`; `RESERVED_CLASS`.
    """
    if _format(found) is Format.PBE:
        return pbe_text(found.data, found.path)
    prompt = dotprompt.read(found.data)
    if not prompt.readable:
        path = found.path
        raise FindingsError(
            "UNREADABLE", f"{path} is malformed", f"Run `psreg check --read {path}`."
        )
    return dotprompt.render(prompt, {}).text


def _part(found: FoundPrompt, text: str) -> Part:
    from psreg.client.exports.bundle import Part, called

    is_pbe = _format(found) is Format.PBE
    value = pbe.read(found.data).tree.value if is_pbe else dotprompt.read(found.data).content
    return Part(
        name=_name(found),
        version=found.version,
        sha256=hashlib.sha256(found.data).hexdigest(),
        text=text,
        calls=called(value),
    )


def _name(found: FoundPrompt) -> str:
    return found.name or normal_name(PurePath(found.path).name.partition(".")[0])


def _format(found: FoundPrompt) -> Format | None:
    return detect_format(found.path, found.data[:4096].decode("utf-8", "replace"))
