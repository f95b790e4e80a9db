"""search, info and registry: the real command line."""

from __future__ import annotations

import re

import pytest

from psreg.core.terminal import width
from psreg.formats.protocol_versions import ProtocolConformance
from simulator import METADATA, Simulator
from support.clients import Client
from support.loopback import serving
from support.terminals import shown_on_a_terminal

SPOKEN = (
    ProtocolConformance(
        name="vpp", version="1.4", judged_by="1.4", answers=4, sound=3, platforms=("claude",)
    ),
    ProtocolConformance(name="pb2s", version="0.2"),
    ProtocolConformance(name="plsp", version="0.5", judged_by="0.5", answers=1, sound=1),
)


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path)


@pytest.fixture
def registry():
    made = Simulator().release("quiz_master", "1.0.0", yanked="broken")
    tested = [{"platform": "claude", "result": "pass", "date": "2026-11-01"}]
    part = {"id": "documentation", "points": 15, "of": 20, "missing": ["limitations"]}
    made.release(
        "quiz_master",
        "1.1.0",
        b"1.1",
        release={"tested": tested, "requires": {"glossary": "*"}},
        score={"formula": 1, "total": 15, "parts": [part]},
        protocols=[spoken.to_json() for spoken in SPOKEN],
    )
    made.release("diary", entry_class="prompt", data=b"dear", release={"tags": ["calm"]})
    made.records["diary"]["deprecated"] = {"reason": "old"}
    return made.publish()


@pytest.fixture
def folder(registry, tmp_path):
    return registry.store(tmp_path / "registry")


def test_searching(client, folder):
    assert client.run("search", "--registry", folder).out.split()[0] == "diary"
    done = client.run("search", "QUIZ", "--registry", folder, "--format", "json").json
    assert (done["schema"], done["count"]) == ("psreg.search/1", 1)
    assert done["results"][0]["name"] == "quiz_master"
    assert "(deprecated)" in client.run("search", "calm", "--registry", folder).out
    together = client.run("search", "calm diary", "--registry", folder)
    assert together.out.startswith("diary")
    assert together.out == client.run("search", "calm", "diary", "--registry", folder).out
    nothing = client.run("search", "zzz", "--registry", folder)
    assert (nothing.code, nothing.out) == (0, "")
    assert nothing.err == "no prompt matches `zzz`; `psreg search` alone lists all prompts\n"
    two = client.run("search", "zzz", "yyy", "--registry", folder)
    assert two.err == "no prompt matches any of these words; try other words\n"


def test_matches_of_some_words_come_last_and_say_so(client, folder):
    def run(*words):
        return client.run("search", *words, "--registry", folder)

    client.run("search", "--registry", folder)
    done = run("quiz", "calm")
    assert [line.split()[0] for line in done.out.splitlines()] == ["quiz_master", "diary"]
    assert done.err == "no prompt matches all these words; these match some:\n"
    done = run("quiz", "summary")
    assert [line.split()[0] for line in done.out.splitlines()] == ["quiz_master", "diary"]
    assert done.err == "matching some of the words:\n"
    results = run("quiz", "summary", "--format", "json").json["results"]
    assert [(row["name"], row["partial"]) for row in results] == [
        ("quiz_master", False),
        ("diary", True),
    ]


def test_a_quoted_phrase_is_one_argument_with_quotation_marks(client, folder):
    def names(*words):
        done = client.run("search", *words, "--registry", folder, "--format", "json")
        return [row["name"] for row in done.json["results"]]

    assert names("summary of") == names("summary", "of") == ["quiz_master", "diary"]
    assert names('"of quiz_master"') == ["quiz_master"]
    assert names('"summary quiz"') == []


def test_a_search_without_results_suggests_what_is_spelled_alike(client, folder):
    assert client.run("search", "quiz_mastre", "--registry", folder).out.startswith("quiz_master")
    done = client.run("search", "mstr", "--registry", folder)
    assert (done.code, done.out) == (0, "")
    assert "did you mean `master`" in done.err
    document = client.run("search", "mstr", "--registry", folder, "--format", "json").json
    assert (document["count"], document["suggestions"][0]) == (0, "master")
    assert "no prompt matches `xyzzy`" in client.run("search", "xyzzy", "--registry", folder).err


@pytest.mark.parametrize(
    ("argv", "what"),
    [
        (("review", "--head", ""), "`--head`"),
        (("review", "--head="), "`--head`"),
        (("review", "--head", "HEAD", "--base", "", "."), "`--base`"),
        (("review", ""), "an argument"),
        (("submit", "--base", ""), "`--base`"),
        (("search", "calm", "--registry", ""), "`--registry`"),
        (("install", "diary", "--to", "", "--registry", "."), "`--to`"),
        (("check", ""), "an argument"),
        (("check", "--", ""), "an argument"),
    ],
)
def test_an_empty_argument_is_not_one_that_was_left_out(client, argv, what):
    """A variable of a script was empty: no other commit, registry or folder is meant."""
    done = client.run(*argv)
    assert (done.code, done.out) == (2, "")
    assert f"{what} is empty" in done.err
    assert client.refused(*argv) == (2, "USAGE")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("instal", "install"),
        ("serach", "search"),
        ("Show", "show"),
        ("rm", "uninstall"),
        ("ls", "list"),
        ("version", "--version"),
        ("-v", "--version"),
        ("build", "site build"),
    ],
)
def test_a_misspelled_command_is_corrected(client, typed, meant):
    done = client.run(typed, "--format", "json")
    assert done.refusal == (2, "USAGE")
    assert f"Did you mean `psreg {meant}`?" in done.json["error"]["hint"]


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (("list", "--formt", "json"), "Did you mean `--format`? Run `psreg list --help`."),
        (("check", "--strikt"), "Did you mean `--strict`? Run `psreg check --help`."),
        (("list", "--zzz"), "Run `psreg list --help`."),
        (("list", "--jsn"), "Did you mean `--format json`? Run `psreg list --help`."),
        (("list", "--quite"), "Did you mean `--quiet`? Run `psreg list --help`."),
        (("list", "-j"), "Did you mean `--format json`? Run `psreg list --help`."),
        (("list", "--format", "jsn"), "Did you mean `json`? Run `psreg list --help`."),
        (("render", "x", "--var", "a=b"), "Did you mean `--set`? Run `psreg render --help`."),
        (("registry", "--naem", "x"), "Did you mean `--name`? Run `psreg registry --help`."),
        (("keys", "create", "a", "--att"), "Did you mean `--at`? Run `psreg keys create --help`."),
        (("keys", "creat"), "Did you mean `create`? Run `psreg keys --help`."),
        (("info", "quiz", "1.0.0"), "Write `quiz@1.0.0`. Run `psreg info --help`."),
        (("--quiet", "list"), "Options follow the command: `psreg list --quiet`."),
        (
            ("--registry", "a b", "info", "quiz"),
            "Options follow the command: `psreg info --registry 'a b' quiz`.",
        ),
        (("info",), "Run `psreg info --help`."),
        (("--verison",), "Did you mean `psreg --version`? Run `psreg --help`."),
        (("help", "serch"), "Did you mean `psreg search`? Run `psreg --help`."),
    ],
)
def test_a_misspelt_option_is_suggested(client, command, hint):
    done = client.run(*command)
    assert done.code == 2
    assert f"  hint: {hint}\n" in done.err


def test_options_may_be_anywhere(client, folder):
    where = ("--registry", folder)
    both = client.run("search", "calm", "diary", *where)
    assert both.out.startswith("diary")
    assert client.run("search", "calm", *where, "diary").out == both.out
    assert client.run("search", *where, "calm", "-q", "diary").out == both.out
    assert client.run("search", *where, "-q", "--", "-x").out == ""
    assert client.run("registry", "add", "--name", "here", folder).code == 0
    assert client.run("registry", "remove", "-q", "here").code == 0
    refused = client.run("registry", "add", "--root-sha256", "aa", "http://127.0.0.1:9/")
    assert "--root-sha256 must be 64 hexadecimal digits" in refused.err
    assert client.run("install", "diary", *where, "xyzzy").code == 4
    gone = client.run("uninstall", "diary", "-q", "quiz_master")
    assert "not installed: diary, quiz_master" in gone.err
    assert client.run("info", "a", "-q", "b").err.startswith(
        "psreg: error[USAGE]: unexpected argument `b`\n"
    )


def test_searching_with_filters(client, folder):
    def names(*options):
        done = client.run("search", *options, "--registry", folder, "--format", "json").json
        return [row["name"] for row in done["results"]], done["filters"]

    assert names("--class", "prompt", "--tag", "calm") == (
        ["diary"],
        {"class": ["prompt"], "tag": ["calm"]},
    )
    assert names("quiz", "--license", "mit")[0] == ["quiz_master"]
    assert names("quiz", "--tag", "calm")[0] == []
    for options, said in (
        (("--tag", "clam"), "no prompt has the tag `clam`; did you mean `calm`?"),
        (("--platform", "xyzzy"), "no prompt has the platform `xyzzy`"),
        (("quiz", "--tag", "calm"), "no prompt matches all of this; try other words"),
    ):
        done = client.run("search", *options, "--registry", folder)
        assert (done.code, done.out, done.err.splitlines()[-1]) == (0, "", said)


@pytest.mark.parametrize("columns", [40, 60, 80, 100])
def test_tables_fit_the_terminal(client, folder, columns):
    """A path and a digest are not divided, so that they can be copied."""
    assert client.run("install", "diary", "--registry", folder).code == 0
    assert client.run("registry", "add", folder, "--name", "a-long-name-of-a-registry").code == 0
    whole = re.compile(r" *(\S*/\S+|\S{64})")
    for command in (
        ("search",),
        ("info", "quiz_master"),
        ("list",),
        ("registry", "list"),
        ("explain", "--errors"),
        ("explain", "PBE"),
        ("explain", "USAGE"),
    ):
        env = {"PSREG_HOME": str(client.home), "COLUMNS": str(columns)}
        shown = shown_on_a_terminal(*command, cwd=client.place, **env).decode()
        piped = client.run(*command).out
        assert shown.split() == piped.split(), command
        long = [line for line in shown.splitlines() if width(line) > columns]
        assert [line for line in long if not whole.fullmatch(line)] == [], command


@pytest.mark.parametrize(
    ("env", "colored"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
    ],
)
def test_colors_are_asked_for_and_forbidden(client, env, colored):
    (client.place / "a.prompt").write_text("[METADATA]\n[CONTENT]\nHello\n")
    clear = {"NO_COLOR": "", "FORCE_COLOR": "", **env}
    assert ("\x1b[" in client.run("check", "a.prompt", **clear).out) == colored
    failed = client.run("info", "xyzzy", "--registry", "nowhere", **clear)
    assert failed.err.startswith("\x1b[1;31mpsreg: error[" if colored else "psreg: error[")
    machine = client.run("check", "a.prompt", "--format", "json", **clear).out
    assert "\x1b" not in machine


def test_help_is_also_a_command(client):
    shown = client.run("search", "--help").out
    assert client.run("help", "search").out == client.run("--help", "search").out == shown
    inner = client.run("help", "keys", "create").out
    assert inner.startswith("usage: psreg keys create")
    assert "Did you mean" not in client.run("xyzzy", "--format", "json").out


def test_information_about_one_name(client, folder):
    text = client.run("info", "quiz_master", "--registry", folder).out
    for part in (
        "version     1.1.0, released 2026-11-21",
        "licence     MIT",
        "tested      claude: pass (2026-11-01)",
        "score       15 of 100: documentation 15/20",
        "protocol    vpp 1.4: 3 of 4 answers without error, on claude",
        "protocol    pb2s 0.2: declared, not shown",
        "protocol    plsp 0.5: 1 of 1 answers without error, on a platform that is not stated",
        "yanked: broken",
    ):
        assert part in text
    assert "score" not in client.run("info", "quiz_master@1.0.0", "--registry", folder).out
    assert "deprecated  old" in client.run("info", "diary", "--registry", folder).out


def test_information_says_what_speaks_against_a_prompt(client, tmp_path):
    made = Simulator().release(
        "quiz_master",
        release={"limitations": ["No saves.", 5, "English only."], "use_case": "To learn."},
        waived=[
            {"code": "PS010", "reason": "It quotes an attack.", "by": "release"},
            {"code": "REG011", "reason": "Not run yet.", "by": "policy"},
        ],
    )
    stub = {"platform": "stub", "result": "pass", "date": "2026-11-01"}
    made.release("stubbed", release={"tested": [stub]})
    made.release("tested", release={"tested": [{**stub, "platform": "claude"}]})
    run = {
        **stub, "platform": "claude", "model": "m", "evidence": "evidence/x.jsonl", "notes": "",
        "standing": "it has no answer", "counts": False, "added": None,
    }  # fmt: skip
    made.release("claimed", runs=[run])
    made.release("proven", runs=[{**run, "counts": True}])
    folder = made.publish().store(tmp_path / "registry")

    def lines(name):
        return client.run("info", name, "--registry", folder).out.splitlines()

    said = lines("quiz_master")
    for line in (
        "  use case    To learn.",
        "  limitation  No saves.",
        "  limitation  English only.",
        "  tested      not yet tested on any platform",
        "  waived      PS010 by the author: It quotes an attack.",
        "  waived      REG011 by the registry: Not run yet.",
    ):
        assert line in said
    untested = "  tested      not yet tested on any platform"
    found = {name: untested in lines(name) for name in ("stubbed", "tested", "claimed", "proven")}
    assert found == {"stubbed": True, "tested": False, "claimed": True, "proven": False}


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        (
            {"address": "https://example.org/a\nb", "license": "MIT"},
            ["  origin      https://example.org/a b; licence MIT (as its author states)"],
        ),
        ("https://example.org/prompts", []),
    ],
)
def test_information_says_where_a_prompt_is_from(client, tmp_path, origin, said):
    made = Simulator().release("quiz_master", release={"origin": origin})
    folder = made.publish().store(tmp_path / "registry")
    lines = client.run("info", "quiz_master", "--registry", folder).out.splitlines()
    assert [line for line in lines if line.startswith("  origin")] == said


def test_information_for_machines_is_the_record(client, folder):
    done = client.run("info", "quiz_master@1.0.0", "--registry", folder, "--format", "json").json
    assert done["selected"] == "1.0.0"
    assert done["record"]["schema"] == "psreg.package/1"
    assert len(done["record"]["releases"]) == 2


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("quizmaster", (4, "UNKNOWN_NAME")),
        ("quiz_master@^7", (4, "NO_MATCHING_VERSION")),
        ("Quiz!", (2, "BAD_NAME")),
    ],
)
def test_information_about_what_is_not_there(client, folder, name, refusal):
    assert client.refused("info", name, "--registry", folder) == refusal


def test_registries_are_added_listed_and_removed(client, registry, folder):
    with serving(registry.files) as server:
        pin = ("--root-sha256", registry.pin.upper())
        added = client.run("registry", "add", server.url + "/", *pin, "--name", "main")
        assert added.code == 0, added.err
        assert f"added main: {server.url}\n" in added.out
        second = client.run("registry", "add", folder, "--format", "json").json["added"]
        assert (second["name"], second["default"], second["mode"]) == (
            "registry",
            False,
            "production",
        )
        rows = client.run("registry", "list", "--format", "json").json["registries"]
        assert [(row["name"], row["default"]) for row in rows] == [
            ("main", True),
            ("registry", False),
        ]
        assert client.run("registry", "list").out.split()[:3] == ["*", "main", server.url]
        assert client.run("install", "diary").code == 0
        assert client.run("search", "--registry", "registry").code == 0
    assert client.run("registry", "remove", "main").out == "removed main\n"
    assert client.refused("registry", "remove", "main") == (4, "UNKNOWN_REGISTRY")
    assert list(client.state.iterdir())
    done = client.run("registry", "remove", "registry", "--forget", "--format", "json").json
    assert done["forgotten"] is True
    assert list(client.state.iterdir()) == []
    assert "your settings have no registry" in client.run("registry", "list").err


def test_a_registry_can_be_forgotten_by_its_id(client, folder):
    assert client.run("search", "--registry", folder).code == 0
    assert client.run("registry", "remove", "0123456789abcdef" * 2, "--forget").code == 0
    assert list(client.state.iterdir()) == []


@pytest.mark.parametrize(
    "argv",
    [
        ["add"],
        ["remove"],
        ["list", "x"],
        ["forget", "x"],
        ["add", "ftp://x"],
        ["add", "https://registry.invalid", "--root-sha256", "abc"],
        ["add", "https://registry.invalid", "--name", "a/b"],
    ],
)
def test_wrong_usage(client, argv):
    assert client.refused("registry", *argv) == (2, "USAGE")


def test_adding_what_is_no_registry(client, tmp_path):
    assert client.refused("registry", "add", tmp_path) == (4, "NOT_A_REGISTRY")
    assert client.refused("registry", "add", "http://example.org") == (3, "TRUST_INSECURE")
    assert client.refused("registry", "add", "https://registry.invalid") == (4, "NETWORK")


def test_a_host_is_one_behind_https(client, tmp_path):
    for typed in ("127.0.0.1:9", "127.0.0.1:9/prompts"):
        done = client.run("registry", "add", typed)
        assert (done.code, f"https://{typed}" in done.err) == (4, True)
    (tmp_path / "a.folder").mkdir()
    done = client.run("registry", "add", "a.folder", cwd=tmp_path)
    assert (done.code, f"{tmp_path}/a.folder is not a registry" in done.err) == (4, True)


def test_an_administrator_can_forbid_adding(client, folder):
    system = client.home / "system" / "config.toml"
    system.parent.mkdir(parents=True)
    system.write_text('locked = ["registries"]\n')
    assert client.refused("registry", "add", folder) == (3, "POLICY_LOCKED")


def test_warnings_about_settings_are_said(client, folder):
    (client.place / ".psreg.toml").write_text("colour = 1\n")
    assert "unknown key `colour`" in client.run("search", "--registry", folder).err


def test_without_a_registry_it_says_how_to_add_one(client):
    done = client.run("search", "--format", "json")
    assert done.refusal == (4, "NO_REGISTRY")
    assert "psreg registry add" in done.json["error"]["hint"]


def test_without_a_pin_and_a_terminal_the_command_is_printed(client, registry):
    with serving(registry.files) as server:
        done = client.run("registry", "add", server.url, "--format", "json", typed="yes\n")
        assert done.refusal == (3, "TRUST_UNPINNED")
        command = f"psreg registry add {server.url} --root-sha256 {registry.pin}"
        assert done.json["error"]["hint"].endswith(command)
        assert server.asked == [f"{METADATA}1.root.json"]


@pytest.mark.parametrize(("typed", "code"), [("yes", 0), ("y", 3), ("", 3)])
def test_on_a_terminal_a_typed_yes_trusts(client, registry, typed, code):
    with serving(registry.files) as server:
        done = client.asked("registry", "add", server.url, question="Type yes", typed=typed)
        assert registry.pin in done.err
        assert done.code == code
    assert bool(client.run("registry", "list").out) == (code == 0)
