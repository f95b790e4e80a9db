"""release.toml, and what records keep of it: where a release was imported from."""

import pytest

from psreg.formats.release import told_origin


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        (
            {
                "imported": "2026-11-22",
                "license": "CC0-1.0",
                "license_found_in": "LICENSE",
                "address": "https://example.org/prompts",
                "path": "quiz.md",
                "revision": "v3",
                "sha256": "ab",
            },
            (
                "https://example.org/prompts; file quiz.md; revision v3; sha256 ab; imported 2026-11-22;"
                " licence CC0-1.0, found in LICENSE (as its author states)"
            ),
        ),
        (
            {"address": "https://example.org", "license": "MIT", "path": 5, "revision": ""},
            "https://example.org; licence MIT (as its author states)",
        ),
        ({"address": "https://example.org"}, "https://example.org (as its author states)"),
        ({"path": "quiz.md"}, ""),
        ("https://example.org", ""),
        (None, ""),
    ],
)
def test_where_a_release_is_from(origin, said):
    assert told_origin({"origin": origin}) == said
