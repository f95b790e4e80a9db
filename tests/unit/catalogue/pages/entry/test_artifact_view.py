"""The form of a `.prompt`: joining its parts is rendering."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.catalogue.pages.entry.artifact_view import (
    fill_box,
    parts,
    pbe_overview,
    prompt_form,
    prompt_overview,
    readable,
    script_json,
)
from psreg.formats.dotprompt import read, render
from support.catalogue import TEMPLATE, engine, executor

HEAD = "[METADATA]\n@dotprompt_format_version 0.0.1\n"


def joined(prompt, values):
    """Join parts the way the page does: given value, else default, else the name in braces."""
    known = {**prompt.defaults, **values}
    names = [v.name for v in prompt.variables]
    return "".join(
        part if isinstance(part, str) else known.get(names[part], "{" + names[part] + "}")
        for part in parts(prompt)
    )


VALUES = [
    {},
    {"river": "the Rhine"},
    {"river": "", "unknown-one": "{river}"},
    {"river": "a\n\nb ", "mood": "{{x}}", "nothing": "!", "unknown-one": "(% no %) <b>"},
]


@pytest.mark.parametrize("values", VALUES)
def test_joining_parts_is_rendering(values):
    prompt = read(TEMPLATE.encode())
    assert joined(prompt, values) == render(prompt, values).text


@given(
    st.lists(st.sampled_from(["{a}", "{b}", "{{", "}}", "{", "}", "x", "\n", " ", "(% c %)", "a"])),
    st.dictionaries(st.sampled_from("ab"), st.text(max_size=5)),
)
def test_joining_parts_is_rendering_for_any_text(pieces, values):
    prompt = read(f"{HEAD}[DEFAULTS]\n@b two\n[CONTENT]\nx{''.join(pieces)}".encode())
    if prompt.readable:
        assert joined(prompt, values) == render(prompt, values).text


def test_a_character_of_private_use_in_the_text_is_no_mark():
    prompt = read(f"{HEAD}[CONTENT]\n\ue000{{a}}\ue000\n".encode())
    assert parts(prompt) == ["\ue000", 0, "\ue000"]


def test_the_page_has_variables_a_form_and_the_text():
    prompt = read(TEMPLATE.encode())
    out = prompt_overview(prompt) + prompt_form(prompt)
    assert "<dt>Description</dt>" in out
    assert (
        '<td><code>unknown-one</code></td><td><span class="ps-required">required</span></td>' in out
    )
    assert "<em>empty</em>" in out
    assert "<p>glad<br>and a little wistful</p>" in out
    assert (
        '<textarea id="ps-f0" name="river" rows="1" spellcheck="false">\nthe Elbe</textarea>' in out
    )
    assert '" required>\n</textarea>' in out
    assert "&lt;b&gt;the Elbe&lt;/b&gt; &amp; &quot;{unknown-one}&quot;" in out
    data = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', out)[1])
    assert data["names"] == ["river", "mood", "nothing", "unknown-one"]
    assert data["required"] == [False, False, False, True]


def test_without_variables_there_is_no_form():
    prompt = read(f"{HEAD}[CONTENT]\nJust text.".encode())
    assert "This prompt has no variables" in prompt_overview(prompt)
    found = re.fullmatch(
        r'<script type="application/json" class="ps-fill__data">(.*)</script>', prompt_form(prompt)
    )
    assert json.loads(found[1]) == {"parts": ["Just text."], "names": [], "required": []}


def test_what_has_several_lines_by_its_name_has_room_for_them():
    form = prompt_form(read(f"{HEAD}[CONTENT]\n{{source_text}}{{topic}}{{context}}".encode()))
    rows = re.findall(r'name="(\w+)" rows="(\d)"', form)
    assert dict(rows) == {"source_text": "4", "topic": "1", "context": "4"}
    assert '<span title="source_text">Source text<' in form


@pytest.mark.parametrize(
    ("defaults", "fewest", "folded"),
    [
        ("@b x\n@c x\n@d x\n", 2, "2 more values with a default"),
        ("@b x\n@c x\n@d x\n", 3, "1 more value with a default"),
        ("@b x\n@c x\n@d x\n", 4, ""),
        ("@a x\n@b x\n@d x\n", 1, "1 more value with a default"),
        ("@a x\n@b x\n@c x\n@d x\n", 0, "4 more values with a default"),
    ],
)
def test_a_small_form_folds_what_has_a_default(defaults, fewest, folded):
    prompt = read(f"{HEAD}[DEFAULTS]\n{defaults}[CONTENT]\n{{a}}{{b}}{{c}}{{d}}".encode())
    box = fill_box(prompt, page="prompt/x/", fewest=fewest)
    assert re.findall("<summary>(.*?)</summary>", box) == ([folded] if folded else [])
    assert re.findall(r'name="(\w)"', box) == ["a", "b", "c", "d"]
    assert "<textarea" not in prompt_form(prompt).partition("<details")[2]


def test_a_form_says_at_once_what_is_missing():
    assert ">Missing: a, b</p>" in fill_box(read(f"{HEAD}[CONTENT]\n{{a}}{{b}}".encode()))
    ready = fill_box(read(f"{HEAD}[DEFAULTS]\n@a x\n[CONTENT]\n{{a}}".encode()))
    assert ">All variables have a value</p>" in ready


def test_comments_above_defaults_are_shown_as_help():
    defaults = "[DEFAULTS]\n(% How <warm>? %)\n@tone x\n(% Not used. %)\n@gone x\n"
    prompt = read(f"{HEAD}{defaults}[CONTENT]\n{{text}}{{tone}}".encode())
    box = fill_box(prompt, lang=' lang="de"')
    assert box.count("ps-fill__help") == 1
    assert '<p class="ps-fill__help" id="ps-h1" lang="de">How &lt;warm&gt;?</p>' in box
    assert re.findall('name="(.*?)".*?(aria-.*?)?>', box) == [
        ("text", ""),
        ("tone", 'aria-describedby="ps-h1"'),
    ]
    assert "What it is for" in prompt_overview(prompt)
    assert "Not used" not in prompt_overview(prompt)
    plain = read(f"{HEAD}[CONTENT]\n{{text}}".encode())
    assert "What it is for" not in prompt_overview(plain)
    long = read(f"{HEAD}[DEFAULTS]\n@a 1 (% {'x' * 999} %)\n[CONTENT]\n{{a}}".encode())
    assert f">{'x' * 299}…</p>" in fill_box(long)


def test_data_cannot_end_its_script():
    assert script_json(["</script><!--", "\u2028"]) == r'["\u003c/script>\u003c!--", "\u2028"]'


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a<\n\nb", "<p>a&lt;</p><p>b</p>"),
        (1, "1"),
        (True, "true"),
        (1.5, "1.5"),
        (None, "<code>null</code>"),
        ([], "<p>empty</p>"),
        ({}, "<p>empty</p>"),
        (["a", "b<"], '<ul class="ps-chips"><li>a</li><li>b&lt;</li></ul>'),
        (["a\nb", 1, [2]], "<ul><li>a<br>b</li><li>1</li><li><ul><li>2</li></ul></li></ul>"),
    ],
)
def test_simple_values(value, expected):
    assert readable(value) == expected


def test_short_records_make_a_table():
    out = readable([{"a_b": 1}, {"a_b": "<", "c": None}])
    assert '<th scope="col">A b</th><th scope="col">C</th>' in out
    assert "<tr><td>&lt;</td><td><code>null</code></td></tr>" in out


@pytest.mark.parametrize(
    "value", [[{"a": {"b": 1}}], [{str(n): n for n in range(7)}], [{"a": 1}, 2], [{}]]
)
def test_other_lists_stay_lists(value):
    assert readable(value).startswith("<ul><li>")


def test_objects_become_terms():
    assert "<dt>Key one</dt><dd><p>x</p></dd>" in readable({"key_one": "x"})


def test_what_is_nested_without_end_is_shown_as_json():
    value = "bottom"
    for _ in range(60):
        value = {"in": value}
    out = readable(value)
    assert out.count("<dl") == 12
    assert "bottom" in out


def test_an_engine_shows_every_field():
    out = pbe_overview(json.loads(engine("listener", "1.0.0", my_ladder=["a", "b"])))
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
    assert "After the greeting" in pbe_overview(json.loads(executor("a", "1.0.0")))
    service = pbe_overview(json.loads(executor("a", "1.0.0", "persistent_service")))
    assert "A date passes" in service
    assert 'id="service"' in service


@pytest.mark.parametrize("wrong", ["text", 7, None, [], {}, ["x"], {"instruction": 3}, [{"a": 1}]])
def test_any_shape_is_shown(wrong):
    fields = ("execution", "core_philosophy", "service_config", "start_play", "game_structure")
    more = ("facilitator_techniques", "save_system", "meta_instructions", "install_instructions")
    out = pbe_overview(dict.fromkeys((*fields, *more, "custom"), wrong))
    assert out.count("<section") == 10


def test_what_stands_beside_the_known_parts_is_shown_too():
    out = pbe_overview(
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
    assert pbe_overview({"pbe_name": "x"}) == ""
