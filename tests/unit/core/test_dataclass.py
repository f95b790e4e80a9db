"""Quick data classes do what those of the standard library do."""

import dataclasses
import pickle
from dataclasses import fields
from typing import ClassVar

import pytest

from psreg.core.dataclass import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Fruit:
    """Something with a note that does not matter."""

    name: str
    weights: tuple[int, ...] = ()
    note: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Apple(Fruit):
    """A fruit with one more field."""

    colour: str = "red"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Something with an order."""

    line: int
    column: int = 1


@dataclass(slots=True)
class Counter:
    """Something that changes, with its own way to be shown."""

    number: int = 0

    def __repr__(self):
        return f"<{self.number}>"


@dataclass(frozen=True, eq=False)
class Thing:
    """Something that equals only itself."""


@dataclass(frozen=True)
class Nothing:
    """Something without fields."""


@pytest.mark.parametrize(
    "use",
    [
        lambda cls: cls(name="a") == cls(name="a"),
        lambda cls: [each.name for each in fields(cls)] == ["name", "weights", "note", "colour"],
        lambda cls: repr(cls(name="a")) == "Late(name='a', weights=(), colour='red')",
        lambda cls: hash(cls(name="a")) == hash(cls(name="a")),
        lambda cls: dataclasses.is_dataclass(cls) and not vars(cls).get("__dict__"),
        lambda cls: cls.__eq__(cls.__new__(cls), 1) is NotImplemented,
    ],
)
def test_a_class_is_made_by_whatever_asks_first(use):
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Base:
        name: str
        weights: tuple[int, ...] = ()
        note: str = field(default="", compare=False, repr=False)

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Late(Base):
        kind: ClassVar[str] = "fruit"
        colour: str = "red"

    Late.__qualname__ = "Late"
    assert use(Late)
    assert Late.kind == "fruit"
    assert Late.__slots__ == ("colour",)


def test_a_default_that_changes_is_made_for_each_object():
    @dataclass(slots=True)
    class Basket:
        fruits: list[str] = field(default_factory=list)

    for one, other in ((Basket(), Basket()) for _ in range(10)):
        one.fruits.append("pear")
        assert (other.fruits, Basket(["plum"]).fruits) == ([], ["plum"])
    assert fields(Basket)[0].default_factory is list


def test_a_class_may_have_its_own_beginning():
    @dataclass(slots=True)
    class Own:
        number: int

        def __init__(self):
            self.number = 7

    @dataclass()
    class Then:
        number: int = 1

        def __post_init__(self):
            self.number += 1

    for _ in range(10):
        assert (Own().number, Then().number, Then(5).number) == (7, 2, 6)
    assert Own() == Own()


@pytest.mark.parametrize("before", [0, 20])
@pytest.mark.parametrize(
    ("args", "named"),
    [
        ((), {}),
        (("pear",), {"name": "pear"}),
        (("pear", 1, 2), {}),
        (("pear",), {"taste": "sweet"}),
        (("pear", 1), {"number": 2}),
    ],
)
def test_wrong_arguments_are_the_error_that_they_are_elsewhere(args, named, before):
    def made(decorator):
        @decorator(slots=True)
        class Late:
            name: str
            number: int = 0

        return Late

    quick, standard = made(dataclass), made(dataclasses.dataclass)
    assert [quick("plum", number).number for number in range(before)] == [*range(before)]
    with pytest.raises(TypeError) as expected:
        standard(*args, **named)
    with pytest.raises(TypeError) as error:
        quick(*args, **named)
    assert str(error.value) == str(expected.value)


@pytest.mark.parametrize("before", [0, 20])
def test_what_may_not_be_given_by_position_is_not(before):
    @dataclass(kw_only=True)
    class Late:
        name: str

    assert [Late(name="plum").name for _ in range(before)] == ["plum"] * before
    with pytest.raises(TypeError, match="1 positional argument but 2 were given"):
        Late("pear")


def test_equal_fields_make_equal_objects_of_one_class():
    assert Fruit(name="pear", note="a") == Fruit(name="pear", note="b")
    assert Fruit(name="pear") != Fruit(name="plum")
    assert Fruit(name="pear") != Apple(name="pear")
    assert Fruit(name="pear") != "pear"
    assert Nothing() == Nothing() != Thing()
    assert Thing() != Thing()


def test_a_frozen_object_can_be_in_a_set():
    assert len({Apple(name="a", note="1"), Apple(name="a"), Apple(name="a", colour="green")}) == 2
    assert len({Nothing(), Nothing(), Thing(), Thing()}) == 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(Counter())


def test_ordered_objects_are_sorted_by_their_fields():
    places = [Place(2), Place(1, 7), Place(1)]
    assert sorted(places) == [Place(1), Place(1, 7), Place(2)]
    assert Place(1) <= Place(1) < Place(2) > Place(1) >= Place(1)
    with pytest.raises(TypeError, match="not supported"):
        Place(1) < 1  # noqa: B015 - comparing raises


def test_objects_are_shown_as_they_are_made():
    assert repr(Fruit(name="pear", note="hidden")) == "Fruit(name='pear', weights=())"
    assert repr(Nothing()) == "Nothing()"
    assert repr(Counter(3)) == "<3>"


def test_the_standard_library_knows_them_as_data_classes():
    pear = Apple(name="pear", weights=(1,))
    assert [each.name for each in fields(pear)] == ["name", "weights", "note", "colour"]
    assert replace(pear, colour="green") == Apple(name="pear", weights=(1,), colour="green")
    assert dataclasses.asdict(Place(1)) == {"line": 1, "column": 1}
    assert pickle.loads(pickle.dumps(pear)) == pear
    with pytest.raises(TypeError, match="positional"):
        Apple("pear")
    with pytest.raises(AttributeError):
        pear.taste = "sweet"


def test_a_class_may_show_itself():
    @dataclass(frozen=True)
    class Secret:
        key: str

        def __repr__(self) -> str:
            return "Secret"

    assert repr(Secret("x")) == "Secret"
    assert Secret("x") == Secret("x")
