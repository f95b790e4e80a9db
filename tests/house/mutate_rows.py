"""Empty each row of the decision table in turn: its cases in tests/floor must then come out wrong.

Prints the survivors, then `N/N killed`; exit 0 only if every row was killed. A row whose cases fail
without its being emptied counts as alive, for they prove nothing.

    python tests/house/mutate_rows.py [ROW…]
"""

import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from psreg.compatibility.version_floor import FLOOR_TABLE
from support.floor_cases import cases


def nothing(_before, _after):
    """Stand for the body of a row that finds nothing."""
    return iter(())


def killed(row, hits):
    """Tell whether each of the cases notices that `row` finds nothing any more."""
    if not hits or any(case.lines() != case.expected for case in hits):
        return False
    body = row.find
    object.__setattr__(row, "find", nothing)  # every table holds this same row
    try:
        return all(case.lines() != case.expected for case in hits)
    finally:
        object.__setattr__(row, "find", body)


def main(ids):
    hits = defaultdict(list)
    for case in cases():
        if case.hit:
            hits[case.row].append(case)
    rows = [row for row in FLOOR_TABLE if not ids or row.id in ids]
    alive = [row for row in rows if not killed(row, hits[row.id])]
    for row in alive:
        print(f"alive: {row.id}")
    print(f"{len(rows) - len(alive)}/{len(rows)} killed")
    return int(bool(alive) or not rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
