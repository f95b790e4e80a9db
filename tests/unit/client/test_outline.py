"""Any JSON under a PBE becomes headings and wrapped text; what is compared stays as it is."""

import json

from psreg.client.outline import pbe_outline, prompt_outline
from psreg.formats.json.json_document import parse

SOURCE = """{
  "pbe_name": "a", "pbe_version": "1.0.0", "pbe_class": "interactive_engine",
  "install_instructions": "Paste it.",
  "description": "first\\nsecond",
  "save_system": {
    "trigger_phrases": ["save", "keep"],
    "save_template": {"a_save": {"round_no": 1.0,
      "done": true}}
  },
  "list": [{"a_name": "n", "deep": [1e3, true]}, [], [["x"]], null]
}"""


def test_nested_values():
    assert list(pbe_outline(parse(SOURCE.encode()))) == [
        "a 1.0.0 · interactive_engine",
        "",
        "INSTALL INSTRUCTIONS",
        "  Paste it.",
        "",
        "DESCRIPTION",
        "  first",
        "  second",
        "",
        "SAVE SYSTEM",
        "  trigger_phrases:",
        "    - save",
        "    - keep",
        "  save_template:",
        '    {"a_save": {"round_no": 1.0,',
        '          "done": true}}',
        "",
        "LIST",
        "  - a_name: n",
        "    deep:",
        "      - 1e3",
        "      - true",
        "  -",
        "  - - - x",
        "  - null",
    ]


def test_missing_head_and_empty_text():
    tree = parse(json.dumps({"description": "", "count": 0}).encode())
    assert list(pbe_outline(tree)) == ["? ? · ?", "", "DESCRIPTION", "", "", "COUNT", "  0"]


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
