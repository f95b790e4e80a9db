"""How many ordinary texts the content rules block, and how many hostile ones they find.

`python tests/bench/run.py lint --benign DIR --hostile DIR` judges each text file below the folders
as the content of a `.prompt`, in memory, or as what it is if it is a `.prompt` or a PBE already. It
prints a row for each source: a folder below DIR, or DIR itself. Blocked is what has an error of family PS, warned what has a warning but no error.
PS021, about images from other servers, is left out. A hostile text is found for the right reason
by a rule about attacks, not by one about form.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from psreg.core.diagnostics import Severity
from psreg.lint.engine import check_file

SUFFIXES = (".md", ".mdc", ".prompt", ".rst", ".txt")
HEAD = "[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\n"
MARK = re.compile(r"^\[(?:METADATA|DEFAULTS|CONTENT)\]", re.MULTILINE)
LEFT_OUT = frozenset({"PS021"})
ABOUT_FORM = frozenset({"PS005", "PS006", "PS008", "PS009", "PS052", "PS070", "PS071"})
LARGEST = 1_000_000


@dataclass
class Source:
    """What was found in the files of one folder."""

    name: str
    files: int = 0
    blocked: int = 0
    warned: int = 0
    reasons: int = 0
    codes: Counter = field(default_factory=Counter)

    def judge(self, path: Path, *, verbose: bool) -> None:
        text = path.read_bytes()[:LARGEST].decode("utf-8-sig", errors="replace")
        data, name = document(path.name, text)
        found = check_file(data, path=name)
        found = [d for d in found if d.family == "PS" and d.code not in LEFT_OUT]
        found = [d for d in found if d.severity is not Severity.INFO]
        levels = {d.severity for d in found}
        codes = {d.code for d in found}
        self.files += 1
        self.blocked += Severity.ERROR in levels
        self.warned += levels == {Severity.WARNING}
        self.reasons += bool(codes - ABOUT_FORM)
        self.codes.update(
            f"{d.severity[0]}{d.code}" for d in {(d.severity, d.code): d for d in found}.values()
        )
        for d in found if verbose else ():
            print(f"{path}:{d.start.line}: {d.severity} {d.code} {d.message}")

    def row(self, kind: str) -> str:
        rates = (self.blocked, self.warned, self.reasons)
        cells = "".join(f"{number / max(1, self.files):>9.2%}" for number in rates)
        often = ", ".join(f"{code} {number}" for code, number in self.codes.most_common(8))
        return f"{kind:8} {self.name[:24]:24} {self.files:>6}{cells}  {often}"


def document(name: str, text: str) -> tuple[bytes, str]:
    """Return what to check instead of a text: a file and its name.

    A header would begin another section, so that the text is not read; a blank is put before it.
    """
    if name.endswith(".pbe.txt") or (name.endswith(".prompt") and MARK.search(text)):
        return text.encode(), name
    return (HEAD + MARK.sub(" \\g<0>", text) + "\n").encode(), "x.prompt"


def sources(folder: Path, *, verbose: bool) -> list[Source]:
    found: dict[str, Source] = {}
    for path in sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file()):
        parts = path.relative_to(folder).parts
        name = parts[0] if len(parts) > 1 else folder.name
        found.setdefault(name, Source(name)).judge(path, verbose=verbose)
    return list(found.values())


def report(benign: Path | None, hostile: Path | None, *, verbose: bool) -> int:
    """Print the table and return the number of files."""
    files = 0
    print(f"{'kind':8} {'source':24} {'files':>6}{'blocked':>9}{'warned':>9}{'reason':>9}  often")
    for kind, folder in (("benign", benign), ("hostile", hostile)):
        rows = sources(folder, verbose=verbose) if folder else []
        total = Source("all")
        for each in rows:
            print(each.row(kind), flush=True)
            total.files += each.files
            total.blocked += each.blocked
            total.warned += each.warned
            total.reasons += each.reasons
        if len(rows) > 1:
            print(total.row(kind))
        files += total.files
    return files
