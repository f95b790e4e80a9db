"""Bindings: patterns of names, and which registry the most exact one is of."""

from pathlib import Path

import pytest

from psreg.client.config import NamedRegistry
from psreg.client.selection.bindings import bound_to
from psreg.core.errors import FindingsError
from psreg.core.identity import is_name_pattern


def registry(name, *names, location=""):
    return NamedRegistry(
        name=name,
        location=location or f"https://{name}.example",
        root_sha256=None,
        file=Path("config.toml"),
        names=names,
    )


MAIN = registry("main", "*", "acme_open_*", "acme_word")
WORK = registry("work", "acme_*", "acme_open_secret", "acme_word*")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("quiz", MAIN),
        ("acme", MAIN),
        ("acme_review", WORK),
        ("acme_open_words", MAIN),
        ("acme_open_secret", WORK),
        ("acme_open_secrets", MAIN),
        ("acme_word", MAIN),
        ("acme_words", WORK),
    ],
)
def test_the_most_exact_pattern_counts(name, found):
    assert bound_to(name, [MAIN, WORK]) is bound_to(name, [WORK, MAIN]) is found


def test_what_no_pattern_matches_is_not_bound():
    assert bound_to("quiz", [WORK, registry("other")]) is None
    assert bound_to("acm", [WORK]) is None


def test_a_name_is_bound_to_one_registry_only():
    with pytest.raises(FindingsError) as caught:
        bound_to("acme_review", [WORK, registry("other", "acme_*")])
    assert caught.value.code == "NAME_OF_TWO_REGISTRIES"
    assert [text.split()[0] for text in caught.value.details] == ["work", "other"]
    again = registry("again", "acme_*", "acme_*", location=WORK.location)
    assert bound_to("acme_review", [WORK, again]) is WORK


@pytest.mark.parametrize("text", ["quiz", "acme_*", "acme*", "a*", "*", "a" * 63 + "*"])
def test_patterns(text):
    assert is_name_pattern(text)


@pytest.mark.parametrize(
    "text", ["", "Acme_*", "a**", "*a", "a*b", "_*", "a__*", "1*", "a" * 64 + "*", "a-*", 1, None]
)
def test_what_is_not_a_pattern(text):
    assert not is_name_pattern(text)
