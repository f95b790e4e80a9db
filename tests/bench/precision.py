"""How many ordinary texts the rules would block: `python tests/bench/precision.py DIR`.

Each text file below DIR becomes the content of a `.prompt` in memory and is judged. Blocked is
what has an error of family PS that nobody waived. Exit code 1 if more than 2 % are, 2 without files.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

from psreg.core.diagnostics import Severity
from psreg.lint.engine import check_file

HIGHEST = 0.02
SUFFIXES = (".md", ".prompt", ".rst", ".txt")
HEAD = "[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\n"


def judge(text):
    """The diagnostics of family PS about a text."""
    found = check_file((HEAD + text + "\n").encode(), path="x.prompt")
    return [d for d in found if d.family == "PS"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--verbose", action="store_true", help="print every error")
    args = parser.parse_args()
    files = sorted(p for p in args.folder.rglob("*") if p.suffix in SUFFIXES and p.is_file())
    codes, blocked = Counter(), 0
    for path in files:
        found = judge(path.read_text(encoding="utf-8", errors="replace"))
        codes.update({(d.severity, d.code) for d in found})
        errors = [d for d in found if d.severity is Severity.ERROR]
        blocked += bool(errors)
        for d in errors if args.verbose else ():
            print(f"{path}:{d.start.line}: {d.code} {d.message}")
    if not files:
        print(f"{args.folder} has no text files", file=sys.stderr)
        return 2
    rate = blocked / len(files)
    print(f"files    {len(files)}")
    print(f"blocked  {blocked}")
    print(f"rate     {rate:.2%} (at most {HIGHEST:.0%})")
    for (severity, code), number in sorted(codes.items()):
        print(f"{severity:8} {code} in {number} files")
    return 1 if rate > HIGHEST else 0


if __name__ == "__main__":
    sys.exit(main())
