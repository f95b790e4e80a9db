"""The form of a `.prompt`: joining its parts is rendering."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.catalogue.pages.prompt_view import overview, parts, script_json
from psreg.formats.dotprompt import read, render
from support.catalogue import TEMPLATE

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
    out = overview(read(TEMPLATE.encode()))
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
    out = overview(read(f"{HEAD}[CONTENT]\nJust text.".encode()))
    assert "This prompt has no variables" in out
    assert "<form" not in out


def test_data_cannot_end_its_script():
    assert script_json(["</script><!--", "\u2028"]) == r'["\u003c/script>\u003c!--", "\u2028"]'
