"""Every number psreg publishes: `python tests/bench/run.py TOPIC|all --json`.

One line of JSON per number: {"metric", "ours", "peer", "ratio", "limit", "ok"}. Exit 1 if one is
not ok. An absent peer is named in "peer" and counts as not ok.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import checking
import conversing
import fuzzing
import installing
import large
import naming
import reviewing
import shaping
import site_building
import starting

TOPICS = {
    "start": starting.metrics,
    "lint": checking.lint,
    "check": checking.tree,
    "one": checking.one,
    "fast": shaping.metrics,
    "fuzz": fuzzing.metrics,
    "large": large.metrics,
    "names": naming.metrics,
    "install": installing.metrics,
    "review": reviewing.review,
    "revision": reviewing.revision,
    "site": site_building.metrics,
    "protocols": conversing.metrics,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("topic", choices=[*TOPICS, "all"])
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    args = parser.parse_args()
    chosen = TOPICS.values() if args.topic == "all" else [TOPICS[args.topic]]
    good = True
    for topic in chosen:
        for metric in topic():
            good = good and metric.ok
            print(metric.as_json() if args.json else metric, flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
