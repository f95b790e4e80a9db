"""Which names a reader should compare a new one with."""

import pytest

from psreg.review.similar_names import similar_names

NAMES = ["story_coach", "study_coach", "quiz_master", "codec", "cod", "summary_writer", "unlike"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("story_coach", ("study_coach",)),
        ("story_caoch", ("story_coach",)),
        ("storycoach", ("story_coach", "study_coach")),
        ("sumrnary_writer", ("summary_writer",)),
        ("quiz_master_official", ("quiz_master",)),
        ("official_quiz_master", ("quiz_master",)),
        ("quiz_master_for_children", ()),
        ("cod", ()),
        ("c0d", ("cod",)),
        ("core", ()),
        ("recipe_finder", ()),
    ],
)
def test_similar(name, expected):
    assert similar_names(name, NAMES) == expected


def test_ten_are_enough():
    assert len(similar_names("part_00", [f"part_{n:02}" for n in range(60)])) == 10
