"""What judging conversations costs: real sessions in VPP, read from their files and judged."""

import statistics
import time
from pathlib import Path

from measure import Metric
from vpp_corpus import judged

SESSIONS = Path(__file__).resolve().parents[3] / "shared/corpus/vpp/sessions"
ROUNDS = 5
MS_EACH = 1.6


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
