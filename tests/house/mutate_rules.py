"""Empty each rule's body in turn: its bad cases in tests/corpus must then no longer come out right.

Prints the survivors, then `N/N killed`; exit 0 only if every rule was killed. A rule whose corpus
cases fail without its being emptied counts as alive, for they prove nothing.

    python tests/house/mutate_rules.py [CODE…]
"""

import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from psreg.cli.rules import all_rules
from support.corpus_cases import cases

RULES = all_rules()


def nothing(_subject):
    """Stand for the body of a rule that finds nothing."""
    return iter(())


def killed(rule, bad):
    """Tell whether each of the `bad` cases notices that `rule` finds nothing any more."""
    if not bad or any(case.lines() != case.expected for case in bad):
        return False
    body = rule.check
    object.__setattr__(rule, "check", nothing)  # every table holds this same rule
    try:
        return all(case.lines() != case.expected for case in bad)
    finally:
        object.__setattr__(rule, "check", body)


def main(codes):
    bad = defaultdict(list)
    for case in cases():
        if case.bad:
            bad[case.code].append(case)
    rules = [rule for rule in RULES if not codes or rule.code in codes]
    alive = [rule for rule in rules if not killed(rule, bad[rule.code])]
    for rule in alive:
        print(f"alive: {rule.code} {rule.slug}")
    print(f"{len(rules) - len(alive)}/{len(rules)} killed")
    return int(bool(alive) or not rules)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
