"""Base64 has one form for each sequence of bytes."""

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.strict_base64 import strict_decode


@given(st.binary(max_size=40))
def test_law_what_was_encoded_is_decoded(data):
    assert strict_decode(b64encode(data).decode()) == data


@pytest.mark.parametrize(
    "text", ["QQ=", "QQ", "QR==", "QQ==\n", " QQ==", "QQ==QQ==", "Q-==", "\u00fc", "Q"]
)
def test_another_form_is_refused(text):
    assert strict_decode("QQ==") == b"A"
    with pytest.raises(ValueError, match="only form"):
        strict_decode(text)
