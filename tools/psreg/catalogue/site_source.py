"""What a site is built from: the checkout, the signed registry, and what is said of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from psreg.catalogue.mkdocs_frame import frame_source
from psreg.catalogue.pages.frame import PICTURES
from psreg.core.classes import CLASSES
from psreg.core.errors import UnavailableError
from psreg.core.identity import PBES
from psreg.formats import policy
from psreg.registry.checkout import required_checkout
from psreg.system.files import read_file

_ASSETS = "assets/psreg"
_SCHEMES = {"light": "default", "dark": "slate"}
"""The theme's names of its colour schemes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSource:
    """The source of a site: a registry's checkout, and the folder with its metadata.

    `claims` are the verified claims of names.
    """

    checkout: Path
    registry: Path
    claims: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def find(cls, registry_dir: str | None) -> SiteSource:
        """Return the source in the checkout around the current folder.

        Raises:
            UnavailableError: NO_CHECKOUT.
        """
        checkout = required_checkout(".")
        registry = Path(registry_dir).absolute() if registry_dir else checkout / "registry"
        return cls(checkout=checkout, registry=registry)

    def policy(self) -> policy.Policy:
        """Return the registry's policy; without a file, the defaults."""
        return policy.read(self.read("registry/policy.toml") or b"")

    def folders(self, *, draft: bool = False) -> tuple[Path, ...]:
        """Return the folders on which the site depends, with drafts or without."""
        drafts = (self.checkout / PBES,) if draft else ()
        return (self.registry, frame_source(self.checkout), *drafts)

    @property
    def has_own_frame(self) -> bool:
        """Whether the checkout has a site of its own, as that of psreg has."""
        return frame_source(self.checkout).parent == self.checkout

    def class_pictures(self) -> dict[str, bytes]:
        """Return the pictures of the classes, if the policy wants such of the entries, too.

        Raises:
            UnavailableError: one of them cannot be read.
        """
        if not self.policy().site_pictures:
            return {}
        folder = frame_source(self.checkout) / "overrides" / PICTURES
        return {slug: read_file(folder / f"{slug}.png") for slug in CLASSES}

    def brand(self) -> dict[str, bytes]:
        """Return the logo and the colours of the policy as files, by path below the site's root.

        Raises:
            UnavailableError: the logo cannot be read.
        """
        chosen, found = self.policy(), {}
        if chosen.site_logo:
            suffix = chosen.site_logo.rpartition(".")[2]
            found[f"{_ASSETS}/logo.{suffix}"] = read_file(self.checkout / chosen.site_logo)
        if chosen.site_accent:
            rules = [
                f'[data-md-color-scheme="{_SCHEMES[key]}"]{{--ps-accent:{colour};'
                f"--ps-accent-soft:color-mix(in srgb,{colour} 14%,var(--ps-bg))}}\n"
                for key, colour in chosen.site_accent.items()
            ]
            found[f"{_ASSETS}/registry.css"] = "".join(rules).encode()
        return found

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a plain file in the checkout, None if there is no such file."""
        try:
            return read_file(self.checkout / path)
        except UnavailableError:
            return None
