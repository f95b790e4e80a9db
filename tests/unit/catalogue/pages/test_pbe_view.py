"""What a PBE does, in readable form, whatever its shape."""

import json

import pytest

from psreg.catalogue.pages.pbe_view import overview
from support.catalogue import engine, executor


def test_an_engine_shows_every_field():
    out = overview(json.loads(engine("listener", "1.0.0", my_ladder=["a", "b"])))
    for words in (
        "One question at a time",
        "Phase 2",
        "Wait for the answer",
        "So you mean rivers?",
    ):
        assert words in out
    for words in ("save it", "listener_save", "Companion", "Be heard", "Ask what this is about"):
        assert words in out
    assert "<summary>My ladder <code>my_ladder</code></summary>" in out
    assert out.index('id="does"') < out.index('id="phases"') < out.index('id="techniques"')
    assert out.index('id="more"') < out.index('id="directive"')


def test_the_smaller_classes():
    assert "After the greeting" in overview(json.loads(executor("a", "1.0.0")))
    service = overview(json.loads(executor("a", "1.0.0", "persistent_service")))
    assert "A date passes" in service
    assert 'id="service"' in service


@pytest.mark.parametrize("wrong", ["text", 7, None, [], {}, ["x"], {"instruction": 3}, [{"a": 1}]])
def test_any_shape_is_shown(wrong):
    fields = ("execution", "core_philosophy", "service_config", "start_play", "game_structure")
    more = ("facilitator_techniques", "save_system", "meta_instructions", "install_instructions")
    out = overview(dict.fromkeys((*fields, *more, "custom"), wrong))
    assert out.count("<section") == 10


def test_what_stands_beside_the_known_parts_is_shown_too():
    out = overview(
        {
            "start_play": {"instruction": "Go", "later": "pause_one"},
            "game_structure": {
                "phases": [{"phase": "1_a", "extra": "extra_two"}],
                "loop": "three_x",
            },
            "facilitator_techniques": {
                "techniques": [{"name": "N", "risk": "four_x"}],
                "all": "five_x",
            },
            "save_system": {"description": "d", "note": "six_x"},
        }
    )
    for words in ("pause_one", "extra_two", "three_x", "four_x", "five_x", "six_x", "1_a"):
        assert words in out


def test_without_fields_nothing_is_shown():
    assert overview({"pbe_name": "x"}) == ""
