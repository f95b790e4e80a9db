"""The client of the conformance suite of The Update Framework: psreg's own, at another repository.

It obeys CLIENT-CLI.md of theupdateframework/tuf-conformance. Fetching, verifying and storing are
what `psreg install` does; only the addresses and the place of the results are the suite's.
"""

import argparse
import sys
from pathlib import Path
from urllib.parse import quote

from psreg.client.registry_choice import open_source
from psreg.client.tufclient import METADATA, TufClient
from psreg.core.errors import PsregError
from psreg.system.atomic import write_file

ROOT = "first_root.json"
TARGETS = "registry/targets/"
LIMIT = 1 << 20


class Repository:
    """A `Source` that has metadata at one address and targets at another one."""

    def __init__(self, metadata, targets):
        self.location = metadata
        self._metadata = open_source(metadata.rstrip("/"))
        self._targets = open_source(targets.rstrip("/")) if targets else None

    def read(self, path, limit):
        if path.startswith(METADATA):
            return self._metadata.read(path.removeprefix(METADATA), limit)
        return self._targets.read(quote(path.removeprefix(TARGETS).lstrip("/")), limit)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--metadata-dir", type=Path, required=True)
    parser.add_argument("--metadata-url")
    parser.add_argument("--target-name", action="append", default=[])
    parser.add_argument("--target-base-url")
    parser.add_argument("--target-dir", type=Path)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("init").add_argument("root", type=Path)
    commands.add_parser("refresh")
    commands.add_parser("download")
    args = parser.parse_args()
    folder = args.metadata_dir.parent  # where a registry's state is, psreg keeps `metadata` there
    if args.command == "init":
        for place in (folder / ROOT, args.metadata_dir / "root.json"):
            write_file(place, args.root.read_bytes())
        return 0
    repository = Repository(args.metadata_url, args.target_base_url)
    client = TufClient(repository, (folder / ROOT).read_bytes(), folder / ".", print)
    try:
        client.refresh()
        for name in args.target_name:
            data = client.target(name, LIMIT)
            if data is None:
                print(f"{name} is not listed")
                return 1
            file = args.target_dir / quote(name, safe="")
            if not file.exists() or file.read_bytes() != data:
                write_file(file, data)
    except PsregError as error:
        print(f"error[{error.code}]: {error.message}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
