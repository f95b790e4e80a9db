"""The decision table as it is published: every row, from the rows themselves."""

from psreg.catalogue.pages.html import text
from psreg.catalogue.pages.semver_table import floor_table
from psreg.compatibility import FLOOR_GROUPS, FLOOR_TABLE

PAGE = floor_table(FLOOR_GROUPS)


def test_every_row_has_its_step_an_anchor_and_a_reason():
    assert PAGE.count("<tr><td>") == len(FLOOR_TABLE)
    for row in FLOOR_TABLE:
        before, _, after = PAGE.partition(f'id="{row.id}"')
        assert f"<strong>{row.step}</strong>" in before.rpartition("<tr>")[2]
        assert ("please read" in before.rpartition("<tr>")[2]) is row.behaviour
        assert f"</td><td>{text(row.reason)[:12]}" in after


def test_every_group_can_be_linked_to():
    for anchor in ("pbe", "prompt", "release-toml", "the-release-as-a-whole"):
        assert f'<section class="ps-section" id="{anchor}">' in PAGE
