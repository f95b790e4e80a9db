"""Advice leads somewhere: the commands, options, rules, keys, pages and files in any text exist."""

import ast
import json
import re
import shlex
import tomllib
from contextlib import redirect_stdout, suppress
from functools import cache
from importlib import import_module
from io import StringIO
from keyword import iskeyword

import pytest

from psreg.cli.commands import COMMANDS
from psreg.cli.main import Parser, UnusableError
from psreg.cli.rules import all_rules
from psreg.client.project.manifest import KEYS as MANIFEST_KEYS
from psreg.formats.waivers import waivable
from support.corpus_cases import cases
from support.paths import ROOT, SOURCE
from support.walks import sampled

SCHEMAS = SOURCE / "psreg/formats/schemas"
HISTORY = ROOT / "CHANGELOG.md"
"""It names what there was at the time."""

DOCUMENTS = [
    *(path for path in ROOT.glob("*.md") if path != HISTORY),
    *ROOT.glob(".github/**/*.md"),
    *ROOT.glob(".github/**/*.yml"),
    *ROOT.glob("site/docs/**/*.md"),
    *(path for path in SOURCE.rglob("templates/registry/**/*") if path.is_file()),
]
BLOCK = re.compile(r"^( *)```(\w+)[^\n]*\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(?<!`)`psreg ([^`@][^`]*)`")
LINE = re.compile(r"^\s*(?:\$ )?psreg (\S.*)$", re.MULTILINE)
STEP = re.compile(r'/psreg/bin/psreg" (?!@)(\S.*)$', re.MULTILINE)
END = re.compile(r" [|&;<>]|;|[)\"]$")
"""Where a shell's command ends."""

PLACEHOLDER = re.compile(r"[A-Z][A-Z0-9_]*|.*[…<{$|].*|PLACE.*")
ELSEWHERE = re.compile(r"`(?:git|uv|pip|python|sha256sum|echo|curl|make)\b|<\w+>|locus|assumptions")
"""Text in which an option is one of another program, or a modifier of VPP."""

OLD_CODES = {"PS080", "REG034"}


def texts_in(path):
    """Yield the texts in a module, with PLACE where a value is put in."""
    tree = ast.parse(path.read_text())
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    for each in joined:
        parts = each.values
        yield "".join(p.value if isinstance(p, ast.Constant) else "PLACE" for p in parts)
    within = {id(part) for each in joined for part in each.values}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in within:
            yield node.value


@cache
def texts():
    """Return every text in which psreg advises somebody, each with the path of its file."""
    found = [(path, text) for path in SOURCE.rglob("*.py") for text in texts_in(path)]
    found += [(path, path.read_text()) for path in DOCUMENTS]
    return [(path.relative_to(ROOT).as_posix(), text) for path, text in found]


def commands():
    """Yield path, command line and whether it is complete, for each that a text names."""
    for path, text in texts():
        for _, language, block in BLOCK.findall(text):
            if language in ("sh", "console", "bash"):
                lines = re.sub(r"\\\n\s*", " ", block)
                yield from ((path, line, True) for line in LINE.findall(lines))
        yield from ((path, line, False) for line in STEP.findall(re.sub(r"\\\n\s*", " ", text)))
        yield from ((path, line, False) for line in CODE.findall(BLOCK.sub("", text)))
    for _, name, _ in COMMANDS:
        yield from ((name, line, True) for line in LINE.findall(module_of(name).EXAMPLE))


def module_of(name):
    return import_module(f"psreg.cli.{name}{'_' if iskeyword(name) else ''}")


@cache
def parser_of(name):
    parser = Parser(prog=f"psreg {name}", allow_abbrev=False)
    module_of(name).configure(parser)
    return parser


def fault(line, *, complete):
    """Return what psreg objects to in a command line of a text; "" for nothing.

    A line in a sentence may leave out what a command requires, and any may have placeholders.
    """
    text = END.split(" ".join(line.split()))[0]
    if text.count("'") % 2:  # it ended a line of YAML
        text = text.rstrip("'")
    words = shlex.split(text, comments=True)
    words = [word.strip("[]") for word in words if word not in ("…", "...")]
    words = words[1:] if words[0] == "help" else words
    if words[0] in ("--help", "--version") or PLACEHOLDER.fullmatch(words[0]):
        return ""
    name, *rest = words
    if name not in {command for _, command, _ in COMMANDS}:
        return f"unknown command {name}"
    try:
        with suppress(SystemExit), redirect_stdout(StringIO()):  # --help
            parser_of(name).parse_args(rest)
    except UnusableError as error:
        message = str(error)
        left_out = re.search(r"required|expected one argument", message)
        chosen = re.search(r"invalid choice: '([^']*)'", message)
        if (left_out and not complete) or (chosen and PLACEHOLDER.fullmatch(chosen[1])):
            return ""
        return message
    return ""


def test_every_command_is_understood():
    found = set(commands())
    faults = {
        (path, line): why
        for path, line, complete in found
        if (why := fault(line, complete=complete))
    }
    assert faults == {}
    assert len(found) > 200


@pytest.mark.parametrize(
    "line",
    ["chekc", "check --fx", "registry ad", "review --format html", "check --fix --diff=1"],
)
def test_a_command_that_does_not_exist_is_found(line):
    assert fault(line, complete=False)


def options():
    """Yield the options of all commands, those of actions among them."""
    parsers = [parser_of(name) for _, name, _ in COMMANDS]
    while parsers:
        for action in parsers.pop()._actions:
            yield from action.option_strings
            if isinstance(action.choices, dict):
                parsers += action.choices.values()


def test_every_option_is_one_of_psreg():
    known = {*options(), "--version"}
    named = {
        (path, option)
        for path, text in texts()
        if not path.endswith(".yml") and "/vpp/" not in path
        for paragraph in BLOCK.sub("", text).split("\n\n")
        if not ELSEWHERE.search(paragraph)
        for option in re.findall(r"`(--[a-z][a-z0-9-]+)", paragraph)
    }
    assert {(path, option) for path, option in named if option not in known} == {
        ("site/docs/guide/lint.md", "--verbose"),  # of the benchmark
        ("tools/psreg/lint/content/threat_rules.py", "--index-url"),  # of pip
    }


def test_every_rule_exists():
    codes = all_rules().codes | OLD_CODES
    families = "|".join(sorted({code.rstrip("0123456789") for code in codes}))
    code = re.compile(rf"(?<![\w/-])(?:{families})\d{{3}}(?![\w-])")
    found = {(path, one) for path, text in texts() for one in code.findall(text)}
    assert {(path, one) for path, one in found if one not in codes} == set()
    assert len(found) > 500


def properties(name, *keys):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    for key in keys:
        schema = schema["properties"][key]
    return set(schema["properties"])


SETTINGS = {"registry", "require_claimed", "locked", "registries", "policy"}
OTHER_TOML = ({"platform"}, {"rule"}, SETTINGS, {*MANIFEST_KEYS}, {"fields", "names", "skip"})
"""The keys of platforms.toml, of an editor's settings, config.toml, psreg.toml and `--map`."""


def test_every_example_of_a_settings_file_has_its_keys():
    files = [properties(name) for name in ("release", "entry", "policy", "golden")]
    row = {"result", "notes"}  # the end of a row of [[tested]]
    for path, text in texts():
        for indent, language, block in BLOCK.findall(text):
            if language == "toml":
                keys = set(tomllib.loads(re.sub(f"^{indent}", "", block, flags=re.MULTILINE)))
                assert any(keys <= known for known in (*files, *OTHER_TOML, row)), (path, keys)


def test_every_setting_is_in_its_table():
    found = [
        (key, table)
        for _, text in texts()
        for key, table in re.findall(r"`(\w+)(?: = [^`]*)?` (?:under|in) `\[(\w+)\]`", text)
    ]
    assert len(found) >= 3
    assert [one for one in found if one[0] not in properties("policy", one[1])] == []


def test_every_guide_is_a_page():
    titles = {
        line.lstrip("# ").strip()
        for path in ROOT.glob("site/docs/**/*.md")
        for line in path.read_text().splitlines()
        if line.startswith("#")
    }
    named = {g for _, text in texts() for g in re.findall(r"guide [“\"]([^”\"]+)[”\"]", text)}
    assert named
    assert named <= titles


EXPORTED = (".github/prompts", ".github/instructions")
"""Folders of a project to which prompts are exported."""


def test_every_file_of_this_repository_exists():
    place = re.compile(r"(?<![\w/.$<{-])((?:site|tools|tests|\.github|\.ci)/[\w./*-]+\w)")
    missing = {
        (path, named)
        for path, text in texts()
        if not path.endswith(".gitlab-ci.yml")  # its $tools is a folder of its own
        for named in place.findall(text)
        if not named.startswith(EXPORTED)
        and not list(ROOT.glob(named))
        and not list(ROOT.glob(f"{named}.*"))
    }
    assert missing == set()


BAD = [case for case in cases() if case.bad]


def test_the_hints_of_findings():
    """Hints are complete only with what they are about: commands, and whether to waive."""
    for case in sampled(BAD, 80, kinds=lambda case: [case.code.rstrip("0123456789")]):
        for found in case.judge():
            for line in CODE.findall(found.hint):
                assert fault(line, complete=False) == "", found.hint
            for named in re.findall(r"waive ([A-Z]+\d{3})", found.hint):
                by_policy = "maintainers" in found.hint or found.code == "REG020"
                assert by_policy or (named == found.code and waivable(named)), found.hint


def test_the_recipe_for_a_bot_finds_each_prompt_of_the_project_file():
    """Renovate's expressions are those of JavaScript, which writes named groups without P."""
    text = (ROOT / "site/docs/guide/projects.md").read_text()
    blocks = [(kind, block) for _, kind, block in BLOCK.findall(text)]
    (manifest,) = (block for _, block in blocks if "[prompts]\n" in block)
    (recipe,) = (json.loads(block) for kind, block in blocks if kind == "json")
    (pattern,) = recipe["customManagers"][0]["matchStrings"]
    found = re.findall(pattern.replace("(?<", "(?P<"), manifest)
    wanted = {
        name: value if isinstance(value, str) else value["version"]
        for name, value in tomllib.loads(manifest)["prompts"].items()
    }
    assert dict(found) == wanted == {"quiz_master": "^1.2", "glossary": "~2.0.1"}
