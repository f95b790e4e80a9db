"""Licences: what an allow list accepts, in the words of SPDX."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.formats.licenses import (
    DEFAULT_ALLOWED,
    MAX_EXPRESSION,
    is_reference,
    refusal,
    spdx_expression,
)

OWN = frozenset({"MIT", "Our-Licence", "GPL-2.0-only WITH Classpath-exception-2.0"})


@pytest.mark.parametrize(
    "text",
    [
        "MIT",
        "(MIT)",
        "MIT OR Apache-2.0",
        "MIT AND Apache-2.0",
        "JSON OR (MIT AND ISC)",
        "Apache-2.0 WITH LLVM-exception",
    ],
)
def test_accepted(text):
    assert refusal(text, DEFAULT_ALLOWED) is None


@pytest.mark.parametrize(
    ("text", "words", "better"),
    [
        ("JSON", "not on the allow list", ""),
        ("MIT AND JSON", "not on the allow list", ""),
        ("JSON WITH LLVM-exception", "not on the allow list", ""),
        ("mit", "not written exactly as in SPDX", "MIT"),
        ("MIT or ISC", "not written exactly as in SPDX", "MIT OR ISC"),
        ("GPL-2.0+", "not written exactly as in SPDX", "GPL-2.0-or-later"),
        ("MIT OR", "not an SPDX expression", ""),
        ("()", "not an SPDX expression", ""),
        ("( OR MIT", "not an SPDX expression", ""),
        ("MIT OR Our-Licence", "not an SPDX expression", ""),
        ("Our-Licence", "not on the allow list", ""),
        ("(" * MAX_EXPRESSION + "MIT", "not an SPDX expression", ""),
    ],
)
def test_refused(text, words, better):
    refused = refusal(text, DEFAULT_ALLOWED)
    assert words in refused.message
    assert refused.better == better


def test_a_policy_may_list_what_spdx_does_not_know():
    assert refusal("Our-Licence", OWN) is None
    assert refusal("GPL-2.0-only WITH Classpath-exception-2.0", OWN) is None
    assert refusal("JSON OR GPL-2.0-only WITH Classpath-exception-2.0", OWN) is None
    assert refusal("GPL-2.0-only", OWN) is not None


@given(
    st.text()
    | st.lists(st.sampled_from(["MIT", "(", ")", " ", "OR", "AND", "WITH", "+", ",", "/"])).map(
        " ".join
    )
)
def test_every_text_has_an_answer(text):
    refused = refusal(text, frozenset({"ISC"}))
    assert refused is None or refused.message


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("MIT", "MIT"),
        ("mit or isc", "MIT OR ISC"),
        ("LicenseRef-Acme-1.0", "LicenseRef-Acme-1.0"),
        ("Our-Licence", None),
        ("LicenseRef-Acme OR MIT", None),
    ],
)
def test_what_spdx_can_say(text, written):
    assert spdx_expression(text) == written
    assert is_reference(text) == (text == "LicenseRef-Acme-1.0")
