"""The phases as a picture: every one of them, in order, with a text for those who do not see it."""

import re
from xml.etree import ElementTree as ET

import pytest

from psreg.catalogue.pages.entry.artifact_view import pbe_overview
from psreg.catalogue.pages.entry.phase_diagram import phase_diagram
from support.catalogue import ATTRIBUTE, SCRIPT


def named(*names):
    return [{"name": name} for name in names]


def drawn(phases):
    """Return the picture as a tree."""
    found = phase_diagram(phases)
    return ET.fromstring(found)


def boxes(picture):
    """Return the text of each box, and its left and upper edge."""
    rects = [(int(r.get("x")), int(r.get("y"))) for r in picture.iter("rect")]
    texts = [" ".join(t.text for t in each.iter("tspan")) for each in picture.iter("text")]
    return [*zip(texts, rects, strict=True)]


def test_the_boxes_go_there_and_back():
    found = boxes(drawn(named("Ask", "Listen", "Answer", "Part", "Rest")))
    assert found == [
        ("1. Ask", (1, 1)),
        ("2. Listen", (181, 1)),
        ("3. Answer", (181, 67)),
        ("4. Part", (1, 67)),
        ("5. Rest", (1, 133)),
    ]


def test_an_arrow_leads_from_each_box_to_the_next():
    way = drawn(named(*"abcde")).find(".//path").get("d")
    assert way.split("M")[1:] == [
        "139 23H178m-5 -4l5 4l-5 4",
        "250 45V64m-4 -5l4 5l4 -5",
        "181 89H142m5 -4l-5 4l5 4",
        "70 111V130m-4 -5l4 5l4 -5",
    ]


def test_it_is_named_and_described():
    picture = drawn(named("Ask", "Listen"))
    svg = picture.find("svg")
    ids = {each.get("id"): each.text for each in picture.iter() if each.get("id")}
    assert svg.get("role") == "img"
    assert ids[svg.get("aria-labelledby")] == "The phases, one after the other"
    assert ids[svg.get("aria-describedby")] == "1. Ask; 2. Listen."
    assert svg.get("viewBox") == "0 0 320 46"


def test_a_long_name_has_two_lines():
    (first, _), *_ = boxes(drawn(named("A name that goes on and on, and on after that", "b")))
    assert first == "1. A name that goes on and on, and on…"
    (first, _), *_ = boxes(drawn(named("x" * 1_000_000, "b")))
    assert len(first) <= 41


def test_many_phases_are_counted():
    picture = drawn(named(*"x" * 10_000))
    assert len(boxes(picture)) == 25
    assert boxes(picture)[-1][0] == "and 9976 more"


@pytest.mark.parametrize("phases", [[], named("Ask")])
def test_one_phase_needs_no_picture(phases):
    assert phase_diagram(phases) == ""


def test_a_phase_without_a_name_has_its_number():
    phases = [{"phase": "1_ask"}, {"name": 3}, {}]
    assert [name for name, _ in boxes(drawn(phases))] == ["1. 1_ask", "2.", "3."]


def test_no_name_becomes_markup():
    hostile = f"{SCRIPT} \u202e {ATTRIBUTE}"
    found = phase_diagram(named(SCRIPT, hostile, ATTRIBUTE))
    assert SCRIPT not in found
    assert ATTRIBUTE not in found
    assert "\u202e" not in found
    assert not re.search(r"\sstyle=|\son\w+=\"", found)


def test_the_list_stays_below_the_picture():
    value = {"game_structure": {"phases": named("Ask", "Listen")}}
    found = pbe_overview(value)
    assert found.index("</svg>") < found.index("<h3>Ask</h3>") < found.index("<h3>Listen</h3>")
