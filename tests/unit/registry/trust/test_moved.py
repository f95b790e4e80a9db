"""Where a root says that its registry has moved."""

from __future__ import annotations

import pytest

from psreg.core.errors import TrustError, UsageError
from psreg.registry.trust.moved import Move, moved_to, normal_url

PIN = "ab" * 32


def said(**members):
    return {
        "id": "0" * 32,
        "moved_to": {"url": "https://new.example", "root_sha256": PIN, **members},
    }


def test_most_registries_have_not_moved():
    assert moved_to({"id": "0" * 32}) is None
    assert moved_to(None) is None


def test_the_address_has_its_usual_spelling():
    found = moved_to(said(url="https://New.example:443/prompts/"))
    assert found == Move(url="https://new.example/prompts", root_sha256=PIN)
    assert moved_to({"moved_to": found.to_json()}) == found


@pytest.mark.parametrize(
    ("binding", "code"),
    [
        ({"moved_to": "https://new.example"}, "TRUST_METADATA"),
        ({"moved_to": []}, "TRUST_METADATA"),
        (said(url=1), "TRUST_METADATA"),
        (said(root_sha256=None), "TRUST_METADATA"),
        (said(root_sha256=PIN[1:]), "TRUST_METADATA"),
        (said(root_sha256=PIN.upper()), "TRUST_METADATA"),
        (said(url="new.example"), "TRUST_METADATA"),
        (said(url="file:///srv/prompts"), "TRUST_METADATA"),
        (said(url="https://new.example/?a=b"), "TRUST_METADATA"),
        (said(url="http://new.example"), "TRUST_INSECURE"),
    ],
)
def test_what_is_not_an_announcement_is_refused(binding, code):
    with pytest.raises(TrustError) as caught:
        moved_to(binding)
    assert caught.value.code == code


def test_a_folder_is_not_an_address():
    with pytest.raises(UsageError, match="`/srv/prompts` is not an https address"):
        normal_url("/srv/prompts")
