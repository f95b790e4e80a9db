"""Any JSON under a PBE becomes headings and wrapped text."""

from psreg.client.outline import pbe_outline, prompt_outline


def test_nested_values():
    value = {
        "pbe_name": "a",
        "pbe_version": "1.0.0",
        "pbe_class": "interactive_engine",
        "install_instructions": "not shown",
        "description": "first\nsecond",
        "save_system": {"trigger_phrases": ["save", "keep"], "save_template": {"a_save": {}}},
        "list": [{"name": "n", "deep": [1, True]}, [], [["x"]], None],
    }
    assert list(pbe_outline(value)) == [
        "a 1.0.0 · interactive_engine",
        "",
        "DESCRIPTION",
        "  first",
        "  second",
        "",
        "SAVE SYSTEM",
        "  trigger phrases:",
        "    - save",
        "    - keep",
        "  save template:",
        "    a save:",
        "",
        "LIST",
        "  - name: n",
        "    deep:",
        "      - 1",
        "      - True",
        "  -",
        "  - - - x",
        "  - None",
    ]


def test_missing_head_and_empty_text():
    assert list(pbe_outline({"description": ""})) == ["? ? · ?", "", "DESCRIPTION", ""]


def test_prompt():
    lines = list(prompt_outline({"name": "T"}, {"x": None, "y": "1"}, "Hi {x}\n\nbye"))
    assert lines == [
        "name: T",
        "",
        "VARIABLES",
        "  {x}  required",
        "  {y}  default: 1",
        "",
        "TEXT",
        "Hi {x}",
        "",
        "bye",
    ]
