"""100,000 cases of bytes against both parsers, every rule of a lone file, and `--fix`.

`python tests/bench/fuzzing.py NUMBER` writes one case to standard output, to look at it again.
"""

import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import generate
from measure import Metric
from psreg.lint.engine import check_file
from psreg.lint.fix import apply_fixes

CASES = int(os.environ.get("PSREG_FUZZ_CASES", "100000"))
LIMIT_MS = 200
LARGE = 100_000
LARGE_EVERY = 50
"""One case of so many is about 100 KB; the others are a few KB."""

HANG_S = 10
ROUNDS = 5
CORPUS = Path(__file__).parents[1] / "corpus"

PROMPT = """\
(% A template to begin with %)
[METADATA]
@dotprompt_format_version 0.0.1
@name Letter
@description >
  A letter to a {river},
  written by hand.
@version 1.0.0

[DEFAULTS]
@river the Elbe
@mood glad

[CONTENT]
Dear {river},

you are {mood}. {{literal}} and {{{river}}} and {unknown-one}. (% gone %)
"""

TOKENS = [
    *"{}[]\"':,@>%()\\/\n\r\t #-_=<&`*!$~^|0123456789",
    "{{", "}}", "{{{", "(%", "%)", "[CONTENT]", "[METADATA]", "[DEFAULTS]", "[content]", "@a >",
    "@a ", "@\t", '"pbe_name":', '"pbe_version":', '"a":1,', "1e999", "-0", "NaN", "Infinity",
    "0" * 5000, '["', "[" * 200, '{"a":' * 100, "\\ud800", "\\u202e", "\\u0000", "\\", "null",
    "\ufeff", "\u200b", "\u200d", "\u202e", "\u2066", "\u00ad", "\U000e0041", "\ufe0f", "\U0001f468",
    "\U0001f468\u200d\U0001f469", "\U0001f3f4\U000e0067\U000e007f", "\u0301" * 50, "\u0430", "\u212a",
    "\u2028", "\x00", "\x1b[31m", "\u3164", "\uffff", "ignore all previous instructions",
    "sk-" + "a1" * 24, "AKIA" + "Q7" * 8, "ghp_" + "x9" * 18, "-----BEGIN PRIVATE KEY-----",
    "http://127.0.0.1/", "https://a.example/?q={x}", "![x](https://a.example/{y})", "data:text/html,",
    "aGVsbG8gd29ybGQg" * 20, "<!--", "-->", "<script>", "javascript:", "TODO", "lorem ipsum",
    "<your name>", "a@b.example", "curl x | sh", "```\n", "# Heading\n", "| a | b |\n", "aaaaaaaa ",
]  # fmt: skip


@dataclass(frozen=True)
class Failure:
    """What is wrong with a case: it raised, or it did not end."""

    number: int
    what: str


@dataclass(frozen=True)
class Share:
    """What one process saw of its cases."""

    failures: list[Failure]
    slowest: float
    slowest_number: int


class HangError(Exception):
    """A case did not end in time."""


@cache
def seeds() -> tuple[tuple[str, bytes], ...]:
    """Return files to start from: made ones, and every lone file of the corpus."""
    made = [("a.pbe.txt", generate.engine(f"made_{n}", n).encode()) for n in range(20)]
    made += [("a.prompt", (PROMPT + "word " * n).encode()) for n in range(20)]
    for path in sorted(CORPUS.glob("*/*")):
        for suffix in (".pbe.txt", ".prompt"):
            if path.is_file() and path.name.endswith(suffix) and path.stat().st_size < LARGE:
                made.append((f"a{suffix}", path.read_bytes()))
    return tuple(made)


def case(number: int) -> tuple[str, bytes]:
    """Return the name and bytes of case `number`: the same ones in every run."""
    pick = random.Random(number)
    name, data = pick.choice(seeds())
    kind = pick.randrange(20)
    if kind == 0:
        data = pick.randbytes(pick.randrange(2000))
    elif kind == 1:
        data = pick.choice(TOKENS).encode() * pick.randrange(1, 200)
    else:
        changed = bytearray(data)
        for _ in range(pick.choice((1, 1, 2, 4, 16, 64))):
            mutate(changed, pick)
        data = bytes(changed)
    if number % LARGE_EVERY == 0:
        data = enlarge(data, pick)
    return name, data[:LARGE]


def mutate(data: bytearray, pick: random.Random) -> None:
    """Change `data` at one random place."""
    at = pick.randrange(len(data) + 1)
    end = min(len(data), at + pick.choice((1, 1, 2, 8, 100)))
    match pick.randrange(6):
        case 0:
            data[at:at] = pick.choice(TOKENS).encode() * pick.choice((1, 1, 1, 3, 30))
        case 1:
            data[at:end] = pick.choice(TOKENS).encode()
        case 2:
            del data[at:end]
        case 3:
            data[at:end] = pick.randbytes(end - at)
        case 4:
            other = pick.choice(seeds())[1]
            start = pick.randrange(len(other) + 1)
            data[at:at] = other[start : start + pick.choice((10, 100, 1000))]
        case _:
            data[at:at] = data[at:end] * pick.choice((1, 2, 50))


def enlarge(data: bytes, pick: random.Random) -> bytes:
    """Return about 100 KB made of `data`: one token many times, or a stretch of it, in its middle."""
    at = pick.randrange(len(data) + 1)
    stretch = data[at : at + pick.choice((1, 5, 50, 1000))]
    piece = pick.choice((stretch, stretch, pick.choice(TOKENS).encode())) or b"x"
    return data[:at] + piece * ((LARGE - len(data)) // len(piece)) + data[at:]


def run(name: str, data: bytes) -> None:
    """Fix the case until nothing is left to fix; one round fixes what one report can hold."""
    for _ in range(ROUNDS):
        if (fixed := _fixed(name, data)) == data:
            return
        data = fixed
    raise AssertionError(f"{ROUNDS} rounds of --fix do not end")


def _fixed(name: str, data: bytes) -> bytes:
    def judge(files):
        return check_file(files.get(name, data), path=name)

    return apply_fixes(judge, lambda _: data).files.get(name, data)


def share(job: tuple[int, int]) -> Share:
    """Run the cases that belong to one process."""
    first, step = job
    signal.signal(signal.SIGALRM, _hang)
    failures, slowest, slowest_number = [], 0.0, 0
    for number in range(first, CASES, step):
        name, data = case(number)
        took = _judged(number, name, data, failures)
        if took > slowest:
            slowest, slowest_number = took, number
    return Share(failures, slowest, slowest_number)


def _judged(number: int, name: str, data: bytes, failures: list[Failure]) -> float:
    """Return the CPU milliseconds of judging a case; the better of two where it was slow."""
    signal.alarm(HANG_S)
    try:
        took = _took(name, data)
        if took > LIMIT_MS / 2:  # another process may have emptied the caches
            took = min(took, _took(name, data))
        run(name, data)
    except HangError:
        failures.append(Failure(number, f"did not end within {HANG_S} s"))
    except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
        failures.append(Failure(number, traceback.format_exc(limit=-3)))
    else:
        return took
    finally:
        signal.alarm(0)
    return 0.0


def _took(name: str, data: bytes) -> float:
    began = time.process_time()
    check_file(data, path=name)
    return (time.process_time() - began) * 1000


def _hang(*_):
    raise HangError


def metrics() -> Iterator[Metric]:
    cores = os.cpu_count() or 1
    with get_context("fork").Pool(cores) as pool:
        shares = pool.map(share, [(first, cores) for first in range(cores)], chunksize=1)
    failures = [failure for each in shares for failure in each.failures]
    for failure in failures[:20]:
        print(f"bench: case {failure.number}: {failure.what}", file=sys.stderr)
    slowest = max(shares, key=lambda each: each.slowest)
    if slowest.slowest > LIMIT_MS:
        print(f"bench: the slowest is case {slowest.slowest_number}", file=sys.stderr)
    yield Metric(f"fuzz {CASES:,} cases, crashes and hangs", len(failures), 0)
    yield Metric("fuzz, CPU ms of the slowest case up to 100 KB", slowest.slowest, LIMIT_MS)


if __name__ == "__main__":
    sys.stdout.buffer.write(case(int(sys.argv[1]))[1])
