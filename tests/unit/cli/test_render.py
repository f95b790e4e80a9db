"""`psreg render`, through the real command line."""

import json
import os
import tomllib

import pytest

from support.paths import VECTORS
from support.warm_psreg import run_psreg

META = "[METADATA]\n@dotprompt_format_version 0.0.1\n"
GREETING = META + "[CONTENT]\nHi {n}, {{x}} (% c %)end\n"


def psreg(*arguments, cwd=None, stdin=b"", code=0, home=None):
    """Run `psreg render` and return stdout and stderr, having checked the exit code."""
    env = os.environ | ({"HOME": str(home), "XDG_DATA_HOME": str(home)} if home else {})
    run = run_psreg("render", *arguments, stdin=stdin, cwd=cwd, env=env)
    out, err = run.stdout.decode(), run.stderr.decode()
    assert run.returncode == code, err
    assert "Traceback" not in err
    return out, err


@pytest.fixture
def greeting(tmp_path):
    (tmp_path / "t.prompt").write_text(GREETING, "utf-8")
    return tmp_path


def test_the_text_is_printed_exactly(greeting):
    assert psreg("t.prompt", "--set", "n=Ana", cwd=greeting) == ("Hi Ana, {x} end", "")
    told = "psreg: warning: no value for `n`\n"
    assert psreg("t.prompt", "--allow-missing", cwd=greeting) == ("Hi {n}, {x} end", told)


def test_standard_input_is_a_file_like_others():
    assert psreg("-", "--set", "n=Ana", stdin=GREETING.encode()) == ("Hi Ana, {x} end", "")


def test_values_are_taken_to_the_letter(greeting):
    value = "(% keep %) {{x}} {n} \\1 = é\n"
    assert psreg("t.prompt", "--set", f"n={value}", cwd=greeting)[0] == f"Hi {value}, {{x}} end"
    assert psreg("t.prompt", "--set", "n=", cwd=greeting)[0] == "Hi , {x} end"
    assert psreg("t.prompt", "--set", "n=1", "--set", "n=2", cwd=greeting)[0] == "Hi 2, {x} end"


def test_values_come_from_a_file_and_set_wins(tmp_path):
    (tmp_path / "t.prompt").write_text(META + "[CONTENT]\n{a} {b} {c} {d} {e}", "utf-8")
    values = '{"a": "é\\n", "b": 1.50, "c": true, "d": -2e3, "e": "file"}'
    (tmp_path / "v.json").write_text(values, "utf-8")
    out, err = psreg("t.prompt", "--vars", "v.json", "--set", "e=set", cwd=tmp_path)
    assert (out, err) == ("é\n 1.50 true -2e3 set", "")


@pytest.mark.parametrize(
    ("values", "place", "word"),
    [
        ('{"a": null}', "1:7", "`a`"),
        ('{\n"a": [1]}', "2:6", "`a`"),
        ('{"a": {"b": 1}}', "1:7", "`a`"),
        ('{"a": 1, "a": 2}', "1:", "a"),
        ('{"a": NaN}', "1:7", "NaN"),
        ('{"a b": "c"}', "1:1", "`a b`"),
        ('["a"]', "1:1", "object"),
        ('{"a": "\\ud800"}', "1:", ""),
        ("{", "1:", ""),
        ("", "1:1", ""),
        ('{"a":' * 100_000, "1:", ""),
    ],
)
def test_values_that_are_no_values_are_refused_with_their_place(greeting, values, place, word):
    (greeting / "v.json").write_text(values, "utf-8")
    out, err = psreg("t.prompt", "--vars", "v.json", cwd=greeting, code=2)
    assert out == ""
    assert f"v.json:{place}" in err
    assert word in err


@pytest.mark.parametrize("assignment", ["n", "=x", "a b=c", "{n}=c", "é=c", b"n=\xff"])
def test_an_assignment_that_is_none_is_a_usage_error(greeting, assignment):
    out, err = psreg("t.prompt", "--set", assignment, cwd=greeting, code=2)
    assert out == ""
    assert "--set" in err


def test_a_value_that_nothing_asks_for_is_a_warning(greeting):
    (greeting / "v.json").write_text('{"n": "Ana", "nn": 1, "x": 2}')
    out, err = psreg("t.prompt", "--vars", "v.json", cwd=greeting)
    assert out == "Hi Ana, {x} end"
    assert "no variable `nn`; did you mean `n`?" in err
    assert "no variable `x`\n" in err


@pytest.mark.parametrize(
    ("name", "told"), [("nn", "did you mean `n`?\n"), ("x", "`x`\n  hint: {{x}} is a literal;")]
)
def test_a_value_that_is_set_must_be_of_a_variable(greeting, name, told):
    out, err = psreg("t.prompt", "--set", "n=Ana", "--set", f"{name}=1", cwd=greeting, code=2)
    assert out == ""
    assert "error[UNKNOWN_VARIABLE]" in err
    assert told in err


def test_a_variable_without_a_value_is_an_error(greeting):
    out, err = psreg("t.prompt", cwd=greeting, code=1)
    assert out == ""
    assert "no value for `n`\n  hint: Give each a value, such as with --set n=VALUE;" in err
    assert psreg("t.prompt", "--set", "n=", cwd=greeting)[0] == "Hi , {x} end"


def test_squeeze_drops_blank_lines(tmp_path):
    (tmp_path / "t.prompt").write_text(META + "[CONTENT]\na\n\n\nb\n", "utf-8")
    assert psreg("t.prompt", cwd=tmp_path)[0] == "a\n\n\nb"
    assert psreg("t.prompt", "--squeeze", cwd=tmp_path)[0] == "a\nb"


def test_a_golden_case_is_written_as_the_check_asks_for_it(tmp_path):
    released = tmp_path / "pbes/prompt/hello/1.0.0"
    released.mkdir(parents=True)
    artifact = released / "hello.prompt"
    artifact.write_text(f"{META}[DEFAULTS]\n@e end\n[CONTENT]\nHi {{n}},\n\nthe {{e}}\n", "utf-8")
    (tmp_path / "v.json").write_text('{"n": 1.50, "unused": "x"}', "utf-8")
    case = released / "evidence/numbers.render.toml"
    out, err = psreg(artifact, "--vars", "v.json", "--golden", case, cwd=tmp_path)
    assert out == "Hi 1.50,\n\nthe end"
    assert "no variable `unused`" in err
    golden = ("--select", "REG030", "--select", "REG031", "--select", "REG029")
    assert run_psreg("check", "pbes", *golden, cwd=tmp_path).returncode == 0
    artifact.write_text(artifact.read_text("utf-8").replace("Hi", "Hello"), "utf-8")
    changed = run_psreg("check", "pbes", *golden, cwd=tmp_path)
    assert b"golden-case-differs" in changed.stdout
    assert tomllib.loads(case.read_text("utf-8"))["values"] == {"n": "1.50"}


def test_a_machine_gets_its_document_besides_the_golden_case(greeting):
    case = ("--golden", "a.render.toml", "--format", "json")
    out, _ = psreg("t.prompt", "--set", "n=Ana", *case, cwd=greeting)
    text = json.loads(out)["text"]
    assert tomllib.loads((greeting / "a.render.toml").read_text("utf-8"))["text"] == text


@pytest.mark.parametrize(
    ("options", "told", "code"),
    [
        (("--golden", "a.toml"), "does not end in `.render.toml`", 2),
        (("--golden", "a.render.toml", "--squeeze"), "Omit --squeeze.", 2),
        (("--golden", "kept.render.toml"), "kept.render.toml already exists", 2),
        (("--golden", "none/a.render.toml"), "cannot write none/a.render.toml", 4),
        (("--golden", "none/evidence/a.render.toml"), "cannot write none/evidence/a.render", 4),
    ],
)
def test_a_golden_case_that_cannot_be_written(greeting, options, told, code):
    (greeting / "kept.render.toml").write_text("text = 'x'\n", "utf-8")
    out, err = psreg("t.prompt", "--set", "n=Ana", *options, cwd=greeting, code=code)
    assert told in err
    assert out == ""
    assert sorted(path.name for path in greeting.iterdir()) == ["kept.render.toml", "t.prompt"]
    assert (greeting / "kept.render.toml").read_text("utf-8") == "text = 'x'\n"


def test_a_file_in_place_of_the_evidence_folder_stays(greeting):
    (greeting / "evidence").write_text("mine", "utf-8")
    options = ("--set", "n=Ana", "--golden", "evidence/a.render.toml")
    _, err = psreg("t.prompt", *options, cwd=greeting, code=4)
    assert "cannot write evidence/a.render.toml" in err
    assert (greeting / "evidence").read_text("utf-8") == "mine"


def test_a_machine_gets_one_document(greeting):
    (greeting / "v.json").write_text('{"q": 1}')
    options = ("--format", "json", "--vars", "v.json", "--allow-missing")
    out, err = psreg("t.prompt", *options, cwd=greeting)
    assert json.loads(out) == {
        "schema": "psreg.render/1",
        "text": "Hi {n}, {x} end",
        "missing": ["n"],
        "unknown": ["q"],
    }
    assert err == ""


def test_a_machine_gets_one_document_for_a_failure_too(greeting):
    out, _ = psreg("t.prompt", "--format", "json", cwd=greeting, code=1)
    assert json.loads(out)["error"]["code"] == "MISSING_VALUES"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("[DEFAULTS]\n@a 1\n" + META + "[CONTENT]\n{a}", ["3:1: PROMPT002"]),
        (META + "[CONTENT]\na\n[DEFAULTS]\n", ["5:1: PROMPT002"]),
        (META, ["2:32: PROMPT003"]),
        ("[CONTENT]\na", ["1:1: PROMPT003"]),
        ("text", ["1:1: PROMPT003", "1:5: PROMPT003"]),
        ("---\na: b\n---\n{{c}}", ["1:1: PROMPT019"]),
        (META.replace("0.0.1", "1.0") + "[CONTENT]\na", ["2:27: PROMPT011"]),
        ("\udcff", ["1:1: PROMPT001"]),
        ("a" * 1_048_577, ["1:1: PROMPT024"]),
    ],
)
def test_a_prompt_of_wrong_structure_is_refused_with_its_places(tmp_path, text, places):
    (tmp_path / "t.prompt").write_text(text, "utf-8", errors="surrogateescape")
    out, err = psreg("t.prompt", cwd=tmp_path, code=1)
    assert out == ""
    for place in places:
        assert f"t.prompt:{place}" in err


def test_other_mistakes_do_not_stop_a_reader(tmp_path):
    (tmp_path / "t.prompt").write_text("[METADATA]\n@format_version 1\n[CONTENT]\na (% b")
    out, err = psreg("t.prompt", cwd=tmp_path)
    assert out == "a (% b"
    assert "psreg: warning: t.prompt:2:2: PROMPT010" in err
    assert "psreg: warning: t.prompt:4:3: PROMPT004" in err
    (tmp_path / "t.prompt").write_text("[METADATA]\n[CONTENT]\na")
    out, err = psreg("t.prompt", cwd=tmp_path)
    assert out == "a"
    assert "t.prompt:1:1: PROMPT010" in err


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[METADATA]\n[CONTENT]\na", "PROMPT010"),
        (META + "[DEFAULTS]\n@a 1\n@a 2\n[CONTENT]\n{a}", "PROMPT007"),
        (META + "[DEFAULTS]\n@a\t1\n[CONTENT]\n{a}", "PROMPT008"),
        (META + "[DEFAULTS]\n@b 1\n[CONTENT]\na", "PROMPT028"),
        (META + "[DEFAULTS]\n  @a 1\n[CONTENT]\n{a}", "PROMPT026"),
        (META + "@- x\n[CONTENT]\na", "PROMPT027"),
        (META + "[CONTENT]\na (% b", "PROMPT004"),
        (META + "[CONTENT]\na (% b\nlost\n(% c %)", "PROMPT029"),
        (META + "[CONTENT]\n", "PROMPT017"),
    ],
)
def test_check_and_render_say_the_same_to_a_reader(tmp_path, text, code):
    (tmp_path / "t.prompt").write_text(text)
    _, err = psreg("t.prompt", "--allow-missing", cwd=tmp_path)
    assert f" {code} " in err
    done = run_psreg("check", "t.prompt", "--read", cwd=tmp_path, text=True)
    assert (done.returncode, f"warning[{code}]" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.pbe.txt", META), ("a.txt", ' {"pbe_name": "a"}'), ("a.pbe", "")],
)
def test_a_pbe_has_nothing_to_fill_in(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    out, err = psreg(name, cwd=tmp_path, code=1)
    assert out == ""
    assert "is a PBE" in err


@pytest.mark.parametrize("what", ["none.prompt", ".", "no/such/file"])
def test_a_file_that_is_not_there_is_named(tmp_path, what):
    out, err = psreg(what, cwd=tmp_path, code=4)
    assert out == ""
    assert what in err


def test_values_from_a_file_that_is_not_there(greeting):
    assert "v.json" in psreg("t.prompt", "--vars", "v.json", cwd=greeting, code=4)[1]


def test_an_installed_prompt_is_asked_for_by_name(tmp_path):
    out, err = psreg("no_such_prompt@^1", cwd=tmp_path, home=tmp_path, code=4)
    assert out == ""
    assert "no_such_prompt" in err


def test_the_vectors_hold(tmp_path):
    for vector in json.loads((VECTORS / "prompt.json").read_text("utf-8")):
        (tmp_path / "t.prompt").write_text(vector["file"], "utf-8", newline="")
        (tmp_path / "v.json").write_text(json.dumps(vector["values"]))
        refused = vector["output"] is None
        options = ("--vars", "v.json", "--allow-missing")
        out, _ = psreg("t.prompt", *options, cwd=tmp_path, code=int(refused))
        assert out == (vector["output"] or ""), vector["id"]
