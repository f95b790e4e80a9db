import pytest

from psreg.formats.json.pointer import dotted, join, split


@pytest.mark.parametrize(
    ("pointer", "tokens"),
    [("", []), ("/", [""]), ("/a/0", ["a", "0"]), ("/a~1b/~0~01", ["a/b", "~~1"])],
)
def test_split_and_join_undo_each_other(pointer, tokens):
    assert split(pointer) == tokens
    assert join(tokens) == pointer


def test_join_writes_indexes():
    assert join(("phases", 0, "name")) == "/phases/0/name"


def test_dotted_is_how_people_write_places():
    assert dotted(()) == ""
    assert dotted(("game_structure", "phases", 0, "name")) == "game_structure.phases[0].name"
    assert dotted((0, "a")) == "[0].a"
