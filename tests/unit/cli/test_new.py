"""`psreg new` and `psreg bump` as an author types them."""

import json
import os
import pty
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress

import pytest

from psreg.authoring.questions import questions
from psreg.core.classes import CLASSES
from support.authoring import ANSWERS, BESIDE, checkout, psreg, tree_of
from support.paths import PBES

SAVED = PBES / "interactive_engine/spaced_recall/1.1.0/spaced_recall.pbe.txt"
EMAIL = PBES / "prompt/email_reply/1.0.0/email_reply.prompt"


@pytest.fixture
def root(tmp_path):
    return checkout(tmp_path / "registry")


def findings(root):
    done = psreg(root, "check", "--format", "json")
    return {
        (d["path"], d["start"]["line"], d["code"], d["message"])
        for d in json.loads(done.stdout)["diagnostics"]
        if d["waived"] is None and d["severity"] != "info"
    }


def listed(done):
    return {
        (g["path"], g["line"], g["code"], g["message"]) for g in json.loads(done.stdout)["gaps"]
    }


@pytest.mark.parametrize("entry_class", CLASSES)
def test_a_bare_entry_has_exactly_the_listed_gaps(root, entry_class):
    done = psreg(root, "new", entry_class, "trip_packer", "--format", "json")
    assert done.returncode == 0
    assert findings(root) == listed(done)
    document = json.loads(done.stdout)
    suffix = ".prompt" if entry_class == "prompt" else ".pbe.txt"
    folder = f"pbes/{entry_class}/trip_packer"
    names = ("0.1.0/README.md", "0.1.0/release.toml", f"0.1.0/trip_packer{suffix}", "entry.toml")
    assert document["files"] == [f"{folder}/{name}" for name in names]
    assert sorted(tree_of(root)) == [*document["files"], "registry/policy.toml"]
    assert {gap["code"] for gap in document["gaps"]} <= {
        "REG008",
        "REG017",
        "PBE020",
        "PBE024",
        "PROMPT017",
    }
    assert all(gap["write"] for gap in document["gaps"])


def test_gaps_are_shown_with_place_and_what_to_write(root):
    done = psreg(root, "new", "interactive_engine", "trip_packer")
    assert (
        "/0.1.0/release.toml:1: `summary` has 0 characters; the minimum is 20 [REG008]"
        in done.stdout
    )
    assert "what the prompt does, in one sentence of 20 to 160 characters" in done.stdout
    assert "“When JSON with the root key 'trip_packer_save' arrives, …”" in done.stdout
    assert "next: psreg check pbes/interactive_engine/trip_packer/0.1.0" in done.stdout
    assert "wrote" not in psreg(root, "new", "prompt", "other", "-q").stdout


def test_without_a_waiver_the_missing_runs_are_a_gap(tmp_path):
    root = checkout(tmp_path / "registry", policy="")
    done = psreg(root, "new", "prompt", "trip_packer")
    assert "[REG011]" in done.stdout
    assert "run the finished artifact on two platforms" in done.stdout


@pytest.mark.parametrize("entry_class", sorted(ANSWERS))
@pytest.mark.parametrize("form", ["json", "toml"])
def test_with_all_answers_nothing_is_left(root, entry_class, form):
    answers = ANSWERS[entry_class] | BESIDE
    file = root / f"answers.{form}"
    if form == "json":
        file.write_text(json.dumps(answers))
    else:
        file.write_text("".join(f"{k} = {json.dumps(v)}\n" for k, v in answers.items()))
    done = psreg(root, "new", entry_class, "trip_packer", "--answers", str(file))
    assert done.returncode == 0
    assert "required before" not in done.stdout
    assert ("recommended" in done.stdout) == (entry_class == "persistent_service")
    assert psreg(root, "check").returncode == 0
    readme = (root / f"pbes/{entry_class}/trip_packer/0.1.0/README.md").read_text()
    assert "# Trip packer\n\nPlans the contents" in readme
    assert "*Illustrative, written by hand.*\n\nCabin bag" in readme


def test_the_examples_of_the_creator_tool_make_an_engine_that_only_copies_them(root):
    answers = {q.key: q.example for q in questions("interactive_engine")}
    (root / "answers.json").write_text(json.dumps(answers))
    psreg(root, "new", "interactive_engine", "trip_packer", "--answers", "answers.json")
    report = json.loads(psreg(root, "check", "--format", "json").stdout)
    standing = [d["code"] for d in report["diagnostics"] if d["waived"] is None]
    assert set(standing) == {"PBE027", "REG033"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('licence = "MIT"', "unknown key `licence`. Did you mean `license`?"),
        ("task = 3", "`task`: expected a text"),
        ("tags = 3", "`tags`: expected a list of words"),
        ('summary = "Short"', "`summary` has 5 characters; the minimum is 20 [REG008]"),
        ('license = "Mine"', "[REG010]"),
        ('task = "[METADATA]"', "[PROMPT002]"),
        ('task = " "', "`task`: the answer is empty"),
        ("= 1", "neither TOML nor JSON"),
        ('{"task": "\\ud800"}', "bytes that are not UTF-8"),
        ("{", "neither TOML nor JSON"),
    ],
)
def test_answers_that_cannot_stand_write_nothing(root, text, said):
    (root / "answers").write_text(text)
    done = psreg(root, "new", "prompt", "trip_packer", "--answers", "answers")
    assert done.returncode == 2
    assert said in done.stderr
    assert list((root / "pbes").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("promt", "x"), 2, "Did you mean `prompt`?"),
        (("prompt", "Trip-Packer"), 2, "Write `trip_packer`."),
        (("prompt", "4"), 2, "Start with a letter"),
        (("prompt", "con"), 2, "a device name on Windows"),
        (("prompt", "taken"), 2, "psreg bump taken patch"),
        (("stateless_executor", "taken"), 2, "Choose another name."),
        (("prompt", "other_name"), 2, "`other_name` is already an alias of `taken`"),
        (("prompt", "t4ken"), 2, "[NAME001]"),
        (("prompt", "x", "--from", "absent"), 4, "cannot read absent"),
        (("prompt", "x", "--answers", "absent"), 4, "cannot read absent"),
        (("stateless_executor", "x", "--from", "notes.md"), 2, "neither a PBE nor a .prompt"),
        (("prompt", "x", "--from", str(SAVED)), 2, "psreg new interactive_engine x --from"),
        (("stateless_executor", "x", "--from", str(SAVED)), 2, "of class interactive_engine"),
        (("stateless_executor", "x", "--from", str(EMAIL)), 2, "psreg new prompt x --from"),
        (("prompt", "x", "--from", "broken.prompt"), 1, "psreg check --read broken.prompt"),
        (("prompt", "x", "--from", "list.pbe.txt"), 2, "is a PBE, not of class prompt"),
    ],
)
def test_what_cannot_become_an_entry(root, arguments, code, said):
    psreg(root, "new", "prompt", "taken")
    (root / "pbes/prompt/taken/entry.toml").write_text('owners = []\naliases = ["other_name"]\n')
    (root / "notes.md").write_text("# Notes\n")
    (root / "broken.prompt").write_text("[CONTENT]\nHello\n")
    (root / "list.pbe.txt").write_text("[]")
    before = tree_of(root)
    done = psreg(root, "new", *arguments)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert tree_of(root) == before
    as_json = psreg(root, "new", *arguments, "--format", "json")
    assert as_json.returncode == code
    assert set(json.loads(as_json.stdout)["error"]) == {"code", "message", "hint"}


def test_outside_of_a_checkout(tmp_path):
    for command in (("new", "prompt", "x"), ("bump", "x", "patch")):
        done = psreg(tmp_path, *command)
        assert done.returncode == 4
        assert "NO_CHECKOUT" in done.stderr


def test_an_artifact_moves_in_with_only_its_name_and_version_changed(root, tmp_path):
    source = tmp_path / "Cards.txt"
    old = SAVED.read_bytes().replace(b'"pbe_version": "1.1.0"', b'"pbe_version": "1.1"')
    source.write_bytes(old)
    done = psreg(root, "new", "interactive_engine", "card_box", "--from", str(source))
    assert done.returncode == 0
    note = "the first version must be 0.1.0 or 1.0.0: 1.1.0 becomes 1.0.0"
    assert note in done.stderr
    new = (root / "pbes/interactive_engine/card_box/1.0.0/card_box.pbe.txt").read_bytes()
    changed = old.replace(b'"pbe_version": "1.1"', b'"pbe_version": "1.0.0"')
    changed = changed.replace(b'"pbe_name": "spaced_recall"', b'"pbe_name": "card_box"')
    assert new == changed.replace(b"spaced_recall_save", b"card_box_save")
    assert source.read_bytes() == old
    found = [(code, message) for _, _, code, message in findings(root)]
    assert {code for code, _ in found} == {"PBE027", "REG008", "REG017"}
    copied = [message for code, message in found if code == "PBE027"]
    assert len(copied) == 1
    assert "is copied from the published prompt `spaced_recall`, and so are" in copied[0]


def test_a_loose_file_in_the_tree_moves_by_the_command_that_check_names(root):
    loose = root / "pbes/prompt/email_reply.prompt"
    loose.parent.mkdir()
    shutil.copy(EMAIL, loose)
    (found,) = json.loads(psreg(root, "check", "--format", "json").stdout)["diagnostics"]
    command = found["hint"].partition("psreg ")[2].split()
    assert psreg(root, *command).returncode == 0
    moved = root / "pbes/prompt/email_reply/1.0.0/email_reply.prompt"
    assert str(moved.relative_to(root)) in found["hint"]
    assert moved.read_bytes() == EMAIL.read_bytes()


def test_questions_are_asked_again_with_the_reason(root):
    said = [
        "",
        "Write about {topic}.",
        "",
        "Too short",
        BESIDE["summary"],
        "When.",
        "a,b",
        "",
        "",
        "",
    ]
    done = psreg(root, "new", "prompt", "guided_one", "--guided", stdin="\n".join(said) + "\n")
    assert done.returncode == 0
    assert "9 questions" in done.stderr
    assert "1/9 description: what the prompt does" in done.stderr
    assert (
        "summary is not valid: `summary` has 9 characters; the minimum is 20 [REG008]"
        in done.stderr
    )
    artifact = (root / "pbes/prompt/guided_one/0.1.0/guided_one.prompt").read_text()
    assert artifact.endswith("[CONTENT]\nWrite about {topic}.\n")
    assert 'tags = ["a", "b"]' in (root / "pbes/prompt/guided_one/0.1.0/release.toml").read_text()


def test_answers_of_a_file_are_not_asked_for(root):
    (root / "a.toml").write_text('task = "Say hello."\nexample = "Hello"\n')
    done = psreg(
        root, "new", "prompt", "x", "--guided", "--answers", "a.toml", "-q", stdin="\n" * 7
    )
    assert done.returncode == 0
    assert "questions" not in done.stderr
    assert "for example" not in done.stderr
    assert done.stderr == ""


def test_of_an_artifact_only_the_other_files_are_asked_about(root):
    done = psreg(root, "new", "prompt", "x", "--guided", "--from", str(EMAIL), stdin="\n" * 6)
    assert done.returncode == 0
    assert "6 questions" in done.stderr


def test_answers_that_are_no_text_are_refused(root):
    done = subprocess.run(
        [sys.executable, "-m", "psreg", "new", "prompt", "x", "--guided"],
        input=b"\xff\nfine\n" + b"\n" * 8,
        cwd=root,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"not UTF-8" in done.stderr


def test_the_end_of_the_input_writes_no_entry(root):
    done = psreg(root, "new", "prompt", "x", "--guided", stdin="")
    assert done.returncode == 2
    assert "nothing was written" in done.stderr
    assert list((root / "pbes").iterdir()) == []


def test_a_stopped_interview_continues_with_what_was_typed(root):
    command = ("new", "prompt", "x", "--guided")
    stopped = psreg(root, *command, stdin="Says hello.\nSay hello.\n")
    kept = root / "psreg-new-x.json"
    assert stopped.returncode == 2
    assert str(kept) in stopped.stderr
    assert "Run `psreg new prompt x --guided` to continue." in stopped.stderr
    assert list((root / "pbes").iterdir()) == []
    done = psreg(root, *command, stdin="\n" * 7)
    assert "continuing with 2 answers" in done.stderr
    assert "3/9 task_rules" in done.stderr
    assert "2/9" not in done.stderr
    assert done.returncode == 0
    assert not kept.exists()
    artifact = (root / "pbes/prompt/x/0.1.0/x.prompt").read_text()
    assert artifact.endswith("@description Says hello.\n\n[CONTENT]\nSay hello.\n")


def test_damaged_answers_of_an_interview_are_named(root):
    (root / "psreg-new-x.json").write_text('{"task": 5}')
    done = psreg(root, "new", "prompt", "x", "--guided", stdin="")
    assert done.returncode == 2
    assert "Delete the file to start again." in done.stderr


def test_an_interview_goes_back(root):
    said = ["Says helo.", "<", "Says hello.", "<", "", "Say hello."]
    done = psreg(root, "new", "prompt", "x", "--guided", stdin="\n".join(said) + "\n" * 9)
    assert done.returncode == 0
    assert "your answer: Says helo." in done.stderr
    artifact = (root / "pbes/prompt/x/0.1.0/x.prompt").read_text()
    assert artifact.endswith("@description Says hello.\n\n[CONTENT]\nSay hello.\n")


def test_tags_and_languages_are_checked_at_once(root):
    (root / "a.toml").write_text('description = "d"\ntask = "Say hi."\ntask_rules = "r"\n')
    said = ["", "", "Big Tag, b", "big-tag, b", "", "English", "en", ""]
    done = psreg(
        root, "new", "prompt", "x", "--guided", "--answers", "a.toml", stdin="\n".join(said) + "\n"
    )
    assert "tags is not valid: `Big Tag` is not a tag [REG022]" in done.stderr
    assert "languages is not valid: `English` is not a language tag [REG022]" in done.stderr
    release = (root / "pbes/prompt/x/0.1.0/release.toml").read_text()
    assert 'tags = ["big-tag", "b"]' in release
    assert 'languages = ["en"]' in release


def test_a_quiet_interview_only_says_what_is_not_valid(root):
    said = ["", "Write it.", "", "Too short", BESIDE["summary"], "", "Big Tag", "a", "", "", ""]
    done = psreg(root, "new", "prompt", "x", "--guided", "-q", stdin="\n".join(said) + "\n")
    assert done.returncode == 0
    first, second = done.stderr.splitlines()
    assert first.startswith("  summary is not valid: ")
    assert second.startswith("  tags is not valid: ")


def test_a_refused_answer_is_kept_and_named(root):
    command = ("new", "prompt", "x", "--guided")
    stopped = psreg(root, *command, stdin="\nSay hello.\n\nToo short\n")
    assert stopped.returncode == 2
    assert "Too short" in (root / "psreg-new-x.json").read_text()
    done = psreg(root, *command, stdin="\n" * 9)
    assert done.returncode == 0
    assert "    your answer: Too short\n" in done.stderr
    assert "psreg: warning: not used: summary: Too short\n" in done.stderr
    assert not (root / "psreg-new-x.json").exists()


@contextmanager
def asked_in_a_terminal(root, name):
    """Yield `psreg new --guided` in a terminal, and our end of it."""
    main, side = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "psreg", "new", "prompt", name, "--guided"],
        cwd=root,
        env={**os.environ, "TERM": "dumb"},
        stdin=side,
        stdout=side,
        stderr=side,
        start_new_session=True,
    ) as process:
        os.close(side)
        yield process, main
    os.close(main)


def test_a_refused_answer_is_offered_for_editing(root):
    """Type ` indeed, it is long enough` behind a summary that was too short."""
    with asked_in_a_terminal(root, "x") as (process, main):
        shown = b""
        for until, typed in (
            (b"1/9", b"\n"),
            (b"2/9", b"Say hello.\n"),
            (b"3/9", b"\n"),
            (b"4/9", b"Too short\n"),
            (b"to skip the question:", b" indeed, it is long enough now.\n"),
            (b"5/9", b"\n"),
            (b"6/9", b"\n"),
            (b"7/9", b"\n"),
            (b"8/9", b"\n"),
            (b"9/9", b"\n"),
        ):
            while until not in shown:
                shown += os.read(main, 4096)
            os.write(main, typed)
        while process.poll() is None:
            with suppress(OSError):
                shown += os.read(main, 4096)
    release = (root / "pbes/prompt/x/0.1.0/release.toml").read_text()
    assert 'summary = "Too short indeed, it is long enough now."' in release


@pytest.mark.parametrize("name", ["notes.txt", "notes", "notes.md"])
def test_a_plain_text_becomes_a_prompt(root, name):
    (root / name).write_bytes(b"\xef\xbb\xbfSay hello.\r\n\r\nBe brief.\r\n")
    done = psreg(root, "new", "prompt", "x", "--from", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert psreg(root, "render", "pbes/prompt/x/0.1.0/x.prompt").stdout == "Say hello.\n\nBe brief."
    refused = psreg(root, "new", "stateless_executor", "y", "--from", name)
    assert refused.returncode == 2
    assert "Run `psreg new prompt y --from …`" in refused.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Greet {name}.", "these are variables now: name"),
        ("Say {{x}}.", "not sent as written"),
        ("Say it (% softly %).", "not sent as written"),
        ("Say:\n[CONTENT]\nhello", "not sent as written"),
    ],
)
def test_what_a_plain_text_says_differently_as_a_prompt_is_told(root, text, said):
    (root / "notes.txt").write_text(text)
    done = psreg(root, "new", "prompt", "x", "--from", "notes.txt")
    assert done.returncode == 0
    assert said in done.stderr


@pytest.mark.parametrize("data", [b"", b" \n", b"\xff"])
def test_what_is_no_text_becomes_no_prompt(root, data):
    (root / "notes.txt").write_bytes(data)
    done = psreg(root, "new", "prompt", "x", "--from", "notes.txt")
    assert done.returncode == 2
    assert "is not a text in UTF-8" in done.stderr


def test_a_second_bump_says_that_the_first_is_not_released(root):
    psreg(root, "new", "prompt", "x", "--from", str(EMAIL))
    assert psreg(root, "bump", "x", "patch").stderr == ""
    again = psreg(root, "bump", "x", "patch")
    assert again.returncode == 0
    assert "is not released yet; this starts" in again.stderr


@pytest.mark.parametrize("end", [b"\x04", b"Said at the end.\n" + b"\n" * 8])
def test_guided_in_a_terminal(root, end):
    """Drive a pseudo-terminal: Ctrl-D ends without a file, answers make an entry."""
    with asked_in_a_terminal(root, "by_hand") as (process, main):
        os.write(main, end)
        shown = b""
        try:
            while part := os.read(main, 4096):
                shown += part
        except OSError:  # Linux: the other end was closed
            pass
        code = process.wait(timeout=60)
    assert b"1/9 description" in shown
    assert b"Traceback" not in shown
    assert code == (2 if end == b"\x04" else 0)
    assert (root / "pbes/prompt/by_hand").exists() == (code == 0)


def test_the_maintainers_may_allow_a_similar_name(root):
    psreg(root, "new", "prompt", "code_review")
    refused = psreg(root, "new", "prompt", "codereview")
    assert refused.returncode == 2
    assert "NAME_REFUSED" in refused.stderr
    with (root / "registry/policy.toml").open("a") as policy:
        policy.write('[[waiver]]\ncode = "NAME001"\nnames = ["*"]\nreason = "both known"\n')
    assert psreg(root, "new", "prompt", "codereview").returncode == 0


def test_a_link_blocks_pull_is_not_followed(root, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (root / "pbes/prompt").symlink_to(tmp_path / "elsewhere")
    done = psreg(root, "new", "prompt", "x")
    assert done.returncode == 4
    assert "CANNOT_WRITE" in done.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_empty_folder_of_the_name_is_left_alone(root):
    (root / "pbes/prompt/x").mkdir(parents=True)
    done = psreg(root, "new", "prompt", "x")
    assert done.returncode == 2
    assert "EXISTS" in done.stderr
    assert list((root / "pbes/prompt/x").iterdir()) == []


def test_from_an_idea_to_two_releases(root, tmp_path):
    """New, fill in, check, publish, bump, say what changed, publish."""
    home = {"PSREG_HOME": str(tmp_path / "home")}
    (root / "a.json").write_text(json.dumps(ANSWERS["prompt"] | BESIDE))
    psreg(root, "new", "prompt", "trip_packer", "--answers", "a.json")
    assert psreg(root, "check").returncode == 0
    assert "released trip_packer 0.1.0" in psreg(root, "publish", **home).stdout

    done = psreg(root, "bump", "trip_packer", "minor")
    assert done.returncode == 0
    assert "release.toml:6: `changes` has 0 characters; the minimum is 1" in done.stdout
    assert "what changed for its users since 0.1.0" in done.stdout
    assert psreg(root, "check").returncode == 1
    assert psreg(root, "publish", **home).returncode == 1

    release = root / "pbes/prompt/trip_packer/0.2.0/release.toml"
    text = release.read_text()
    release.write_text(text.replace('changes = ""', 'changes = "Asks for the season, too."'))
    assert psreg(root, "check").returncode == 0
    assert "released trip_packer 0.2.0" in psreg(root, "publish", **home).stdout
    installed = psreg(
        root, "install", "trip_packer@^0.2", "--registry", str(root), "--to", "got", **home
    )
    assert installed.returncode == 0
    assert "@version 0.2.0" in (root / "got/trip_packer.prompt").read_text()
