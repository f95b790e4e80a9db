"""Several installations run at the same time, with one library and one state of the registry."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from psreg.client.library import Library
from simulator import lasting

NAMES = tuple(f"quiz_{letter}" for letter in "abcd")


@pytest.fixture
def signer():
    registry = lasting(log=True)
    for name in NAMES:
        registry.release(name, data=name.encode()).release(name, "1.1.0", f"{name} newer".encode())
    return registry


def at_once(client, *commands):
    with ThreadPoolExecutor(len(commands)) as pool:
        done = [*pool.map(lambda command: client.run(*command), commands)]
    assert [each.code for each in done] == [0] * len(commands), [each.err for each in done]


def versions(client):
    library = Library(client.library)
    assert library.damaged() == ()
    assert all(library.drift(receipt) is None for receipt in library.receipts())
    return {each.release.name: each.release.version for each in library.receipts()}


@pytest.mark.attack("T16", (0, ""))
def test_different_names(attack):
    at_once(attack.client, *(("install", name) for name in NAMES))
    assert versions(attack.client) == dict.fromkeys(NAMES, "1.1.0")
    check_whole(attack)


@pytest.mark.attack("T16", (0, ""))
def test_the_same_name(attack):
    at_once(attack.client, *(("install", NAMES[0]) for _ in range(4)))
    assert versions(attack.client) == {NAMES[0]: "1.1.0"}
    check_whole(attack)


@pytest.mark.attack("T16", (0, ""))
def test_two_versions_of_a_name_and_others_among_several(attack):
    first, *others = NAMES
    at_once(
        attack.client,
        ("install", f"{first}@1.0.0", *others),
        ("install", f"{first}@1.1.0", *reversed(others)),
        ("install", f"{first}@1.0.0"),
        ("install", *others),
    )
    found = versions(attack.client)
    assert found.pop(first) in {"1.0.0", "1.1.0"}
    assert found == dict.fromkeys(others, "1.1.0")
    check_whole(attack)


def check_whole(attack):
    """Check that nothing unfinished is left, and that the state needs no repair."""
    said = attack.client.run("install", *NAMES)
    assert (said.code, said.err) == (0, "")
    assert attack.client.run("verify").code == 0
    files = (path.name for path in attack.client.home.rglob("*"))
    assert [name for name in files if name.startswith((".psreg-", "tmp"))] == []
