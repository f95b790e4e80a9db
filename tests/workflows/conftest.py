"""Pipelines take minutes: most tests run those of one forge, another one in every run."""

from collections import defaultdict

import pytest

from support.loaders import running_loaders
from support.walks import turn

FORGES = ("ours", "github", "gitlab")
ALWAYS = "test_from_a_pull_request_to_an_installed_release"


@pytest.fixture(scope="session")
def loaders():
    """The libraries of other formats; some take seconds to load."""
    with running_loaders() as running:
        yield running


def pytest_collection_modifyitems(config, items):
    alike = defaultdict(list)
    for item in items:
        ids = item.callspec.id.split("-") if hasattr(item, "callspec") else []
        if set(FORGES) & set(ids) and item.originalname != ALWAYS:
            rest = tuple(each for each in ids if each not in FORGES)
            alike[item.path, item.originalname, rest].append(item)
    left_out = set()
    for at, group in enumerate(alike.values()):
        left_out |= {*group} - {*turn(group, at)}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]
