"""Small sites to deploy: a published registry, its artifacts, and a few pages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from shutil import copytree

from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.retired_files import RETIRED, read_retired, superseded_metadata
from support.publishing import NOW, Tree, founded, release, state_of

PAGES = {
    "index.html": b"<html>" + b"A page. " * 100,
    "404.html": b"not found",
    ".nojekyll": b"",
    "assets/site.css": b"body { color: black }\n" * 40,
    "api/v1/index.json": b'{"schema": "psreg.index/1"}' + b" " * 600,
    ".psreg-site": b"written by psreg\n",
}


class Published:
    """A registry that is published again and again, and the sites that are built of its states."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.home, self.registry = folder / "home", folder / "registry"

    @classmethod
    def founded(cls, folder: Path) -> Published:
        """Return the registry that all tests have, with FIRST published."""
        found = cls(folder)
        founded(found.home, found.registry)
        return found

    def clone(self, folder: Path, site: Path) -> Published:
        """Return a registry with the same keys and the state that a site has."""
        other = Published(folder)
        copytree(self.home, other.home)
        copytree(site / "registry", other.registry)
        return other

    def publish(self, tree: Tree, now: datetime = NOW) -> None:
        """Publish another tree."""
        release(self.home, self.registry, tree, now)

    def site(self, name: str, tree: Tree, pages: Mapping[str, bytes] = PAGES) -> Path:
        """Write the folder of a site with the state in force, and return it."""
        out = self._folder / name
        copytree(self.registry, out / "registry")
        registry = out / "registry"
        names = [path.name for path in (registry / "metadata").iterdir()]
        lines = read_retired(RegistryFolder(registry).read(RETIRED), 1 << 20)
        former = {path for line in lines for path in line.paths}
        for path in former | {RETIRED, *superseded_metadata(state_of(registry), names)}:
            (registry / path).unlink(missing_ok=True)
        artifacts = {
            path.as_posix(): data for path, data in tree.items() if path.name != "entry.toml"
        }
        for path, data in {**artifacts, **pages}.items():
            place = out / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        return out
