"""A checkout and answers for tests of the commands that authors use."""

import os

from support.warm_psreg import run_psreg

POLICY = """\
[[waiver]]
code = "REG011"
names = ["*"]
reason = "a test has nobody to run prompts for it"
"""

ANSWERS = {
    "stateless_executor": {
        "task": "Turn a destination and a number of nights into one packing list.",
        "task_rules": "Group items by bag and give a count for each.",
        "task_end": "Once the list has been printed it is over.",
    },
    "persistent_service": {
        "watch_target": "The traveller's calendar",
        "wake_conditions": "A journey starts within three days.",
        "quiet_work": "Keeps a draft list up to date and sends nothing.",
    },
    "prompt": {
        "description": "Makes a packing list.",
        "task": "Write a packing list for {nights} nights in {destination}.",
        "task_rules": "Group items by bag.",
    },
}
BESIDE = {
    "summary": "Plans the contents of a suitcase in conversation.",
    "use_case": "The evening before a journey.",
    "tags": ["travel", "packing"],
    "license": "CC0-1.0",
    "languages": ["en", "pt-BR"],
    "example": "Cabin bag: three shirts, one rain jacket.",
}


def checkout(root, policy=POLICY):
    """Make an empty registry at `root`."""
    (root / "pbes").mkdir(parents=True)
    (root / "registry").mkdir()
    (root / "registry/policy.toml").write_text(policy)
    return root


def psreg(root, *arguments, stdin=None, **environment):
    env = {**os.environ, **environment}
    return run_psreg(*arguments, stdin=stdin, cwd=root, env=env, text=True)


def tree_of(root):
    """Return the files below `root` by relative path."""
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}
