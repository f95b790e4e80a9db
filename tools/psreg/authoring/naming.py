"""Checks of the name of a new entry, and of the class of its artifact."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from psreg.authoring.todo import overlaid, todo_items
from psreg.core.classes import CLASSES, PBE_CLASSES, Format, detect_format, format_of_class
from psreg.core.diagnostics import ERROR
from psreg.core.errors import UsageError
from psreg.core.identity import EntryId, is_device, is_name
from psreg.core.rule import RuleTable
from psreg.core.spelling import did_you_mean
from psreg.formats import pbe
from psreg.formats.layout import name_like
from psreg.formats.tree import Tree


def require_class(entry_class: str) -> None:
    """Require the name of a class.

    Raises:
        UsageError: `CLASS_UNKNOWN`.
    """
    if entry_class not in CLASSES:
        hint = did_you_mean(entry_class, CLASSES)
        raise UsageError("CLASS_UNKNOWN", f"`{entry_class}` is not a class", hint)


def require_free_name(
    files: Mapping[PurePosixPath, bytes], entry_class: str, name: str, rules: RuleTable
) -> None:
    """Require a valid name that is neither taken in the tree nor too similar to another one.

    Raises:
        UsageError: `BAD_NAME`, `NAME_TAKEN`, or `NAME_REFUSED` by the rules about names.
    """
    if not is_name(name):
        better = name_like(name)
        raise UsageError(
            "BAD_NAME",
            f"`{name}` is not lowercase_with_underscores of at most 64 characters",
            f"Write `{better}`." if better else "Start with a letter, as in `trip_packer`.",
        )
    if is_device(name):
        message = f"`{name}` is a device name on Windows"
        raise UsageError("BAD_NAME", message, "Choose another name.")
    tree = Tree(files)
    if classes := tree.names.get(name, ()):
        same = entry_class in classes
        raise UsageError(
            "NAME_TAKEN",
            f"`{name}` is already taken in class {', '.join(classes)}",
            f"Run `psreg bump {name} patch` to start a new version of it."
            if same
            else "Choose another name.",
        )
    if others := tree.with_alias(name):
        message = f"`{name}` is already an alias of `{others[0].name}`"
        raise UsageError("NAME_TAKEN", message, "Choose another name.")
    entry = EntryId(entry_class, name)
    new = {entry.file: b"owners = []\n"}
    refused = [
        item
        for item in todo_items(overlaid(files, new), entry.folder, rules)
        if item.severity is ERROR and item.code.startswith("NAME")
    ]
    if refused:
        message = "; ".join(f"{item.message} [{item.code}]" for item in refused)
        raise UsageError("NAME_REFUSED", message, refused[0].write)


def is_artifact(data: bytes, filename: str) -> bool:
    """Tell whether `data` is a PBE or a .prompt, not just a text that starts like one."""
    text = data.decode("utf-8", "replace")
    form = detect_format(filename, text)
    if form is Format.PBE and not filename.endswith((".pbe.txt", ".pbe")):
        return pbe.read(data).is_object
    return form is not None


def require_class_of(data: bytes, filename: str, entry_class: str, name: str) -> Format:
    """Return the format of an artifact for an entry of `entry_class`.

    Raises:
        UsageError: `UNKNOWN_FORMAT`, or `CLASS_DIFFERS`: it has another class.
    """
    form = detect_format(filename, data[:4096].decode("utf-8", "replace"))
    if form is None:
        hint = f"Run `psreg new prompt {name} --from …` to make a .prompt of a plain text."
        message = f"`{filename}` is neither a PBE nor a .prompt file"
        raise UsageError("UNKNOWN_FORMAT", message, hint)
    stated = pbe.read(data).pbe_class if form is Format.PBE else Format.PROMPT.value
    fits = form is format_of_class(entry_class)
    if not fits or (stated in PBE_CLASSES and stated != entry_class):
        what = f"of class {stated}" if stated in CLASSES else "a PBE"
        known = stated if stated in CLASSES else "CLASS"
        raise UsageError(
            "CLASS_DIFFERS",
            f"`{filename}` is {what}, not of class {entry_class}",
            f"Run `psreg new {known} {name} --from …`.",
        )
    return form
