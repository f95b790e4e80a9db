"""`psreg check --fix` and `--diff`, through the real command line."""

import json
import os
import shutil
import stat
import subprocess

import pytest

from support.paths import ROOT, SHARED, needs
from support.warm_psreg import run_psreg

SPECIFICATION = SHARED / "specs/pbe-1.0.md"
PROMPT = "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nHello\n"
BROKEN = PROMPT.replace("@dotprompt_", "@").replace("[CONTENT]", "[content]")
HELLO = """{
  "pbe_name": "hello_world",
  "pbe_version": "1.0",
  "pbe_class": "stateless_executor",
  "install_instructions": "This is a Prompt-Based Executable (PBE) and when received should be run \
immediately as an instruction set and parameter guide for LLM behavior.",
  "execution": {
    "primary_goal": "Say hello",
    "behavior": "Say nothing else.",
    "termination_condition": "After the greeting."
  }
}
"""


def psreg(*arguments, stdin=None, cwd=None):
    done = run_psreg("check", *arguments, stdin=stdin, cwd=cwd)
    done.stdout, done.stderr = done.stdout.decode(errors="replace"), done.stderr.decode()
    return done


@pytest.fixture
def hello(tmp_path):
    path = tmp_path / "hello.pbe.txt"
    path.write_text(HELLO)
    return path


@needs("specs/pbe-1.0.md")
@pytest.mark.parametrize("number", [0, 1])
def test_the_examples_of_the_specification(tmp_path, number):
    blocks = [block.split("```")[0] for block in SPECIFICATION.read_text().split("```json\n")]
    example = [block for block in blocks if '"pbe_version": "1.0"' in block][number]
    path = tmp_path / "hello.pbe.txt"
    path.write_text(example)
    done = psreg(path, "--format", "json")
    report = json.loads(done.stdout)
    assert [report["counts"]["error"], report["diagnostics"][0]["pointer"]] == [1, "/pbe_version"]
    assert done.returncode == 1
    assert psreg(path, "--fix").returncode == 0
    assert path.read_text() == example.replace('"1.0"', '"1.0.0"')
    assert psreg(path).returncode == 0


def test_fix_writes_and_tells(hello):
    done = psreg(hello, "--fix")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"fixed {hello}:3:18 PBE006: write the version as `1.0.0`\n\nchecked 1 file: no findings\n"
    )
    assert hello.read_text() == HELLO.replace('"1.0"', '"1.0.0"')
    before = hello.stat()
    assert psreg(hello, "--fix").stdout == "checked 1 file: no findings\n"
    assert hello.stat().st_mtime_ns == before.st_mtime_ns


def test_what_is_left_still_fails(hello):
    hello.write_text(HELLO.replace('"Say hello"', '" "'))
    done = psreg(hello, "--fix")
    assert done.returncode == 1
    assert "error[PBE020] blank-string" in done.stdout
    assert '"1.0.0"' in hello.read_text()


def test_permissions_stay(hello):
    hello.chmod(0o600)
    psreg(hello, "--fix")
    assert stat.S_IMODE(hello.stat().st_mode) == 0o600
    assert [path.name for path in hello.parent.iterdir()] == ["hello.pbe.txt"]


def test_diff_shows_and_writes_nothing(hello, tmp_path):
    done = psreg(hello.name, "--fix", "--diff", cwd=tmp_path)
    assert done.returncode == 1
    assert hello.read_text() == HELLO
    assert "would fix hello.pbe.txt:3:18 PBE006" in done.stderr
    assert '-  "pbe_version": "1.0",\n+  "pbe_version": "1.0.0",\n' in done.stdout
    patched = subprocess.run(
        ["patch", "-p0"], input=done.stdout.encode(), cwd=tmp_path, capture_output=True, check=False
    ) if shutil.which("patch") else None  # fmt: skip
    assert patched is None or hello.read_text() == HELLO.replace('"1.0"', '"1.0.0"')
    (tmp_path / "fine.prompt").write_text(PROMPT)
    done = psreg(tmp_path / "fine.prompt", "--diff")
    assert (done.returncode, done.stdout) == (0, "")


def test_diff_of_a_file_without_a_final_newline(tmp_path):
    path = tmp_path / "a.prompt"
    path.write_text("[METADATA]\n@dotprompt_format_version 0.0.1\n[ CONTENT ]")
    done = psreg(path.name, "--diff", cwd=tmp_path)
    assert done.stdout.endswith("-[ CONTENT ]\n\\ No newline at end of file\n+[CONTENT]\n")


def test_json_lists_what_was_fixed(hello):
    report = json.loads(psreg(hello, "--diff", "--format", "json").stdout)
    assert [d["code"] for d in report["fixed"]] == ["PBE006"]
    assert '+  "pbe_version": "1.0.0",' in report["diff"]
    assert report["counts"]["error"] == 0
    report = json.loads(psreg(hello, "--fix", "--format", "json").stdout)
    (fixed,) = report["fixed"]
    assert fixed["fix"] == {
        "title": "write the version as `1.0.0`",
        "edits": [
            {
                "path": str(hello),
                "start": {"line": 3, "column": 19},
                "end": {"line": 3, "column": 22},
                "replacement": "1.0.0",
            }
        ],
    }
    assert "diff" not in report
    assert json.loads(psreg(hello, "--format", "json").stdout)["fixed"] == []


def test_standard_input(tmp_path):
    done = psreg("-", "--fix", "--stdin-filename", "a.prompt", stdin=BROKEN)
    assert (done.returncode, done.stdout) == (0, PROMPT)
    assert "fixed a.prompt:2:2 PROMPT010" in done.stderr
    assert psreg("-", "--fix", stdin=PROMPT).stdout == PROMPT
    done = psreg("-", "--fix", "--format", "json", stdin=BROKEN.replace("Hello", "é"))
    assert json.loads(done.stdout)["text"] == PROMPT.replace("Hello", "é")
    done = psreg("-", "--fix", "--format", "github", stdin=BROKEN)
    assert done.stdout == PROMPT
    assert "-[content]\n" in psreg("-", "--diff", stdin=BROKEN).stdout


def test_standard_input_too_long_to_judge_comes_out_whole():
    data = PROMPT + "x" * 5_000_000
    done = psreg("-", "--fix", "--stdin-filename", "a.prompt", stdin=data)
    assert (done.returncode, done.stdout == data) == (1, True)


def test_only_what_is_selected_is_fixed(tmp_path):
    path = tmp_path / "a.prompt"
    path.write_text(BROKEN)
    psreg(path, "--fix", "--select", "PROMPT015")
    assert path.read_text() == BROKEN.replace("[content]", "[CONTENT]")
    psreg(path, "--fix", "--ignore", "PROMPT")
    assert path.read_text() == BROKEN.replace("[content]", "[CONTENT]")


def test_a_folder_of_loose_files(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.prompt").write_text(BROKEN)
    assert psreg(tmp_path, "--fix").returncode == 0
    assert {path.read_text() for path in tmp_path.iterdir()} == {PROMPT}


def test_a_registry(tmp_path):
    shutil.copytree(ROOT / "pbes/prompt/email_reply", tmp_path / "pbes/prompt/email_reply")
    (tmp_path / "registry").mkdir()
    shutil.copy(ROOT / "registry/policy.toml", tmp_path / "registry")
    (path,) = tmp_path.glob("pbes/prompt/email_reply/*/*.prompt")
    good = path.read_text()
    path.write_text(good.replace("@dotprompt_format_version", "@format_version"))
    before = psreg(cwd=tmp_path)
    assert "PROMPT010" in before.stdout
    done = psreg("--fix", cwd=tmp_path)
    assert f"fixed {path.relative_to(tmp_path)}:" in done.stdout
    assert done.returncode == 0
    assert path.read_text() == good


def test_final_newlines_of_a_version_folder(tmp_path):
    shutil.copytree(ROOT / "pbes/prompt/email_reply", tmp_path / "pbes/prompt/email_reply")
    (tmp_path / "registry").mkdir()
    shutil.copy(ROOT / "registry/policy.toml", tmp_path / "registry")
    files = [*tmp_path.glob("pbes/*/*/*/*.md"), *tmp_path.glob("pbes/*/*/*/*.toml")]
    good = [path.read_bytes() for path in files]
    for path, data in zip(files, good, strict=True):
        path.write_bytes(data.removesuffix(b"\n"))
    assert psreg("--fix", cwd=tmp_path).returncode == 0
    assert [path.read_bytes() for path in files] == good
    crlf = good[0].replace(b"\n", b"\r\n")
    files[0].write_bytes(crlf.removesuffix(b"\r\n"))
    psreg("--fix", cwd=tmp_path)
    assert files[0].read_bytes() == crlf


def test_never_through_a_link(hello, tmp_path):
    link = tmp_path / "link.pbe.txt"
    link.symlink_to(hello)
    done = psreg(link, "--fix")
    assert done.returncode == 2
    assert "is a link" in done.stderr
    assert link.is_symlink()
    assert hello.read_text() == HELLO
    hello.write_text(HELLO.replace('"1.0"', '"1.0.0"'))
    assert psreg(link, "--fix").returncode == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(hello):  # pragma: no cover - as root
    hello.parent.chmod(0o500)
    done = psreg(hello, "--fix")
    hello.parent.chmod(0o700)
    assert (done.returncode, hello.read_text()) == (4, HELLO)


def test_what_makes_no_sense(hello):
    done = psreg(hello, "--diff", "--format", "sarif")
    assert done.returncode == 2
    assert psreg("-", "--fix", stdin="neither").returncode == 2


def test_quiet(hello):
    done = psreg(hello, "--fix", "-q")
    assert done.stdout.splitlines()[-1:] == [""]
