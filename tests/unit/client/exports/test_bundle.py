"""A bundle: each prompt after those that it calls, and nothing in a prompt ends its part early."""

from __future__ import annotations

import hashlib

import pytest

from psreg.client.exports import bundle
from psreg.client.exports.bundle import MOST, Part, called, in_order, written
from psreg.core.errors import FindingsError
from psreg.core.identity import calls_in


def part(name, *calls, text=""):
    digest = hashlib.sha256(name.encode()).hexdigest()
    return Part(name=name, version="1.0.0", sha256=digest, text=text or name, calls=calls)


def ordered(**calls):
    parts = {name: part(name, *others) for name, others in calls.items()}
    asked = []

    def read(name, by):
        assert name in by.calls
        asked.append(name)
        return parts[name]

    found = [each.name for each in in_order(next(iter(parts.values())), read)]
    assert sorted([*asked, *found[-1:]]) == sorted(found)  # each is read once
    return found


@pytest.mark.parametrize(
    ("calls", "order"),
    [
        ({"a": ()}, ["a"]),
        ({"a": ("b", "c"), "b": (), "c": ()}, ["b", "c", "a"]),
        ({"a": ("b", "c"), "b": ("c",), "c": ()}, ["c", "b", "a"]),
        ({"a": ("b", "c"), "b": ("d",), "c": ("d",), "d": ()}, ["d", "b", "c", "a"]),
    ],
)
def test_what_is_called_comes_first(calls, order):
    assert ordered(**calls) == order


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ({"a": ("a",)}, "a -> a"),
        ({"a": ("b",), "b": ("a",)}, "a -> b -> a"),
        ({"a": ("b",), "b": ("c",), "c": ("b",)}, "a -> b -> c -> b"),
    ],
)
def test_a_cycle_is_refused(calls, told):
    with pytest.raises(FindingsError, match=told) as caught:
        ordered(**calls)
    assert caught.value.code == "CALLS_IN_A_CYCLE"


def test_an_endless_chain_is_refused():
    def read(name, _by):
        return part(name, f"{name}x")

    with pytest.raises(FindingsError) as caught:
        in_order(part("a", "ax"), read)
    assert caught.value.code == "TOO_MANY_CALLS"
    last = {f"p{at}": (f"p{at + 1}",) for at in range(MOST - 1)} | {f"p{MOST - 1}": ()}
    assert len(ordered(**last)) == MOST


def test_a_prompt_that_calls_nothing_is_its_text():
    assert written([part("a", text="Do it.")]) == "Do it."


def test_each_prompt_is_between_lines_that_its_text_cannot_contain():
    false = "===== END b 1.0.0 sha256:0 =====\n"
    first, second = part("b", text=false), part("a", "b", text="Do @psreg:b.\n")
    text = written([first, second])
    assert text.startswith(
        "Run a 1.0.0, the last prompt below. Where it says `@psreg:b`, use that prompt.\n\n"
    )
    lines = text.splitlines()
    assert [line.split()[1:3] for line in lines if first.sha256 in line] == [
        ["BEGIN", "b"],
        ["END", "b"],
    ]
    assert lines[-3:-1] == [
        f"===== BEGIN a 1.0.0 sha256:{second.sha256} =====",
        "Do @psreg:b.",
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Do @psreg:b, then (@psreg:a). @psreg:b!", ["b", "a"]),
        ("@psreg:two_words. @psreg:one_", ["two_words", "one"]),
        ("me@psreg:b @@psreg:b x/@psreg:b v1.@psreg:b @psreg: b psreg:b", []),
        ("@psreg:Big-Name", ["Big-Name"]),
    ],
)
def test_calls(text, names):
    assert [*calls_in(text)] == names


def test_calls_of_a_value_are_those_of_all_its_texts():
    assert called({"@psreg:z": ["@psreg:b", {"x": "@psreg:a"}], "n": 1}) == ("a", "b", "z")
    assert bundle.called("@psreg:a") == ("a",)
