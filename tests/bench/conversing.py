"""What judging conversations costs: real sessions in VPP, blocks of PLSP with all variables."""

import statistics
import string
import time
from pathlib import Path

import conforming
from measure import Metric
from psreg.core.diagnostics import Mode
from psreg.lint.locate import judge
from psreg.protocols.plsp import PLSP
from psreg.protocols.plsp.units import answer
from vpp_corpus import judged

SESSIONS = Path(__file__).resolve().parents[3] / "shared/corpus/vpp/sessions"
ROUNDS = 5
MS_EACH = 1.6
BLOCKS = 300
MS_BLOCK = 0.3


def metrics():
    yield from vpp()
    yield from plsp()
    yield from conforming.metrics()


def vpp():
    """The sessions of the VPP authors' corpus, per answer of the assistant."""
    name = "judge a recorded answer in VPP, reading included, CPU ms"
    data = [path.read_bytes() for path in sorted(SESSIONS.glob("*.json"))]
    if not data:
        yield Metric(name, 0, MS_EACH, "absent: the sessions of the VPP authors' corpus")
        return
    samples = []
    for _ in range(ROUNDS):
        began = time.process_time()
        answers = sum(len(judged(session)) for session in data)
        samples.append((time.process_time() - began) * 1000 / answers)
    yield Metric(
        f"{name}, {len(data)} sessions, {answers} answers", statistics.median(samples), MS_EACH
    )


def plsp():
    """A block of 52 variables, half of them texts; and one of the same faults a hundred times."""
    values = (f'"value {n}"' if n % 2 else f"{n * 7}" for n in range(52))
    named = zip(string.ascii_letters, values, strict=True)
    block = "S{" + "".join(f"${name}:{value};" for name, value in named) + "}S"
    cost = _per_block(block, BLOCKS)
    yield Metric("read and judge a PLSP block of 52 variables, CPU ms", cost, MS_BLOCK)
    fault = '$aa:-5;>x "y" z;!a b;$a:"q "r" s";'
    small, large = (
        _per_block("S{" + fault * times + "}S", BLOCKS // times) / times for times in (10, 100)
    )
    yield Metric("a hundred faulty statements of PLSP vs ten, CPU ms each", large, 2.0, small)


def _per_block(text, times):
    samples = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(times):
            part = answer(0, text, "/next")
            list(judge(PLSP.rules, part, part, "t.jsonl", Mode.STRICT))
            PLSP.parsed(part)
        samples.append((time.process_time() - began) * 1000 / times)
    return statistics.median(samples)
