"""What comparing 20,000 names with each other costs, of many owners and of one, in CPU seconds."""

import random
import time
from pathlib import PurePosixPath

from generate import WORDS
from measure import Metric
from psreg.formats.tree import Tree
from psreg.lint.names.all_names import Names
from psreg.lint.names.name_rules import NAME_RULES

NUMBER = 20_000
OWNER = 'owners = [{{forge = "github", id = {}, login = "somebody"}}]\n'


def metrics():
    pick = random.Random(7)
    names = set()
    while len(names) < NUMBER:
        names.add("_".join(pick.sample(WORDS, 3)))
    words = sorted(names)
    alike = [f"quiz_{number}" for number in range(NUMBER)]
    yield _metric("of one owner", words, lambda _: "owners = []\n", 1)
    yield _metric("of 2,000 owners", words, lambda at: OWNER.format(at % 2000), 4)
    yield _metric("all alike, an owner each", alike, OWNER.format, 15)


def _metric(what, names, owner_of, limit):
    files = {
        PurePosixPath(f"pbes/prompt/{name}/entry.toml"): owner_of(at).encode()
        for at, name in enumerate(names)
    }
    tree = Tree(files)
    began = time.process_time()
    names = Names(tree)
    for rule in NAME_RULES:
        for _ in rule.check(names):
            pass
    return Metric(f"compare 20,000 names {what}, CPU s", time.process_time() - began, limit)
