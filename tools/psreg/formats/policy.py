"""registry/policy.toml: what the maintainers of a registry decided.

A registry without the file has the defaults. Waivers of the policy are for names, or for all
releases that were imported from an address, not for single releases; `*` is every name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from psreg.formats import toml_document
from psreg.formats.licenses import DEFAULT_ALLOWED
from psreg.formats.release import origin_parts
from psreg.formats.toml_document import TomlFile

if TYPE_CHECKING:
    from psreg.core.ssh_key import SshKey

_URL = re.compile(r"https?://[\w.~:/%-]+", re.ASCII)

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}", re.ASCII)
_PICTURE = re.compile(r"(?:[\w-][\w.-]*/)*[\w-][\w.-]*\.(?:svg|png)", re.ASCII)

_DAYS = range(1, 366)
"""For how many days a signature may be valid, or an old file kept."""

_DEFAULT_DAYS = {
    **dict.fromkeys(("root", "targets", "owners", "releases"), 365),
    **dict.fromkeys(("snapshot", "timestamp"), 14),
}
_KEEP_DAYS = 30

BY_ORIGIN = ("REG011",)
"""The rules that a waiver for an origin may name. An author states the origin, so that it excuses
only what an importer cannot supply: test runs."""

_SCHEMES = ("light", "dark")
_PLATFORMS = range(11)
_DEFAULT_PLATFORMS = 2


class Policy(TomlFile):
    """A policy.toml. Accessors leave out values of the wrong type; `violations` reports them."""

    schema_name = "policy"

    @property
    def site_name(self) -> str:
        """The registry's name for people, or ""."""
        return _text(self.table("site").get("name"))

    @property
    def site_url(self) -> str:
        """The address its site is meant for, or ""."""
        return _text(self.table("site").get("url"))

    @property
    def site_address(self) -> str:
        """`site_url` with a slash at its end; "" if it is not an address."""
        url = self.site_url.rstrip("/")
        return f"{url}/" if _URL.fullmatch(url) else ""

    @property
    def site_repository(self) -> str:
        """The address of its repository for people, without a slash at its end; "" if unknown."""
        url = _text(self.table("site").get("repository")).rstrip("/")
        return url if _URL.fullmatch(url) else ""

    @property
    def site_text(self) -> str:
        """What its home page says below the title, or ""."""
        return _text(self.table("site").get("text"))

    @property
    def site_logo(self) -> str:
        """The path of its logo in the repository, an SVG or PNG; "" if it has none."""
        path = _text(self.table("site").get("logo"))
        return path if _PICTURE.fullmatch(path) else ""

    @property
    def site_accent(self) -> Mapping[str, str]:
        """The colours of links and buttons, `#rrggbb`, on `light` and on `dark` pages."""
        table = self.table("site").get("accent")
        found = {key: _text(table.get(key)) for key in _SCHEMES} if isinstance(table, dict) else {}
        return {key: colour for key, colour in found.items() if _COLOUR.fullmatch(colour)}

    @property
    def site_pictures(self) -> bool:
        """Whether each entry has a picture of its own where links to it are shown."""
        return self.table("site").get("pictures") is True

    @property
    def site_picks(self) -> tuple[str, ...]:
        """The names of the entries that its home page shows first."""
        listed = self.table("site").get("picks")
        return tuple(filter(None, map(_text, listed))) if isinstance(listed, list) else ()

    @property
    def synonyms(self) -> tuple[str, ...]:
        """The lines that its search knows besides those of psreg: words that mean the same.

        What would be a comment, or a list of weak words, is left out.
        """
        listed = self.table("search").get("synonyms")
        lines = map(_text, listed) if isinstance(listed, list) else ()
        return tuple(line for line in lines if line.isprintable() and line[:1] not in "!#")

    @cached_property
    def licenses(self) -> frozenset[str]:
        """The SPDX identifiers a release may have."""
        allowed = self.table("licenses").get("allow")
        if not isinstance(allowed, list):
            return DEFAULT_ALLOWED
        return frozenset(item for item in allowed if isinstance(item, str))

    @property
    def allows_proprietary(self) -> bool:
        """Whether a release may have terms of its own, `LicenseRef-…`; not by default."""
        return self.table("licenses").get("proprietary") is True

    @property
    def platforms(self) -> int:
        """On how many platforms a release must have been run; 2 by default, as PBE-19 says."""
        value = self.table("review").get("platforms")
        return value if type(value) is int and value in _PLATFORMS else _DEFAULT_PLATFORMS

    @cached_property
    def extra_platforms(self) -> tuple[str, ...]:
        """The platforms that count beside those that psreg knows, by their identifiers."""
        listed = self.table("review").get("extra_platforms")
        return tuple(filter(None, map(_text, listed))) if isinstance(listed, list) else ()

    @property
    def reserved_names(self) -> tuple[tuple[int, str], ...]:
        """The reserved names, each with its index; psreg also reserves some of its own."""
        return self._names("reserved")

    @property
    def retired_names(self) -> tuple[tuple[int, str], ...]:
        """The names of entries that are gone, each with its index; they are never reused."""
        return self._names("retired")

    def _names(self, key: str) -> tuple[tuple[int, str], ...]:
        listed = self.table("names").get(key)
        items = enumerate(listed) if isinstance(listed, list) else ()
        return tuple((index, item) for index, item in items if isinstance(item, str))

    @property
    def entries_per_change(self) -> int:
        """How many entries one pull request may touch; 1 by default."""
        value = self.table("review").get("entries_per_change", 1)
        return value if isinstance(value, int) and not isinstance(value, bool) else 1

    @property
    def needs_human_fails(self) -> bool:
        """Whether the status of a change that needs a human is a failure; it is not by default."""
        return self.table("review").get("needs_human") == "failing"

    @cached_property
    def reviewers(self) -> Mapping[SshKey, str]:
        """The name of the reviewer who has a key, by key; what is not a key is left out."""
        from psreg.core.ssh_key import SshKey  # noqa: PLC0415 - few policies list any

        found: dict[SshKey, str] = {}
        rows = dict(self.tables("reviewer"))
        for place, line in self.reviewer_keys:
            with suppress(ValueError):
                found.setdefault(SshKey.parse(line), _text(rows[place[1]].get("name")))
        return found

    @property
    def reviewer_keys(self) -> Iterator[tuple[tuple[str, int, str, int], str]]:
        """The public keys of all reviewers, each with its place."""
        for index, row in self.tables("reviewer"):
            keys = row.get("keys")
            for number, key in enumerate(keys if isinstance(keys, list) else ()):
                if isinstance(key, str):
                    yield ("reviewer", index, "keys", number), key

    @property
    def lifetimes(self) -> Mapping[str, timedelta]:
        """How long signatures of each role last, as `_DEFAULT_DAYS` if it says nothing else."""
        table = self.table("signatures")
        found = {role: table.get(f"{role}_days") for role in _DEFAULT_DAYS}
        return {
            role: timedelta(days=days if type(days) is int and days in _DAYS else default)
            for (role, days), default in zip(found.items(), _DEFAULT_DAYS.values(), strict=True)
        }

    @property
    def keep(self) -> timedelta:
        """How long files are kept that no current state refers to; 30 days by default."""
        days = self.table("publish").get("keep_days")
        return timedelta(days=days if type(days) is int and days in _DAYS else _KEEP_DAYS)

    def waiver(self, code: str, name: str, origin: str = "") -> str:
        """Return why findings of rule `code` are waived for the entry `name`, or "".

        `origin` is the address that a release says it was imported from.
        """
        found = [self._waivers.get((code, named)) for named in (name, "*")]
        if origin and code in BY_ORIGIN:
            stated = origin_parts(origin)
            found += [
                reason
                for (waived, parts), reason in self._origin_waivers.items()
                if waived == code and parts and stated[: len(parts)] == parts
            ]
        return min((one for one in found if one), default=(0, ""))[1]

    @cached_property
    def _waivers(self) -> Mapping[tuple[str, str], tuple[int, str]]:
        """The first row with a reason, and its reason, by code and name."""
        # NOTE: computed once, because it is needed for every finding.
        found: dict[tuple[str, str], tuple[int, str]] = {}
        for index, row in self.tables("waiver"):
            code, names, reason = _text(row.get("code")), row.get("names"), _text(row.get("reason"))
            for name in names if reason.strip() and isinstance(names, list) else ():
                found.setdefault((code, _text(name)), (index, reason.strip()))
        return found

    @cached_property
    def _origin_waivers(self) -> Mapping[tuple[str, tuple[str, ...]], tuple[int, str]]:
        """The first row with a reason, and its reason, by code and the parts of an address."""
        found: dict[tuple[str, tuple[str, ...]], tuple[int, str]] = {}
        for index, row in self.tables("waiver"):
            code, reason = _text(row.get("code")), _text(row.get("reason")).strip()
            if reason and "origin" in row:
                parts = origin_parts(_text(row["origin"]))
                found.setdefault((code, parts), (index, reason))
        return found


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def read(data: bytes) -> Policy:
    """Read a policy.toml; never raises."""
    return Policy(toml_document.parse(data))
