"""Installed packages as wheels again, and a package index that serves them: no network is needed."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from importlib.metadata import Distribution, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support.loopback import Loopback, answer, serving

_OF_THE_INSTALLER = ("INSTALLER", "RECORD", "REQUESTED", "direct_url.json")
"""What an installer adds to the metadata of a package."""


def closure(name: str, *extras: str) -> set[str]:
    """Return the names of all distributions that `name` with some extras needs."""
    found: set[str] = set()
    left = [(name, extras)]
    while left:
        one, wanted = left.pop()
        for line in distribution(one).requires or ():
            needed = Requirement(line)
            marker = needed.marker
            if marker and not any(marker.evaluate({"extra": each}) for each in ("", *wanted)):
                continue
            if needed.name not in found:
                found.add(needed.name)
                left.append((needed.name, (*needed.extras,)))
    return found


def repacked(name: str) -> tuple[str, bytes]:
    """Return the file name and the bytes of the wheel that an installed package came from.

    They are those of the wheel, but for its compression and the order of its files.
    """
    package = distribution(name)
    files = _files(package)
    (info,) = {path.partition("/")[0] for path in files if path.endswith(".dist-info/METADATA")}
    record = io.StringIO()
    csv.writer(record, lineterminator="\n").writerows((path, "", "") for path in files)
    files[f"{info}/RECORD"] = record.getvalue().encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return f"{info.removesuffix('.dist-info')}-{_tag(package)}.whl", packed.getvalue()


def _files(package: Distribution) -> dict[str, bytes]:
    """Return the files of a package that were in its wheel, by path."""
    found = {}
    for path in package.files or ():
        made = path.suffix == ".pyc" or path.name in _OF_THE_INSTALLER
        if not made and ".." not in path.parts:  # programs are made again from their entry points
            found[path.as_posix()] = path.locate().read_bytes()
    return found


def _tag(package: Distribution) -> str:
    """Return the compressed tag of a wheel, such as `cp311-abi3-manylinux_2_34_x86_64`."""
    lines = (package.read_text("WHEEL") or "").splitlines()
    tags = [line.removeprefix("Tag: ").split("-") for line in lines if line.startswith("Tag: ")]
    return "-".join(".".join(dict.fromkeys(part)) for part in zip(*tags, strict=True))


@contextmanager
def package_index(wheels: Mapping[str, bytes]) -> Iterator[Loopback]:
    """Serve a simple package index (PEP 503) with some wheels, below `simple/`."""
    projects: dict[str, list[str]] = {}
    for file, data in wheels.items():
        anchor = f'<a href="../../{file}#sha256={sha256(data).hexdigest()}">{file}</a>'
        projects.setdefault(canonicalize_name(file.partition("-")[0]), []).append(anchor)
    pages = {f"simple/{name}/": "".join(links).encode() for name, links in projects.items()}
    kind = {"Content_Type": "text/html"}  # without it, an installer does not read the page
    tricks = {path: partial(answer, status=200, body=page, **kind) for path, page in pages.items()}
    with serving(wheels, tricks) as server:
        yield server


def wheels_of(names: Iterable[str]) -> dict[str, bytes]:
    """Return the wheels of installed packages by file name."""
    return dict(map(repacked, names))
