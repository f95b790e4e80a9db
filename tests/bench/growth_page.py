"""The generated part of the study of growth: tables, and the picture as SVG."""

from collections.abc import Callable, Iterable, Mapping
from math import log2, log10
from typing import Any

from psreg.registry.catalog_head import MOST_ROWS
from psreg.registry.trust.roles import BIN_BITS, Bins

Numbers = Mapping[str, float]

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
PAPER = 10_000_000
COMMAND = "python tests/bench/growth.py"

UNITS = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3), ("B", 1))


def size(number: float) -> str:
    """Return a number of bytes as people read it."""
    unit, factor = next(each for each in UNITS if number >= each[1] or each[1] == 1)
    value = number / factor
    return f"{value:,.0f} {unit}" if value >= 10 or unit == "B" else f"{value:,.1f} {unit}"


def seconds(number: float) -> str:
    return f"{number:,.0f} s" if number >= 10 else f"{number:.2f} s"


def plain(number: float) -> str:
    return f"{number:,.0f}"


def megabytes(number: float) -> str:
    return f"{number:,.0f} MB"


Column = tuple[str, str, Callable[[float], str]]

REGISTRY: list[Column] = [
    ("bins", "bins", plain),
    ("largest bin", "bin", size),
    ("snapshot", "snapshot", size),
    ("segments", "segments", plain),
    ("catalogue", "catalogue", size),
]
PUBLISHER: list[Column] = [
    ("CPU", "add a name, CPU s", seconds),
    ("memory", "add a name, MB", megabytes),
    ("bytes written", "add a name, bytes", size),
]
CLIENT: list[Column] = [
    ("`info`, cold", "info, cold, bytes", size),
    ("`search`, cold", "search, cold, bytes", size),
    ("", "search, cold, CPU s", seconds),
    ("warm", "search, warm, bytes", size),
    ("", "search, warm, CPU s", seconds),
    ("after 50 publishes", "search after 50 publishes, bytes", size),
]
TREE: list[Column] = [
    ("first publish", "first publish, CPU s", seconds),
    ("", "first publish, MB", megabytes),
    ("`--rev HEAD`: nothing new", "publish of nothing from a commit, CPU s", seconds),
    ("one release", "publish of one release from a commit, CPU s", seconds),
    ("work tree: nothing new", "publish of nothing from the work tree, CPU s", seconds),
    ("one release", "publish of one release from the work tree, CPU s", seconds),
    ("of which Git looks for changes", "Git looks for changes, CPU s", seconds),
    ("memory", "publish of one release, MB", megabytes),
    ("bytes written", "publish of one release, bytes", size),
]


def table(rows: Mapping[str, Numbers], columns: list[Column]) -> list[str]:
    """Return a table with a row for each number of names."""
    lines = ["| names | " + " | ".join(title for title, *_ in columns) + " |"]
    lines += ["|---:|" + "---:|" * len(columns)]
    for names, found in sorted(rows.items(), key=lambda row: int(row[0])):
        cells = [form(found[key]) if key in found else "–" for _, key, form in columns]
        lines.append(f"| {int(names):,} | " + " | ".join(cells) + " |")
    return lines


def worked_out(names: int, of: int, measured: Numbers) -> dict[str, float]:
    """Return what a registry of `names` comes to, by the sizes in a measured one `of` so many."""
    bins = 2 ** Bins.for_names(names).bits
    listed = sum(2**bits for bits in BIN_BITS if 2**bits <= bins)
    role = measured["snapshot"] / measured["bins"]
    bin_ = measured["bin"] * measured["bins"] / of * names / bins
    full = names // MOST_ROWS
    top = sum(measured[each] for each in ("timestamp", "releases", "head")) + 150 * full
    return {
        "bins": bins,
        "bin": bin_,
        "snapshot": role * listed,
        "segments": full + round(log2(MOST_ROWS)),
        "catalogue": measured["catalogue"] / of * names,
        "add a name, bytes": bin_ + role * listed + top + 2_000,
        "warm": role * listed + top,
        "objects": names * 4 + bins + full + 20,
    }


PAPER_COLUMNS: list[Column] = [
    *REGISTRY,
    ("a publish writes", "add a name, bytes", size),
    ("a client that is a day behind, besides new rows", "warm", size),
    ("objects in a bucket, without pages", "objects", plain),
]


def page(old: str, found: Mapping[str, Any], date: str, machine: str) -> str:
    """Return the page with new tables in the place of those before."""
    registries, trees = found["registry"], found["tree"]
    most = max(map(int, registries))
    sizes = sorted({*map(int, registries), PAPER})
    paper = {str(n): worked_out(n, most, registries[str(most)]) for n in sizes}
    parts: Iterable[tuple[str, list[str]]] = (
        ("What a registry consists of", table(registries, REGISTRY)),
        ("What adding a name costs, without a checkout", table(registries, PUBLISHER)),
        ("What clients fetch over HTTP, and compute", table(registries, CLIENT)),
        ("`psreg publish` in a Git checkout", table(trees, TREE)),
        (f"Worked out from the sizes at {most:,} names", table(paper, PAPER_COLUMNS)),
    )
    lines = [
        f"Measured on {date} with `{COMMAND}` ({machine}); seconds are CPU time of psreg and git."
    ]
    for title, rows in parts:
        lines += ["", f"### {title}", "", *rows]
    before, _, rest = old.partition(BEGIN)
    return f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}{rest.partition(END)[2]}"


WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 440, 70, 20, 220, 50
X, Y = (3, 7), (2, 10)
SERIES = (
    ("catalogue", "the whole catalogue", "#b5432a"),
    ("search after 50 publishes, bytes", "search after 50 publishes", "#c98a00"),
    ("add a name, bytes", "a publish writes", "#2563a8"),
    ("bin", "largest bin", "#2f7d4f"),
    ("snapshot", "snapshot", "#7a4fa3"),
)


def _at(names: float, number: float) -> tuple[float, float]:
    across, up = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    x = LEFT + across * (log10(names) - X[0]) / (X[1] - X[0])
    return x, HEIGHT - BOTTOM - up * (log10(number) - Y[0]) / (Y[1] - Y[0])


def picture(found: Mapping[str, Any]) -> str:
    """Return the sizes as curves: measured with dots, worked out with dashes."""
    registries = {int(names): row for names, row in found["registry"].items()}
    last = max(registries)
    paper = worked_out(PAPER, last, registries[last])
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-size="12">',
        "<title>Bytes by number of names</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/><g font-family="sans-serif">',
    ]
    for power in range(X[0], X[1] + 1):
        x, y = _at(10**power, 10 ** Y[0])
        out.append(f'<path d="M{x:.0f} {TOP}V{y:.0f}" stroke="#ddd"/>')
        out.append(f'<text x="{x:.0f}" y="{y + 18:.0f}" text-anchor="middle">{10**power:,}</text>')
    for power in range(Y[0], Y[1] + 1):
        _, y = _at(10 ** X[0], 10**power)
        out.append(f'<path d="M{LEFT} {y:.0f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        label = f'<text x="{LEFT - 8}" y="{y + 4:.0f}" text-anchor="end">{size(10**power)}</text>'
        out.append(label)
    middle = (LEFT + WIDTH - RIGHT) // 2
    out.append(f'<text x="{middle}" y="{HEIGHT - 10}" text-anchor="middle">names</text>')
    ends = sorted((-paper.get(key, registries[last][key]), key) for key, *_ in SERIES)
    level = {key: at for at, (_, key) in enumerate(ends)}
    for key, label, color in SERIES:
        points = [_at(names, row[key]) for names, row in sorted(registries.items())]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in points]
        if key in paper:
            (x, y), (to_x, to_y) = points[-1], _at(PAPER, paper[key])
            dashes = f'd="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" stroke-dasharray="5 4"'
            out.append(f'<path {dashes} stroke="{color}" stroke-width="2"/>')
        place = TOP + 20 + 24 * level[key]
        out.append(
            f'<rect x="{WIDTH - RIGHT + 16}" y="{place - 9}" width="12" height="3" fill="{color}"/>'
        )
        out.append(f'<text x="{WIDTH - RIGHT + 34}" y="{place - 3}">{label}</text>')
    return "\n".join([*out, "</g></svg>\n"])
