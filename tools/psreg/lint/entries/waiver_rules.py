"""The rules about what waives findings: the waivers of a release, and a registry's policy.

A waiver may name a rule of any room, so these subjects carry a table that knows all codes. `path`
is set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.identity import is_name
from psreg.core.regex import lazy
from psreg.core.rule import RuleTable, rule
from psreg.core.spelling import nearest
from psreg.core.ssh_key import SshKey
from psreg.core.terminal import code_point, control_in
from psreg.formats.json.pointer import join
from psreg.formats.json.syntax_error import shown
from psreg.formats.policy import BY_ORIGIN, Policy
from psreg.formats.release import origin_parts
from psreg.formats.toml_document import MOST
from psreg.formats.tree import POLICY, Submission, Tree
from psreg.formats.waivers import waivable
from psreg.lint.content.clarity_rules import says_nothing
from psreg.lint.parser_findings import of_violations


@dataclass(frozen=True, slots=True)
class ReleaseWaivers:
    """What the release.toml of `submission` waives; `rules` knows the codes of all rules."""

    submission: Submission
    rules: RuleTable


@dataclass(frozen=True, slots=True)
class RegistryPolicy:
    """registry/policy.toml of `tree`; `rules` knows the codes of all rules."""

    tree: Tree
    rules: RuleTable


Place = tuple[str | int, ...]
"""Where something is in a document: keys and indexes."""


def faults_of_keys(
    lines: Iterable[tuple[Place, str]], path: str, usable: dict[Place, SshKey]
) -> Iterator[Finding]:
    """Yield what is wrong with lines of public keys; `usable` gets each key that can sign once."""
    for place, line in islice(lines, MOST):
        try:
            key = SshKey.parse(line)
        except ValueError as error:
            message = f"not a public SSH key: {error}"
            hint = "Copy the whole line of a file such as `~/.ssh/id_ed25519.pub`."
            yield Finding(message=message, at=join(place), path=path, hint=hint, since="0.2.0")
            continue
        if key in usable.values():
            message = f"the key {key.fingerprint} is listed twice and counts once"
            yield Finding(message=message, at=join(place), path=path, since="0.2.0")
            continue
        usable[place] = key


def faults_of_reason(reason: str, at: str, path: str) -> Iterator[Finding]:
    """Yield what is wrong with a reason that people read in one line of output."""
    control = control_in(reason)
    if not reason.strip():
        yield Finding(message="the reason is blank", at=at, path=path)
    elif says_nothing(reason):
        message = f"the reason says nothing: {shown(reason)}"
        hint = "Write in a sentence what people should know."
        yield Finding(message=message, at=at, path=path, hint=hint, since="0.2.0")
    elif control:
        message = f"the reason contains {code_point(control)}, a control character"
        yield Finding(message=message, at=at, path=path)


@rule("REG015", spec="registry/RELEASE", severity=ERROR)
def bad_waiver(waivers: ReleaseWaivers) -> Iterator[Finding]:
    """A waiver names an unknown rule, names one that cannot be waived, or has no usable reason.

    ## Why
    A waiver tells the reviewer that a finding is known and why it does not matter. Without a reason
    there is nothing to assess, and with a misspelled code the waiver has no effect. Authors cannot
    waive rules about the form of a release or about text that hides from reviewers; the maintainers
    of the registry can, in registry/policy.toml. A reason with a line break or another control
    character could look like several lines of output; `.` or "n/a" says as little as a blank.

    ## Fix
    Write the exact code and a reason as a sentence in one line, or fix the finding.

    ```toml
    [waivers]
    PS010 = "The text quotes an attack in order to explain it."
    ```
    """
    submission, path = waivers.submission, str(waivers.submission.release_path)
    for code, reason in islice(submission.release.waivers.items(), MOST):
        at = join(("waivers", code))
        if not waivers.rules.knows(code):
            message, hint = f"unknown rule `{code}`", _near_code(code, waivers.rules.codes)
            yield Finding(message=message, at=at, key=True, path=path, hint=hint)
        elif not waivable(code):
            message = f"authors cannot waive {code}"
            hint = "Fix it, or ask the registry's maintainers for a waiver in registry/policy.toml."
            yield Finding(message=message, at=at, key=True, path=path, hint=hint)
        yield from faults_of_reason(reason, at, path)


@rule("REG020", spec="registry/POLICY", severity=ERROR)
def bad_policy(judged: RegistryPolicy) -> Iterator[Finding]:
    """registry/policy.toml is invalid.

    ## Why
    The policy decides which licences are accepted and which findings are waived. An unknown key, a
    waiver of a rule that does not exist, or a site whose address is not one looks like a decision
    but has no effect. Links in a colour without enough contrast cannot be read by everybody.
    Without a reason, a waiver cannot be assessed later. A reason or a name with
    a line break or another control character could look like several lines of output. A waiver for
    an origin applies to every release whose author states that origin, so it can only excuse
    missing test runs. A reviewer whose key is cut off cannot sign.

    ## Fix
    Write exact keys, codes and names, and a reason in one line for each waiver. A waiver has either
    names or an origin. Copy the whole line of each reviewer's public key.

    ```toml
    [[waiver]]
    code = "REG011"
    names = ["*"]
    reason = "The seed entries have not been run on any platform yet."

    [[waiver]]
    code = "REG011"
    origin = "https://github.com/example/prompts"
    reason = "Imported as a whole; runs are added later."
    ```
    """
    yield from of_violations(judged.tree.policy.violations, "REG020", str(POLICY))
    yield from _site_faults(judged.tree.policy)
    yield from islice(_invalid_names(judged.tree.policy), MOST)
    yield from _reviewer_faults(judged.tree.policy)
    rows = judged.tree.policy.tables("waiver")
    faults = (fault for index, row in rows for fault in _waiver_faults(judged, index, row))
    yield from islice(faults, MOST)


def _site_faults(policy: Policy) -> Iterator[Finding]:
    used = {"url": policy.site_address, "repository": policy.site_repository}
    faults = {
        key: "is not an http or https address, so it is not used"
        for key, text in used.items()
        if isinstance(policy.table("site").get(key), str) and not text
    }
    if not policy.site_name.isprintable():
        faults["name"] = "contains a line break or another control character"
    for key, fault in faults.items():
        yield Finding(
            message=f"`site.{key}` {fault}",
            at=join(("site", key)),
            path=str(POLICY),
            severity=WARNING,
            since="0.2.0",
        )
    yield from _logo_faults(policy)
    yield from _accent_faults(policy)


def _logo_faults(policy: Policy) -> Iterator[Finding]:
    logo = policy.table("site").get("logo")
    if isinstance(logo, str) and logo and not policy.site_logo:
        yield Finding(
            message="`site.logo` is not the path of an SVG or PNG in the repository",
            at=join(("site", "logo")),
            path=str(POLICY),
            hint="Write a path such as `registry/logo.svg`.",
            since="0.2.0",
        )


PAGES: Mapping[str, tuple[str, str]] = {
    "light": ("#fbfaf7", "darker"),
    "dark": ("#14191b", "lighter"),
}
"""The colour of light and dark pages of a site, and how what is read on them has to be."""

_READABLE = 4.5
"""The lowest contrast of text (WCAG 2.2, 1.4.3)."""

_HEX = lazy(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")


def _accent_faults(policy: Policy) -> Iterator[Finding]:
    table = policy.table("site").get("accent")
    if not isinstance(table, dict):
        return
    for scheme, (page, way) in PAGES.items():
        text, colour = table.get(scheme), policy.site_accent.get(scheme)
        ratio = _contrast(colour, page) if colour else 0.0
        if ratio >= _READABLE or not isinstance(text, str) or not text:
            continue
        message, hint = f"`site.accent.{scheme}` is not a colour", _colour_hint(text)
        if colour:
            message = f"`{colour}` has a contrast of {ratio:.2f} to 1 on {scheme} pages"
            hint = f"Write a {way} colour; text needs {_READABLE} to 1."
        at = join(("site", "accent", scheme))
        yield Finding(message=message, at=at, path=str(POLICY), hint=hint, since="0.2.0")


def _colour_hint(text: str) -> str:
    found = _HEX.fullmatch(text)
    if not found:
        return "Write `#` and six hexadecimal digits, such as `#1c6b58`."
    digits = found[1] if len(found[1]) == len("rrggbb") else "".join(d * 2 for d in found[1])
    return f"Write `#{digits}`."


def _contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio")."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    """Return the relative luminance of `#rrggbb` (WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 - as defined
        for v in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _invalid_names(policy: Policy) -> Iterator[Finding]:
    for key, listed in (("reserved", policy.reserved_names), ("retired", policy.retired_names)):
        for at, text in listed:
            if text and not is_name(text):
                message = f"`{text}` is not a valid name, so no entry can have it"
                place = join(("names", key, at))
                yield Finding(message=message, at=place, path=str(POLICY), severity=WARNING)


def _reviewer_faults(policy: Policy) -> Iterator[Finding]:
    yield from faults_of_keys(policy.reviewer_keys, str(POLICY), {})
    for index, row in islice(policy.tables("reviewer"), MOST):
        name = row.get("name")
        if isinstance(name, str) and name and not (name.strip() and name.isprintable()):
            yield Finding(
                message="the name of a reviewer is blank or contains a control character",
                at=join(("reviewer", index, "name")),
                path=str(POLICY),
                since="0.2.0",
            )


def _waiver_faults(judged: RegistryPolicy, index: int, row: Mapping[str, Any]) -> Iterator[Finding]:
    path = str(POLICY)
    code, reason, names = (row.get(key) for key in ("code", "reason", "names"))
    if isinstance(code, str) and not judged.rules.knows(code):
        hint = _near_code(code, judged.rules.codes)
        message = f"unknown rule `{code}`"
        yield Finding(message=message, at=join(("waiver", index, "code")), path=path, hint=hint)
    if isinstance(reason, str) and reason:
        yield from faults_of_reason(reason, join(("waiver", index, "reason")), path)
    yield from _origin_faults(index, row)
    for at, name in enumerate(names if isinstance(names, list) else ()):
        if isinstance(name, str) and name != "*" and name not in judged.tree.names:
            yield Finding(
                message=f"unknown entry `{name}`",
                at=join(("waiver", index, "names", at)),
                path=path,
                hint=_near_name(name, judged.tree),
                severity=WARNING,
            )


def _origin_faults(index: int, row: Mapping[str, Any]) -> Iterator[Finding]:
    path, place = str(POLICY), join(("waiver", index))
    if ("names" in row) == ("origin" in row):
        message = "a waiver has either `names` or `origin`"
        yield Finding(message=message, at=place, path=path, hint='`names = ["*"]` is every entry.')
    if "origin" not in row:
        return
    code, origin = row.get("code"), row["origin"]
    if isinstance(origin, str) and origin and not origin_parts(origin):
        yield Finding(
            message="the origin is not a plain https address",
            at=join(("waiver", index, "origin")),
            path=path,
            hint="Write `https://host/path`, without user, query and fragment.",
        )
    if isinstance(code, str) and code not in BY_ORIGIN:
        yield Finding(
            message=f"an origin cannot waive {code}, because the author states it",
            at=join(("waiver", index, "code")),
            path=path,
            hint=f"Name the entries in `names`, or waive {', '.join(BY_ORIGIN)}.",
        )


def _near_name(name: str, tree: Tree) -> str:
    near = nearest(name, tree.names)
    return f"Did you mean `{near}`?" if near else ""


def _near_code(code: str, codes: frozenset[str]) -> str:
    near = nearest(code.upper(), sorted(codes))
    return f"Did you mean {near}?" if near else "See `psreg explain --all` for the codes."
