"""Every row of READINGS A1 and B1 that a PBE alone can break, one case each."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.diagnostics import ERROR, INFO, WARNING, Mode
from psreg.formats import pbe, schema
from psreg.lint.content import clarity_rules
from psreg.lint.copied_texts import only_letters
from psreg.lint.engine import check_file
from psreg.lint.files.pbe_fixes import padded_version, snake_case
from psreg.lint.files.pbe_interactive_rules import sentences
from psreg.lint.files.pbe_rules import PBE_RULES
from psreg.lint.files.syntax_rules import JSON_RULES
from support.paths import PBES, SHARED, needs

STATELESS, ENGINE, SERVICE = (
    schema.document(name)["examples"][0]
    for name in ("stateless_executor", "interactive_engine", "persistent_service")
)
DELETE = object()


def changed(base, *changes):
    """A copy of `base`; each change is a path, with blanks between keys, and a value or DELETE."""
    value = copy.deepcopy(base)
    for path, new in changes:
        *parents, last = (int(key) if key.isdigit() else key for key in path.split())
        at = value
        for key in parents:
            at = at[key]
        if new is DELETE:
            del at[last]
        else:
            at[last] = new
    return value


def judge(data, mode=Mode.STRICT):
    """(code, severity, place) of every finding, in the order of the rules."""
    document = pbe.read(data if isinstance(data, bytes) else json.dumps(data).encode())
    found = [(rule, f) for rule in JSON_RULES for f in rule.check(document.tree)]
    found += [(rule, f) for rule in PBE_RULES for f in rule.check(document)]
    return [
        (rule.code, (f.severity or rule.severity) if mode is Mode.STRICT else (f.read or rule.read), f.at)
        for rule, f in found
    ]  # fmt: skip


def codes(data, mode=Mode.STRICT):
    return [code for code, _, _ in judge(data, mode)]


def test_rules_are_in_the_order_of_their_codes():
    assert [rule.code for rule in PBE_RULES] == sorted(rule.code for rule in PBE_RULES)
    assert [rule.code for rule in JSON_RULES] == [f"JSON{n:03}" for n in range(1, 11)]


@pytest.mark.parametrize("base", [STATELESS, ENGINE])
def test_clean(base):
    assert judge(base) == judge(base, Mode.READ) == []
    assert judge({**base, "author": {"n": 1}, "licence": "MIT"}) == []


@pytest.mark.parametrize("data", [b"[", b"\xff", b"", b"[" * 100_000, b'{"pbe_name": NaN}'])
def test_a_file_that_does_not_parse_has_one_finding(data):
    assert len(judge(data)) == 1


@pytest.mark.parametrize("data", [b"[]", b"null", b'"x"', b"5", b"true"])
def test_root_not_object(data):
    assert judge(data) == [("PBE001", ERROR, "")]


@pytest.mark.parametrize("field", ["pbe_name", "pbe_version", "pbe_class", "install_instructions"])
@pytest.mark.parametrize("base", [STATELESS, ENGINE, SERVICE])
def test_missing_universal_field_has_one_finding(base, field):
    found = [
        (c, at) for c, severity, at in judge(changed(base, (field, DELETE))) if severity is ERROR
    ]
    assert found == [("PBE003", "")]


@pytest.mark.parametrize("name", ["a", "a1", "a_1", "hello_world", "x" * 64])
def test_names(name):
    assert judge(changed(STATELESS, ("pbe_name", name))) == []


@pytest.mark.parametrize(
    "name",
    ["A", "1a", "_a", "a_", "a__b", "a-b", "a b", "a\n", "\na", "é", "а", "x" * 65, "a.b", "\ud800"],
)  # fmt: skip
def test_name_not_snake_case(name):
    value = changed(STATELESS, ("pbe_name", name))
    data = json.dumps(value).encode()
    assert ("PBE004", ERROR, "/pbe_name") in judge(data)
    assert ("PBE004", WARNING, "/pbe_name") in judge(data, Mode.READ)


@pytest.mark.parametrize(
    ("name", "better"),
    [("PBCT", "pbct"), ("SimpleQuiz", "simple_quiz"), ("  Café-Guide 2 ", "cafe_guide_2"), ("你好", "")],
)  # fmt: skip
def test_snake_case(name, better):
    assert snake_case(name) == better


@pytest.mark.parametrize("version", ["0.0.0", "1.2.3-rc.1+b.7", "10.20.30", "1.0.0+001"])
def test_versions(version):
    assert judge(changed(STATELESS, ("pbe_version", version))) == []


@pytest.mark.parametrize(
    ("version", "padded"),
    [("1", "1.0.0"), ("1.0", "1.0.0"), ("v1.2.3", "1.2.3"), ("0.10", "0.10.0")],
)
def test_versions_of_files_in_the_wild(version, padded):
    value = changed(STATELESS, ("pbe_version", version))
    assert judge(value) == [("PBE006", ERROR, "/pbe_version")]
    assert judge(value, Mode.READ) == [("PBE006", WARNING, "/pbe_version")]
    assert padded_version(version) == padded


@pytest.mark.parametrize(
    "version",
    ["01.0.0", "1.0.0.0", "v1", "v1.0", "V1.0.0", "01", "1.00", "1.0.0\n", "1.0\n", "١.٠.٠", "1.0.0-", "x"],
)  # fmt: skip
def test_version_not_semver(version):
    value = changed(STATELESS, ("pbe_version", version))
    assert judge(value) == judge(value, Mode.READ) == [("PBE006", ERROR, "/pbe_version")]
    assert padded_version(version) is None


@pytest.mark.parametrize("name", ["quiz", "executor", "prompt"])
def test_unknown_class_is_judged_by_universal_fields_only(name):
    value = {**changed(STATELESS, ("pbe_class", name)), "execution": 5, "start_play": 1}
    assert judge(value) == [("PBE007", ERROR, "/pbe_class")]


@pytest.mark.parametrize("name", ["Stateless_Executor", "stateless_executor ", "stateles executor"])
def test_a_misspelt_class_is_judged_by_the_fields_of_the_right_one(name):
    value = {**changed(STATELESS, ("pbe_class", name)), "execution": 5}
    assert judge(value) == [("PBE007", ERROR, "/pbe_class"), ("PBE021", ERROR, "/execution")]


@pytest.mark.parametrize(
    ("base", "stated"),
    [
        (STATELESS, "interactive_engine"),
        (STATELESS, "persistent_service"),
        (ENGINE, "stateless_executor"),
        (ENGINE, "persistent_service"),
        (SERVICE, "interactive_engine"),
    ],
)
def test_a_wrong_class_is_one_finding(base, stated):
    found = judge({**base, "pbe_class": stated, "description": "A quiz."})
    assert [row for row in found if row[0] not in ("PBE016", "PBE024")] == [
        ("PBE033", ERROR, "/pbe_class")
    ]
    assert {place for code, _, place in found if code == "PBE016"} <= {"/description"}


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("execution", "Execution"),
        ("execution", "executon"),
        ("pbe_name", "pbe name "),
        ("execution primary_goal", "primaryGoal"),
        ("execution termination_condition", "terminaton_condition"),
    ],
)
def test_a_misspelt_key_is_named(path, wrong):
    *parents, right = path.split()
    value = changed(STATELESS, (path, DELETE), (" ".join([*parents, "KEY"]), "x"))
    written = json.dumps(value).replace("KEY", wrong).encode()
    document = pbe.read(written)
    (found,) = (v for v in document.violations if v.message.endswith("is missing"))
    assert found.pointer.rpartition("/")[2] == wrong
    assert found.hint == f'Write `{right}` in place of "{wrong}".'


@pytest.mark.parametrize(
    "path", ["meta_instructions tone", "core_philosophy", "start_play instruction"]
)
def test_what_is_missing_blank_or_of_the_wrong_type_gets_an_example(path):
    for new in (DELETE, 7) if path == "core_philosophy" else (DELETE, 7, " "):
        document = pbe.read(json.dumps(changed(ENGINE, (path, new))).encode())
        hints = [
            f.hint for rule in PBE_RULES for f in rule.check(document) if rule.severity is ERROR
        ]
        (hint,) = hints
        assert "example" in hint


def test_execution():
    assert judge(changed(STATELESS, ("execution", DELETE))) == [("PBE008", ERROR, "")]
    for field in ("primary_goal", "behavior", "termination_condition"):
        value = changed(STATELESS, (f"execution {field}", DELETE))
        assert judge(value) == [("PBE008", ERROR, "/execution")]
    assert codes(changed(STATELESS, ("execution", {}))) == ["PBE008"] * 3


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("description", "PBE009"),
        ("core_philosophy", "PBE009"),
        ("core_philosophy primary_goal", "PBE009"),
        ("core_philosophy key_principle", "PBE009"),
        ("core_philosophy conversational_style", "PBE009"),
        ("core_philosophy facilitator_stance", "PBE009"),
        ("meta_instructions", "PBE009"),
        ("meta_instructions your_role", "PBE009"),
        ("meta_instructions tone", "PBE009"),
        ("meta_instructions flexibility", "PBE009"),
        ("meta_instructions goal", "PBE009"),
        ("start_play", "PBE009"),
        ("start_play instruction", "PBE009"),
        ("game_structure", "PBE010"),
        ("game_structure phases", "PBE010"),
        ("game_structure phases 0", "PBE010"),
        ("game_structure phases 0 phase", "PBE010"),
        ("game_structure phases 0 name", "PBE010"),
        ("game_structure phases 1 description", "PBE010"),
        ("game_structure phases 1 facilitator_role", "PBE010"),
        ("facilitator_techniques", "PBE011"),
        ("facilitator_techniques techniques", "PBE011"),
        ("facilitator_techniques techniques 4", "PBE011"),
        ("facilitator_techniques techniques 0 name", "PBE011"),
        ("facilitator_techniques techniques 0 purpose", "PBE011"),
        ("facilitator_techniques techniques 4 example", "PBE011"),
        ("save_system", "PBE012"),
        ("save_system description", "PBE012"),
        ("save_system trigger_phrases", "PBE012"),
        ("save_system save_template", "PBE012"),
        ("save_system load_detection", "PBE012"),
        ("save_system load_detection instruction", "PBE012"),
        ("save_system load_detection recognition_key", "PBE012"),
    ],
)
def test_what_an_engine_lacks_is_one_finding_at_its_parent(path, code):
    ((found, severity, at),) = judge(changed(ENGINE, (path, DELETE)))
    assert (found, severity) == (code, ERROR)
    assert at == "".join(f"/{key}" for key in path.split()[:-1])


def techniques(count):
    one = ENGINE["facilitator_techniques"]["techniques"][0]
    made = [{**one, "name": f"t{n}", "example": f"This is how to do {n}."} for n in range(count)]
    return ("facilitator_techniques techniques", made)


@pytest.mark.parametrize(
    ("count", "expected"), [(0, "PBE011"), (4, "PBE011"), (5, None), (10, None)]
)
def test_too_few_techniques(count, expected):
    value = changed(ENGINE, techniques(count))
    assert codes(value) == codes(value, Mode.READ) == ([expected] if expected else [])


def test_too_many_techniques_can_be_read():
    value, at = changed(ENGINE, techniques(11)), "/facilitator_techniques/techniques"
    assert judge(value) == [("PBE022", ERROR, at)]
    assert judge(value, Mode.READ) == [("PBE022", WARNING, at)]


def test_save_keys():
    template, key = "/save_system/save_template", "/save_system/load_detection/recognition_key"
    renamed = changed(ENGINE, ("pbe_name", "other"))
    assert judge(renamed) == [
        ("PBE013", ERROR, f"{template}/two_guesses_save"),
        ("PBE014", ERROR, key),
    ]
    odd = changed(ENGINE, ("save_system save_template", {"a/b~c": {"x": 1}}))
    assert judge(odd) == [("PBE013", ERROR, f"{template}/a~1b~0c")]
    loads = changed(ENGINE, ("save_system load_detection recognition_key", "two_guesses"))
    assert judge(loads) == [("PBE014", ERROR, key)]


@pytest.mark.parametrize(
    ("name", "code"), [(DELETE, "PBE003"), (5, "PBE021"), ("", "PBE020"), (" ", "PBE020")]
)
def test_save_keys_of_a_nameless_engine_are_not_judged(name, code):
    assert codes(changed(ENGINE, ("pbe_name", name))) == [code]


@pytest.mark.parametrize(
    "template",
    [{}, {"two_guesses_save": {}, "more": 1}, {"a": 1, "b": 2}],
)
def test_save_template_has_one_root_key(template):
    value = changed(ENGINE, ("save_system save_template", template))
    expected = [("PBE023", ERROR, "/save_system/save_template")]
    assert judge(value) == judge(value, Mode.READ) == expected


def test_save_system_of_another_class_is_only_reserved():
    value = {**STATELESS, "save_system": {"save_template": {"x": 1}}}
    assert judge(value) == [("PBE016", WARNING, "/save_system")]


def test_service():
    reserved = ("PBE024", WARNING, "/pbe_class")
    assert judge(SERVICE) == [reserved]
    assert judge(changed(SERVICE, ("service_config", DELETE))) == [("PBE015", ERROR, ""), reserved]
    for field in ("monitoring_target", "activation_conditions", "background_operation"):
        value = changed(SERVICE, (f"service_config {field}", DELETE))
        assert judge(value) == [("PBE015", ERROR, "/service_config"), reserved]


@pytest.mark.parametrize(
    ("base", "field"),
    [(STATELESS, "description"), (STATELESS, "start_play"), (ENGINE, "execution"), (ENGINE, "service_config")],
)  # fmt: skip
def test_reserved_names_at_the_root(base, field):
    assert judge({**base, field: "x"}) == [("PBE016", WARNING, f"/{field}")]
    assert judge({**base, "own": {field: "x"}}) == []


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u00a0\u2003"])
@pytest.mark.parametrize(
    "pointer",
    ["/pbe_name", "/pbe_version", "/pbe_class", "/install_instructions", "/description",
     "/core_philosophy/key_principle", "/game_structure/phases/1/name", "/start_play/instruction",
     "/facilitator_techniques/techniques/0/example", "/save_system/trigger_phrases/0",
     "/save_system/load_detection/recognition_key", "/meta_instructions/tone"],
)  # fmt: skip
def test_blank_strings(pointer, blank):
    value = changed(ENGINE, (pointer[1:].replace("/", " "), blank))
    assert judge(value) == [("PBE020", ERROR, pointer)]


def test_what_may_be_blank():
    assert judge({**STATELESS, "note": "", "extra": {"primary_goal": " "}}) == []
    value = changed(ENGINE, ("save_system save_template two_guesses_save", {"note": ""}))
    assert judge(value) == []


def test_no_trigger_phrase():
    value = changed(ENGINE, ("save_system trigger_phrases", []))
    assert judge(value) == [("PBE020", ERROR, "/save_system/trigger_phrases")]


@pytest.mark.parametrize("wrong", [1.0, None, True, ["x"], {"x": 1}])
@pytest.mark.parametrize(
    "pointer",
    ["/pbe_name", "/pbe_version", "/pbe_class", "/install_instructions", "/description",
     "/core_philosophy/primary_goal", "/save_system/load_detection/recognition_key",
     "/save_system/trigger_phrases/0", "/facilitator_techniques/techniques/4/purpose"],
)  # fmt: skip
def test_wrong_type_of_a_text_is_one_finding(pointer, wrong):
    value = changed(ENGINE, (pointer[1:].replace("/", " "), wrong))
    assert judge(value) == [("PBE021", ERROR, pointer)]


@pytest.mark.parametrize("wrong", ["x", 1, None])
@pytest.mark.parametrize(
    "pointer",
    ["/core_philosophy", "/game_structure", "/game_structure/phases", "/game_structure/phases/0",
     "/facilitator_techniques/techniques", "/save_system", "/save_system/trigger_phrases",
     "/save_system/save_template", "/save_system/load_detection", "/start_play"],
)  # fmt: skip
def test_wrong_type_of_a_container_is_one_finding(pointer, wrong):
    value = changed(ENGINE, (pointer[1:].replace("/", " "), wrong))
    assert judge(value) == [("PBE021", ERROR, pointer)]


def test_a_flood_of_blank_strings_is_cut_off():
    value = changed(ENGINE, ("save_system trigger_phrases", [""] * 10_000))
    assert codes(value) == ["PBE020"] * schema.MAX_VIOLATIONS


def test_install_instructions():
    value = changed(STATELESS, ("install_instructions", "Run this."))
    assert judge(value) == [("PBE025", INFO, "/install_instructions")]
    padded = f" {pbe.STANDARD_INSTRUCTIONS}\n"
    assert judge(changed(STATELESS, ("install_instructions", padded))) == []


def test_description():
    value = changed(ENGINE, ("description", "One. Two. Three."))
    assert judge(value) == [("PBE026", WARNING, "/description")]
    assert codes({**STATELESS, "description": "One. Two. Three."}) == ["PBE016"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("No mark at all", 1),
        ("One. Two", 2),
        ("One! Two? Three…", 3),
        ("Saves files (.pbe format, saved as .txt) for AI systems.", 1),
        ("For languages, e.g. Python. Then what?", 2),
        ("Dr. No meets J. Bond at no. 5 etc. Really.", 1),
        ("Version 1.0 is out. It costs 2.50 dollars.", 2),
        ("Wait... What. Then", 2),
        ('He said "Go." (And left.) ‘Why?’ “Who knows.”', 4),
        ("the end. of nothing", 1),
        ("一つ。二つ！三つ", 3),
        ("a" * 100_000 + "." * 100_000, 1),
    ],
)
def test_sentences(text, count):
    assert sentences(text) == count


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b'{"pbe_name": "a", "pbe_name": "b"}', "JSON003"),
        (b"\xef\xbb\xbf{}", "JSON004"),
        (b'{"x": "\\ud800"}', "JSON006"),
    ],
)
def test_what_python_accepts_silently_is_an_error_beside_the_others(data, code):
    first, *others = judge(data)
    assert first[:2] == (code, ERROR)
    assert others


@needs("corpus/pbe")
def test_the_authors_own_tool_is_wrong_in_four_ways():
    data = (SHARED / "corpus/pbe/PBCT-pbe.txt").read_bytes()
    assert judge(data) == [
        ("PBE004", ERROR, "/pbe_name"),
        ("PBE006", ERROR, "/pbe_version"),
        ("PBE013", ERROR, "/save_system/save_template/pbct_save"),
        ("PBE014", ERROR, "/save_system/load_detection/recognition_key"),
    ]
    fixed = data.replace(b'"PBCT"', b'"pbct"', 1).replace(
        b'_version": "1.0"', b'_version": "1.0.0"', 1
    )
    assert judge(fixed) == []


@needs("specs/pbe-1.0.md")
def test_the_examples_of_the_specification_lack_only_their_version():
    text = (SHARED / "specs/pbe-1.0.md").read_text()
    examples = [block.split("```")[0] for block in text.split("```json\n")[1:]]
    whole = [block for block in examples if '"pbe_version": "1.0"' in block]
    assert len(whole) == 2
    for block in whole:
        assert judge(block.encode()) == [("PBE006", ERROR, "/pbe_version")]


@pytest.mark.parametrize(
    "text",
    [
        *("s.o.", "k. A.", "{goal}", "<goal>", "todo: write this", "TBD - later"),
        *("[Describe the goal of this prompt here]", "n/a " * 20, "None, none, n/a"),
        *("N.A.", "TODO TODO", "n/a – n/a", "\uff34\uff22\uff24", "Coming soon"),
        *(
            "keine Angabe",
            "à définir",
            "a\u0300 définir",
            "Por definir",
            "não se aplica",
            "не указано",
        ),
        *(
            "未定",
            "暂无",
            "該当なし",
            "해당 없음",
            "غير محدد",
            "कोई नहीं",
            "belirlenecek",
            "tidak ada",
        ),
        *("Termination condition:", "This is the condition.", "The condition of this prompt"),
        *("No description.", "Nothing to say", "not specified yet", "See README.md", "as above"),
        *("Insert your own text here", "sample text", "Your description here", "change me"),
        *("To be filled in later.", "It will be added soon", "fill in later", "blah blah blah"),
        *("12345", "N/A (not applicable)", "TO DO: describe", "tbd later", "Nothing."),
        *(
            "Ends {{ task_end }}",
            "{{ goal }}",
            "${goal}",
            "<<goal>>",
            "[[goal]]",
            "%goal%",
            "__goal__",
            "<!-- goal -->",
        ),
        *("nichts", "folgt noch", "rien", "à compléter", "nada", "por hacer", "a preencher"),
        *("niente", "n.v.t.", "nie dotyczy", "ei mitään", "není", "нет данных", "немає"),
        *("κανένα", "לא רלוונטי", "لا شيء", "ندارد", "कुछ नहीं", "ไม่มี", "không có", "tiada"),
        *("没有", "待补充", "特になし", "未記入", "없다", "boş bırakıldı"),
    ],
)
def test_a_text_says_nothing_in_any_language(text):
    assert says_nothing_of(text) == ["/execution/termination_condition"]


@pytest.mark.parametrize(
    "text",
    [
        "Stop.",
        "Ende",
        "完了したら終了",
        "None of the items is left.",
        "Test what is blank, then stop.",
        *("See above all that every number is kept.", "Write the summary.", "Add one example."),
        *("Nothing is left to summarise.", "The text ends here.", "Done", "Later than step 3"),
        *(
            "Nichts mehr übrig",
            "輸出後",
            "没有更多项目时结束",
            "$5 is reached",
            "<b>Done</b> is said",
        ),
    ],
)
def test_a_short_text_says_something(text):
    assert says_nothing_of(text) == []


ASCII = st.characters(codec="ascii")


@given(st.from_regex(clarity_rules._PHRASE.pattern, fullmatch=True, alphabet=ASCII))
def test_whatever_is_a_phrase_that_says_nothing_is_looked_at(text):
    if len(text) <= clarity_rules.LONGEST_PHRASE and clarity_rules.says_nothing(text):
        assert clarity_rules.may_say_nothing(text, only_letters(text))


def says_nothing_of(text):
    execution = {
        "primary_goal": "Turn an article into bullet points that keep every number.",
        "behavior": "Read it all, then write at most five bullets of twenty words.",
        "termination_condition": text,
    }
    fields = {"pbe_name": "x", "pbe_version": "1.0.0", "pbe_class": "stateless_executor"}
    data = json.dumps({**fields, "install_instructions": "Run it.", "execution": execution})
    found = check_file(data.encode(), path="x.pbe.txt")
    return [d.pointer for d in found if d.code == "PBE027"]


@pytest.mark.parametrize("name", [".", "n/a", "{{blank}}", "-"])
def test_the_name_of_a_phase_says_something(name):
    pbe = json.loads(
        (PBES / "interactive_engine/socratic_tutor/1.0.0/socratic_tutor.pbe.txt").read_text()
    )
    pbe["game_structure"]["phases"][0]["phase"] = name
    found = check_file(json.dumps(pbe).encode(), path="x.pbe.txt")
    assert [d.pointer for d in found if d.code == "PBE027"] == ["/game_structure/phases/0/phase"]


@pytest.mark.parametrize(
    "text",
    [
        "There is none.",
        "Until the end of time.",
        "Keep going.",
        "Endless loop.",
        "Niemals aufhören.",
        *("Loop forever.", "Never. Always stay in this role.", "You never stop, no matter what."),
        *("Remain active for the rest of the conversation.", "Does not terminate on its own."),
        *("Ne s'arrête jamais.", "Nunca pare.", "Non finisce mai.", "Nooit stoppen.", "Nigdy"),
        *(
            "Никогда не останавливаться.",
            "永不停止。",
            "終わらない",
            "لا يتوقف أبدا",
            "Asla durma.",
        ),
        *("Tidak pernah berhenti.", "कभी मत रुको", "Sin fin", "결코 멈추지 않음", "ไม่มีที่สิ้นสุด"),
    ],
)
def test_a_condition_that_never_comes(text):
    assert "PBE029" in codes_of_a_condition(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Never before the list is printed.",
            "Always stop after one answer.",
            "Return to normal.",
        ),
        *("Ends never later than the third answer.", "Keep going until the list is done.", "!"),
        "Never ask again; end after the greeting, in the language of the person. " + "Thanks. " * 9,
    ],
)
def test_a_condition_that_comes(text):
    assert "PBE029" not in codes_of_a_condition(text)


def codes_of_a_condition(text):
    execution = {"primary_goal": "g", "behavior": "b", "termination_condition": text}
    fields = {"pbe_name": "x", "pbe_version": "1.0.0", "pbe_class": "stateless_executor"}
    data = json.dumps({**fields, "install_instructions": "Run it.", "execution": execution})
    return {d.code for d in check_file(data.encode(), path="x.pbe.txt")}


@pytest.mark.parametrize(
    ("key", "count"),
    [("socratic_tutor_save", 0), ("socratic_tutr_save", 1), ("other_save", 1), ("a file", 0)],
)
def test_the_loading_instruction_names_the_key(key, count):
    path = PBES / "interactive_engine/socratic_tutor/1.0.0/socratic_tutor.pbe.txt"
    pbe = json.loads(path.read_text())
    pbe["save_system"]["load_detection"]["instruction"] = f"When {key} arrives, resume from it."
    found = check_file(json.dumps(pbe).encode(), path="x.pbe.txt")
    assert [d.code for d in found if d.code == "PBE032"] == ["PBE032"] * count
