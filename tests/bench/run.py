"""Every number psreg publishes: `python tests/bench/run.py TOPIC|growth|all --json`.

`run.py lint --benign DIR --hostile DIR` prints what the content rules say about any texts instead.

One line of JSON per number: {"metric", "ours", "peer", "ratio", "limit", "ok"}. Exit 1 if one is
not ok. An absent peer is named in "peer" and counts as not ok.
"""

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import browsing
import checking
import clusters
import conversing
import deploying
import fuzzing
import importing
import installing
import large
import naming
import pinning
import precision
import releasing
import reviewing
import searching
import shaping
import site_building
import starting
import trusting

TOPICS = {
    "start": starting.metrics,
    "lint": checking.lint,
    "check": checking.tree,
    "one": checking.one,
    "cluster": clusters.metrics,
    "fast": shaping.metrics,
    "fuzz": fuzzing.metrics,
    "large": large.metrics,
    "names": naming.metrics,
    "import": importing.metrics,
    "install": installing.metrics,
    "project": pinning.metrics,
    "review": reviewing.review,
    "revision": reviewing.revision,
    "publish": releasing.metrics,
    "deploy": deploying.metrics,
    "search": searching.metrics,
    "layers": searching.layers,
    "browser": browsing.metrics,
    "relevance": searching.relevant,
    "site": site_building.metrics,
    "protocols": conversing.metrics,
    "trust": trusting.metrics,
}

GROUPS = {
    "growth": [
        *(TOPICS[topic] for topic in ("publish", "search", "site", "cluster", "deploy")),
        releasing.large,
        site_building.large,
    ],
}
"""Topics that belong together, with what takes too long for `all`."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("topic", choices=[*TOPICS, *GROUPS, "all"])
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--benign", type=Path, help="lint: a folder of ordinary texts")
    parser.add_argument("--hostile", type=Path, help="lint: a folder of attacks")
    parser.add_argument("--verbose", action="store_true", help="lint: print every finding")
    args = parser.parse_args()
    # What pip installs is compiled, psreg as well as its peers.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if args.benign or args.hostile:
        if args.topic != "lint":
            parser.error("--benign and --hostile belong to the topic lint")
        return 0 if precision.report(args.benign, args.hostile, verbose=args.verbose) else 2
    chosen = (
        TOPICS.values() if args.topic == "all" else GROUPS.get(args.topic) or [TOPICS[args.topic]]
    )
    good = True
    for topic in chosen:
        for metric in topic():
            good = good and metric.ok
            print(metric.as_json() if args.json else metric, flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
