"""The forms of psreg's own repository, which the registries it makes get as well.

They are part of the package and, in a source checkout of psreg, lie in its `.github` folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import psreg


def own_forms() -> Mapping[str, bytes]:
    """Return the forms for issues and pull requests, by path below `.github`."""
    package = Path(psreg.__file__).parent
    folder = next(at for at in (package / "forms", package.parents[1] / ".github") if at.is_dir())
    paths = (*(folder / "ISSUE_TEMPLATE").glob("*.yml"), folder / "PULL_REQUEST_TEMPLATE.md")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
