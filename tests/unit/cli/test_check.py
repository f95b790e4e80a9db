"""`psreg check` and `psreg explain`, through the real command line."""

import json
import subprocess
import sys

import pytest

from psreg.cli.commands import COMMANDS
from psreg.cli.rules import all_rules
from support.warm_psreg import run_psreg

RULES = all_rules()

CLEAN = "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nHello\n"
WARNED = CLEAN.replace("@dot", "@a  two blanks\n@dot")
HELLO = {
    "pbe_name": "hello_world",
    "pbe_version": "1.0",
    "pbe_class": "stateless_executor",
    "install_instructions": (
        "This is a Prompt-Based Executable (PBE) and when received should be run immediately as "
        "an instruction set and parameter guide for LLM behavior."
    ),
    "execution": {
        "primary_goal": "Output only the text 'Hello, World!'",
        "behavior": "Suppress all commentary.",
        "termination_condition": "After the greeting.",
    },
}


def psreg(*arguments, stdin=None, cwd=None):
    return run_psreg(*arguments, stdin=stdin, cwd=cwd, text=True)


@pytest.fixture
def hello(tmp_path):
    path = tmp_path / "hello.pbe.txt"
    path.write_text(json.dumps(HELLO, indent=2))
    return path


def test_the_first_example_of_the_specification(hello):
    done = psreg("check", str(hello), "--format", "json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert report["schema"] == "psreg.report/1"
    assert report["counts"] == {"error": 1, "warning": 0, "info": 0}
    (found,) = report["diagnostics"]
    assert (found["code"], found["pointer"], found["family"]) == ("PBE006", "/pbe_version", "PBE")
    assert (found["start"], found["end"]) == ({"line": 3, "column": 18}, {"line": 3, "column": 23})
    assert found["path"] == hello.as_posix()
    assert len(found["fingerprint"]) == 32


def test_a_toml_file_by_itself_says_what_checks_the_rest(tmp_path):
    place = tmp_path / "policy.toml"
    place.write_text("[revieww]\nplatforms = 1\n")
    done = psreg("check", str(place))
    assert done.returncode == 0
    assert "what its keys say, `psreg check pbes` checks" in done.stderr
    assert psreg("check", "--quiet", str(place)).stderr == ""


def test_text_shows_the_place(hello):
    done = psreg("check", str(hello))
    assert done.returncode == 1
    assert f"{hello.as_posix()}:3:18" in done.stdout
    assert '"pbe_version": "1.0",' in done.stdout
    assert "^^^^^" in done.stdout
    assert done.stdout.endswith("checked 1 file: 1 error ([*] 1 fixable by --fix)\n")
    assert done.stderr == ""


def test_reading_is_kinder_than_publishing(hello):
    assert psreg("check", str(hello), "--read").returncode == 0
    assert psreg("check", str(hello), "--read", "--strict").returncode == 1


def test_a_strict_check_is_the_validation_of_a_prompt(tmp_path):
    head = "[METADATA]\n@dotprompt_format_version 0.0.1\n"
    for text, code in (
        ("[CONTENT]\n{name}\n", "PROMPT014"),
        ("@a\t1\n[CONTENT]\nx\n", "PROMPT008"),
    ):
        (tmp_path / "t.prompt").write_text(head + text)
        assert psreg("check", "t.prompt", cwd=tmp_path).returncode == 0
        strict = psreg("check", "t.prompt", "--strict", "--format", "json", cwd=tmp_path)
        (found,) = json.loads(strict.stdout)["diagnostics"]
        assert (strict.returncode, found["code"], found["severity"]) == (1, code, "error")


def test_select_and_ignore(hello):
    assert psreg("check", str(hello), "--ignore", "PBE006").returncode == 0
    assert psreg("check", str(hello), "--ignore", "PBE").returncode == 0
    assert psreg("check", str(hello), "--select", "JSON").returncode == 0
    assert psreg("check", str(hello), "--select", "PBE").returncode == 1


def test_standard_input_by_content_and_by_name(tmp_path):
    assert psreg("check", "-", stdin=CLEAN, cwd=tmp_path).returncode == 0
    assert psreg("check", "-", stdin=json.dumps(HELLO)).returncode == 1
    assert psreg("check", "-", "--stdin-filename", "x.prompt", stdin="{}").returncode == 1
    done = psreg("check", "-", stdin="neither")
    assert done.returncode == 2
    assert "neither a PBE nor a .prompt" in done.stderr


def test_a_hundred_thousand_brackets_end_in_one_diagnostic():
    done = psreg(
        "check",
        "-",
        "--stdin-filename",
        "x.pbe.txt",
        "--format",
        "json",
        stdin="[" * 100_000 + "\n",
    )
    assert done.returncode == 1
    assert len(json.loads(done.stdout)["diagnostics"]) == 1


def test_warnings_fail_only_under_strict(tmp_path):
    path = tmp_path / "a.prompt"
    path.write_text(WARNED)
    assert psreg("check", str(path)).returncode == 0
    assert psreg("check", str(path), "--strict").returncode == 1


def test_a_folder_of_loose_files_is_judged_by_several_processes(tmp_path):
    for number in range(450):
        (tmp_path / f"a{number}.prompt").write_text(CLEAN)
    (tmp_path / "hello.pbe.txt").write_text(json.dumps(HELLO))
    (tmp_path / "notes.md").write_text("ignored")
    done = psreg("check", str(tmp_path), "--format", "json")
    report = json.loads(done.stdout)
    assert report["checked"] == 451
    assert [d["code"] for d in report["diagnostics"]] == ["PBE006"]


def test_what_cannot_be_checked(tmp_path):
    assert psreg("check", str(tmp_path / "absent")).returncode == 4
    assert psreg("check", cwd="/").returncode == 2
    done = psreg("check", "--format", "json", str(tmp_path / "absent"))
    assert json.loads(done.stdout)["error"]["code"] == "NOT_FOUND"
    assert psreg("check", "--nonsense").returncode == 2


def test_quiet_says_only_what_is_wrong(tmp_path, hello):
    path = tmp_path / "a.prompt"
    path.write_text(CLEAN)
    assert psreg("check", "-q", str(path)).stdout == ""
    assert "PBE006" in psreg("check", "-q", str(hello)).stdout


def test_explain_one_rule():
    done = psreg("explain", "pbe006")
    assert done.returncode == 0
    assert done.stdout.startswith("PBE006 version-not-semver\n")
    assert "## Fix" in done.stdout
    assert json.loads(psreg("explain", "PBE006", "--format", "json").stdout)["code"] == "PBE006"


def test_explain_all_rules():
    codes = [
        rule["code"] for rule in json.loads(psreg("explain", "--all", "--format", "json").stdout)
    ]
    assert codes == sorted(rule.code for rule in RULES)
    assert len(psreg("explain", "--all").stdout.splitlines()) == len(RULES)


@pytest.mark.parametrize(
    ("wanted", "codes", "said"),
    [
        ("PS080", ["NAME001", "NAME002", "NAME003", "NAME004", "NAME006"], "NAME004 and NAME006:"),
        ("pbe-04", ["PBE004", "REG004"], "PBE-04 is checked by PBE004 and REG004:"),
        ("pbe-1.0/PBE-21", ["CHG008"], "PBE-21 is checked by CHG008:"),
        ("PROMPT-A15", ["PROMPT007"], "PROMPT-A15 is checked by PROMPT007:"),
        ("PBE-A16", ["PBE016"], "PBE-A16 is checked by PBE016:"),
        ("PBE-22", [], "PBE-22 has no rule. It is about behaviour."),
        ("evidence", ["REG027"], "registry/EVIDENCE is checked by REG027:"),
    ],
)
def test_explain_what_several_rules_or_none_judge(wanted, codes, said):
    done = psreg("explain", wanted)
    assert done.returncode == 0
    assert said in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines()[-len(codes) or 99 :]] == codes
    listed = json.loads(psreg("explain", wanted, "--format", "json").stdout)
    assert [rule["code"] for rule in listed] == codes


def test_explain_an_unknown_rule():
    done = psreg("explain", "PBE060")
    assert done.returncode == 2
    assert "Did you mean" in done.stderr
    assert psreg("explain").returncode == 2
    assert psreg("explain", "PBE006", "--all").returncode == 2


def test_help_and_version():
    assert psreg("--version").stdout.startswith("psreg ")
    assert "for authors" in psreg("--help").stdout
    assert psreg().stdout == psreg("help").stdout
    assert psreg("nonsense").returncode == 2


@pytest.mark.parametrize("command", [name for _, name, _ in COMMANDS])
def test_every_command_has_help_with_an_example(command):
    done = psreg(command, "--help")
    assert done.returncode == 0
    assert f"example:\n  psreg {command}" in done.stdout
    assert done.stderr == ""


def test_a_reader_that_leaves_is_no_error(hello):
    with subprocess.Popen(
        [sys.executable, "-m", "psreg", "explain", "--all", "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
