"""Actions as files: what is one, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from psreg.core.errors import FindingsError
from psreg.formats.json.canonical import canonical
from psreg.registry.actions.action import (
    LIFT,
    PURGE,
    QUARANTINE,
    REVOKE,
    REVOKE_KEY,
    Action,
    read_action,
)
from psreg.registry.actions.chain import (
    NOTHING,
    Published,
    check_continues,
    faults_in,
    read_actions,
    stored_actions,
)
from psreg.registry.actions.withdrawal import VoidKey, Withdrawal
from support.actions import REGISTRY_ID, action_of

RELEASE = {"name": "quiz", "version": "1.0.0", "sha256": "a" * 64}
KEY = {"key": f"SHA256:{'b' * 43}", "after": 7}
SCHEMA = json.loads(
    (Path(__file__).parents[4] / "tools/psreg/formats/schemas/action.schema.json").read_text()
)


def chain(*kinds: str) -> list[Action]:
    found: list[Action] = []
    for number, kind in enumerate(kinds, start=1):
        before = found[-1] if found else None
        found.append(action_of(number, kind, before=before, **RELEASE))
    return found


def files_of(actions: list[Action]) -> dict[str, bytes]:
    return {each.file: each.data for each in actions}


@pytest.mark.parametrize("kind", [REVOKE, QUARANTINE, PURGE, LIFT])
def test_an_action_is_read_as_it_was_written(kind):
    action = replace(action_of(1, kind, **RELEASE), signatures={"k": "00"})
    assert read_action(f"0001-{kind}.json", action.data) == action
    assert action.subject.title == "quiz 1.0.0"
    assert [*Draft202012Validator(SCHEMA).iter_errors(json.loads(action.data))] == []


def test_an_action_about_a_key():
    action = action_of(2, REVOKE_KEY, before=action_of(1, REVOKE, **RELEASE), **KEY)
    assert read_action("0002-revoke-key.json", action.data) == action
    assert action.subject.title == f"the key {KEY['key']}"
    lift = action_of(3, LIFT, before=action, key=KEY["key"])
    assert read_action("0003-lift.json", lift.data) == lift
    assert lift.lifts(action)
    assert not action.lifts(lift)


def test_signatures_are_not_a_part_of_the_digest():
    action = action_of(1, LIFT, **RELEASE)
    signed = replace(action, signatures={"k": "00"})
    assert (signed.digest, signed.message) == (action.digest, action.message)
    assert signed.message.startswith(b"DSSEv1 33 application/vnd.psreg.action+json ")


def test_what_a_lift_ends():
    first, lift = action_of(1, REVOKE, **RELEASE), action_of(2, LIFT, **RELEASE)
    assert lift.lifts(first)
    assert not lift.lifts(action_of(1, PURGE, **RELEASE))
    assert not lift.lifts(action_of(1, LIFT, **RELEASE))
    assert not lift.lifts(action_of(3, REVOKE, **RELEASE))
    assert not lift.lifts(action_of(1, REVOKE, **{**RELEASE, "version": "1.0.1"}))


WRONG = {
    "schema": ({"schema": "psreg.action/2"}, "the schema"),
    "kind": ({"kind": "forget"}, "not a kind of action"),
    "registry": ({"registry": "x"}, "not the id of a registry"),
    "number": ({"number": 10_000}, "do not belong together"),
    "no previous": ({"previous": None}, "do not belong together"),
    "previous": ({"previous": "x"}, "hexadecimal digits"),
    "date": ({"date": "2026-11-21"}, "is not a time"),
    "empty reason": ({"reason": " "}, "not one line"),
    "two lines": ({"reason": "a\nb"}, "not one line"),
    "long reason": ({"reason": "x" * 501}, "not one line"),
    "name": ({"name": "A"}, "is not a release"),
    "version": ({"version": "1"}, "is not a release"),
    "digest": ({"sha256": "x"}, "hexadecimal digits"),
    "more": ({"more": 1}, "unknown member 'more'"),
    "signature": ({"signatures": [{"keyid": "k", "sig": "x"}]}, "a signature is malformed"),
    "key twice": ({"signatures": [{"keyid": "k", "sig": "00"}] * 2}, "a signature is malformed"),
    "about a key": ({"kind": "revoke-key"}, "is not about"),
}


@pytest.mark.parametrize(("members", "told"), WRONG.values(), ids=WRONG)
def test_what_is_not_an_action(members, told):
    value = {**action_of(2, REVOKE, **RELEASE).to_json(), **members}
    with pytest.raises(ValueError, match=told):
        Action.from_json(value)


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"key": "x"}, "not the fingerprint"),
        ({"after": -2}, "not the index"),
        ({"kind": REVOKE}, "not about"),
    ],
)
def test_what_is_not_an_action_about_a_key(members, told):
    value = {**action_of(2, REVOKE_KEY, **KEY).to_json(), **members}
    with pytest.raises(ValueError, match=told):
        Action.from_json(value)


def test_files_that_are_not_actions():
    action = action_of(1, REVOKE, **RELEASE)
    for name, data, told in (
        ("note.json", action.data, "its name"),
        ("0001-purge.json", action.data, "it is 0001-revoke.json"),
        ("0001-revoke.json", action.data[:-1], "canonical JSON"),
        ("0001-revoke.json", b"{", "not plain JSON"),
        ("0001-revoke.json", b'{"a":1,"a":1}', "the same key twice"),
        ("0001-revoke.json", canonical([]), "is not an object"),
    ):
        with pytest.raises(ValueError, match=told):
            read_action(name, data)


def test_a_chain_is_read_in_its_order():
    actions = chain(REVOKE, LIFT, PURGE)
    assert read_actions(files_of(actions)) == tuple(actions)
    assert read_actions({}) == ()


def test_faults_in_a_chain():
    one, two, three = chain(REVOKE, LIFT, PURGE)
    assert "the next one is 2" in dict(faults_in(files_of([one, three])))[three.file]
    other = action_of(2, LIFT, before=action_of(1, PURGE, **RELEASE), **RELEASE)
    assert "does not name the digest" in dict(faults_in(files_of([one, other])))[other.file]
    moved = replace(two, registry_id="f" * 32)
    assert "the registry ffff" in dict(faults_in(files_of([one, moved])))[moved.file]
    with pytest.raises(FindingsError, match="not valid") as refused:
        read_actions({"note.json": b""})
    assert refused.value.details == (
        "registry/actions/note.json: its name is not that of an action, such as 0001-revoke.json",
    )


def test_what_does_not_continue_what_was_published():
    one, two, _ = actions = chain(REVOKE, LIFT, PURGE)
    published = Published(count=2, last=two.digest)
    check_continues(actions, published, REGISTRY_ID)
    check_continues((), NOTHING, "")
    for found, id_, told in (
        ([one], REGISTRY_ID, "2 actions were published, and 1 are there"),
        (chain(REVOKE, PURGE), REGISTRY_ID, "an action up to 2"),
        (actions, "f" * 32, "about another registry"),
    ):
        with pytest.raises(FindingsError, match=told):
            check_continues(found, published, id_)


def test_actions_of_a_registry():
    actions = chain(REVOKE, LIFT)
    files = {f"actions/{each.file}": each.data for each in actions}
    published = Published(count=2, last=actions[1].digest)
    assert stored_actions(published, files.get) == tuple(actions)
    assert stored_actions(NOTHING, files.get) == ()
    with pytest.raises(FindingsError, match="none is there"):
        stored_actions(published, {}.get)
    with pytest.raises(FindingsError, match="and 1 are there"):
        stored_actions(published, {k: v for k, v in files.items() if "0001" in k}.get)


@pytest.mark.parametrize("kind", ["revoke", "quarantine", "purge", "something new"])
def test_what_a_record_says(kind):
    value = {"kind": kind, "reason": "Bad.", "date": "2026-11-21T05:00:00Z", "action": 1, "x": 2}
    withdrawal = Withdrawal.from_json(value)
    assert withdrawal.to_json() == value
    assert withdrawal.told("It").endswith("on 2026-11-21: Bad.")
    assert withdrawal.is_purge == (kind == "purge")
    key = {"key": "SHA256:x", "after": 3, "action": 1, "x": 2}
    assert VoidKey.from_json(key).to_json() == key
