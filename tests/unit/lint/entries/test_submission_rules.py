"""The rules about trees, entries and releases: what they say and when they are silent.

That each rule catches what it must, at the right place, is told by tests/corpus.
"""

from pathlib import PurePosixPath

import pytest

from psreg.cli.rules import all_rules
from psreg.core.diagnostics import ERROR, WARNING, Report
from psreg.formats.layout import name_like, version_like
from psreg.formats.platforms import PLATFORMS
from psreg.lint.registry_walk import check_tree
from support.registry_trees import PROMPT, README, RELEASE, entry, tree, version
from support.walks import sampled

RULES = all_rules()

FOLDER = "pbes/prompt/hello/1.0.0"
PBE = '{"pbe_name": "%s", "pbe_version": "%s", "pbe_class": "%s"}'


def judge(files, code=None):
    found = Report.of(0, check_tree(files, all_rules())).diagnostics
    return [d for d in found if d.waived is None and (code is None or d.code == code)]


def hints(files, code):
    return [d.hint for d in judge(files, code)]


def test_a_sound_registry_is_clean():
    assert judge(tree(entry("hello", "1.0.0", "1.1.0"), entry("other"))) == []


def test_a_control_character_in_a_label_is_an_error():
    forged = RELEASE.replace('tags = ["', 'tags = ["a\\npsreg: error", "')
    assert forged != RELEASE
    (found,) = judge(tree(entry(), version(release=forged)), "REG022")
    assert (found.pointer, found.severity) == ("/tags/0", ERROR)
    odd = RELEASE.replace('tags = ["', 'tags = ["A b", "')
    (found,) = judge(tree(entry(), version(release=odd)), "REG022")
    assert found.severity == WARNING


def test_a_control_character_in_a_login_is_an_error():
    toml = 'owners = [{forge = "github", id = 1, login = "ana\\rpsreg"}]\n'
    (found,) = judge(tree(entry(toml=toml), version()), "REG016")
    assert (found.pointer, found.severity) == ("/owners/0/login", ERROR)


def test_waived_findings_are_shown_with_their_reason():
    found = Report.of(0, check_tree(tree(entry()), all_rules())).diagnostics
    assert [(d.code, d.waived) for d in found] == [("REG011", "Nothing here is ever run.")]


@pytest.mark.parametrize(
    ("path", "text", "target"),
    [
        (
            "pbes/Email-Reply.prompt",
            PROMPT.replace("0.0.1\n", "0.0.1\n@version 1.2.0\n"),
            "pbes/prompt/email_reply/1.2.0/email_reply.prompt",
        ),
        (
            "pbes/stateless_executor/x.pbe.txt",
            PBE % ("quiz", "2.0.0", "interactive_engine"),
            "pbes/interactive_engine/quiz/2.0.0/quiz.pbe.txt",
        ),
        (
            "pbes/stateless_executor/x.pbe.txt",
            PBE % ("Quiz", "1.0", "nothing"),
            "pbes/stateless_executor/x/1.0.0/x.pbe.txt",
        ),
        ("pbes/42.pbe.txt", "{}", "pbes/<class>/<name>/0.1.0/<name>.pbe.txt"),
        ("pbes/prompt/hello/hello.prompt", PROMPT, "pbes/prompt/hello/1.0.1/hello.prompt"),
        ("pbes/prompt/hello/release.toml", RELEASE, f"{FOLDER}/release.toml"),
        ("pbes/prompt/notes.txt", "", "pbes/<class>/<name>/<version>/"),
    ],
)
def test_a_stray_file_is_told_where_it_belongs(path, text, target):
    (diagnostic,) = judge(tree(entry(), {path: text}), "REG001")
    assert diagnostic.path == path
    assert target in diagnostic.hint


ENGINE = PBE % ("quiz", "1.2.0", "interactive_engine")


@pytest.mark.parametrize(
    ("path", "text", "code", "target"),
    [
        (
            "pbes/prompt/quiz/1.2.0/quiz.pbe.txt",
            ENGINE,
            "REG001",
            "Move it to pbes/interactive_engine/quiz/1.2.0/quiz.pbe.txt.",
        ),
        (
            "pbes/interactive_engine/hi/1.0.0/hi.prompt",
            PROMPT,
            "REG001",
            "Move it to pbes/prompt/hi/1.0.0/hi.prompt.",
        ),
        (
            "pbes/stateless_executor/quiz/1.2.0/quiz.pbe.txt",
            ENGINE,
            "REG004",
            "Move the folder to pbes/interactive_engine/quiz/1.2.0",
        ),
        (
            "pbes/quiz/1.2.0/quiz.pbe.txt",
            ENGINE,
            "REG002",
            "Move it to pbes/interactive_engine/quiz/1.2.0/quiz.pbe.txt.",
        ),
        (
            "pbes/games/quiz/1.2.0/quiz.pbe.txt",
            ENGINE,
            "REG002",
            "Move it to pbes/interactive_engine/quiz/1.2.0/quiz.pbe.txt.",
        ),
    ],
)
def test_an_artifact_in_a_wrong_folder_is_told_the_right_one(path, text, code, target):
    place = PurePosixPath(path)
    files = {path: text, f"{place.parent}/README.md": README}
    hints = [
        d.hint
        for d in judge(tree(entry(), files), code)
        if place.parent in PurePosixPath(d.path).parents
    ]
    assert any(target in hint for hint in hints)


def test_a_loose_artifact_has_one_finding_with_the_command_that_makes_its_entry(tmp_path):
    path = "pbes/prompt/My notes.prompt"
    (diagnostic,) = judge(tree(entry(), {path: PROMPT}))[:1]
    assert diagnostic.code == "REG001"
    assert [d.code for d in judge(tree(entry(), {path: PROMPT})) if d.path == path] == ["REG001"]
    assert "Move it to pbes/prompt/my_notes/0.1.0/my_notes.prompt." in diagnostic.hint
    assert f"psreg new prompt my_notes --from '{path}'" in diagnostic.hint


def test_of_an_entry_that_exists_no_second_one_is_offered():
    (diagnostic,) = judge(tree(entry(), {"pbes/prompt/hello.prompt": PROMPT}), "REG001")
    assert "psreg new" not in diagnostic.hint


@pytest.mark.parametrize(
    ("text", "name"),
    [("Email-Reply", "email_reply"), ("emailReply2", "email_reply2"), ("42", ""), ("é", "")],
)
def test_names_are_suggested(text, name):
    assert name_like(text) == name


@pytest.mark.parametrize(
    ("text", "number"),
    [("v1", "1.0.0"), ("1.2", "1.2.0"), ("01.2.3.4", "1.2.3"), ("latest", "1.0.0")],
)
def test_versions_are_suggested(text, number):
    assert version_like(text) == number


def test_a_folder_without_a_letter_in_its_name_gets_no_suggestion():
    files = tree({"pbes/prompt/42/1.0.0/a.md": ""})
    (diagnostic,) = judge(files, "REG002")
    assert diagnostic.hint == ""


def test_an_unreadable_toml_file_has_syntax_findings_only():
    files = tree(entry(toml="owners = ["), version(release="summary =\n"), policy="[[waiver]")
    codes = [(d.path, d.code) for d in judge(files)]
    assert codes == [
        (f"{FOLDER}/release.toml", "TOML002"),
        ("pbes/prompt/hello/entry.toml", "TOML002"),
        ("registry/policy.toml", "TOML002"),
    ]


def test_names_and_versions_that_are_none_are_left_to_the_format_rules():
    pbe = {"pbes/stateless_executor/hello/1.0.0/hello.pbe.txt": PBE % ("Hello", "1.0", "other")}
    assert judge(tree(pbe), "REG004") == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("The MIT License", "Did you mean `MIT`?"),
        ("mit or isc", "Did you mean `MIT OR ISC`?"),
        ("Apache 2.0", "Did you mean `Apache-2.0`?"),
        ("GPL-3.0", "Did you mean `GPL-3.0-only`?"),
        ("all rights reserved", "Use an open licence such as `MIT`; a private registry can allow"),
    ],
)
def test_licences_are_suggested(written, meant):
    release = RELEASE.replace('"MIT"', f'"{written}"')
    (hint,) = hints(tree(entry(), version(release=release)), "REG010")
    assert hint.startswith(meant)


def test_a_blank_licence_is_a_blank_text():
    assert judge(tree(version(release=RELEASE.replace('"MIT"', '" "'))), "REG010") == []


def test_a_requirement_of_a_name_without_versions():
    release = RELEASE + '[requires]\nempty = "*"\n'
    files = tree(entry(), version(release=release), {"pbes/prompt/empty/entry.toml": "owners = []"})
    (diagnostic,) = judge(files, "REG014")
    assert diagnostic.message == "no version satisfies `*`; it has no versions"


def test_a_version_that_is_yanked_must_exist():
    files = tree({"pbes/prompt/hello/entry.toml": 'owners = []\n[yanked]\n"1.0.0" = "bad"\n'})
    assert hints(files, "REG019") == ["Versions: none."]


def test_a_replacement_nobody_can_guess():
    toml = 'owners = []\n[deprecated]\nreason = "old"\nreplacement = "zzz"\n'
    assert hints(tree(entry(toml=toml)), "REG019") == [""]


def test_a_platform_nobody_can_guess_is_answered_with_all():
    row = (
        '[[tested]]\nplatform = "zzz"\nmodel = "m"\ndate = 2026-11-01\nsha256 = "00"\n'
        'result = "pass"\nevidence = "evidence/qqq"\n'
    )
    files = tree(version(release=RELEASE + row))
    assert all(platform in hints(files, "REG021")[0] for platform in PLATFORMS)
    assert "relative to the version folder" in hints(files, "REG018")[0]


def test_a_waiver_for_a_code_nobody_can_guess():
    files = tree(version(release=RELEASE + '[waivers]\n"???" = "x"\nREG01 = "x"\n'))
    assert hints(files, "REG015") == [
        "See `psreg explain --all` for the codes.",
        "Did you mean REG021?",
    ] or all(hints(files, "REG015"))


def test_a_policy_with_an_odd_waiver_of_odd_names():
    policy = '[[waiver]]\ncode = "REG011"\nnames = "hello"\nreason = "x"\n'
    codes = {(d.code, d.pointer) for d in judge(tree(entry(), policy=policy))}
    assert ("REG020", "/waiver/0/names") in codes
    policy = '[[waiver]]\ncode = "REG011"\nnames = [1, "zzz"]\nreason = "x"\n'
    assert hints(tree(entry(), policy=policy), "REG020") == ["", ""]


@pytest.mark.parametrize(
    ("text", "minimum"),
    [("0", None), ("1", 1), ("3", 3), ("true", 2), ("-1", 2), ("11", 2), ('"1"', 2)],
)
def test_the_policy_says_on_how_many_platforms_a_release_runs(text, minimum):
    found = judge(tree(entry(), policy=f"[review]\nplatforms = {text}\n"), "REG011")
    said = [f"run on 0 platform(s); the minimum is {minimum}"] if minimum else []
    assert [d.message for d in found] == said


@pytest.mark.parametrize(
    ("name", "policy", "refused"),
    [
        ("LicenseRef-Example.1", "proprietary = true", False),
        ("LicenseRef-Example.1", "proprietary = false", True),
        ("LicenseRef-Example.1", 'allow = ["LicenseRef-Example.1"]', False),
        ("LicenseRef-", "proprietary = true", True),
        ("Proprietary", "proprietary = true", True),
    ],
)
def test_the_policy_says_whether_terms_of_its_own_are_accepted(name, policy, refused):
    files = version(release=RELEASE.replace('"MIT"', f'"{name}"'))
    found = judge(tree(entry(), files, policy=f"[licenses]\n{policy}\n"), "REG010")
    assert bool(found) is refused


@pytest.mark.parametrize(
    ("tag", "valid"),
    [("en", True), ("pt-BR", True), ("zh-Hant-TW", True), ("gsw", True), ("English", False)],
)
def test_a_language_is_a_tag_and_not_its_name(tag, valid):
    files = version(release=RELEASE.replace('["en"]', f'["{tag}"]'))
    found = [d.pointer for d in judge(tree(entry(), files), "REG022")]
    assert found == ([] if valid else ["/languages/0"])


def test_a_blank_tag_is_a_blank_text_only():
    files = tree(version(release=RELEASE.replace('["greeting"]', '["greeting", " "]')))
    assert [d.code for d in judge(files) if d.pointer.startswith("/tags")] == ["REG008"]


def test_a_readme_may_mark_its_example_in_the_heading():
    readme = README.replace("## Example", "## Example (recorded)").replace("*Illustrative.*", "")
    files = tree(entry(), {f"{FOLDER}/README.md": readme})
    assert judge(files, "REG017") == []


@pytest.mark.parametrize(
    "release",
    sampled(
        [
            RELEASE + "".join("[[tested]]\n" for _ in range(20_000)),
            RELEASE + "[requires]\n" + "".join(f'n{i} = "*"\n' for i in range(20_000)),
            RELEASE + "[waivers]\n" + "".join(f'X{i} = " "\n' for i in range(20_000)),
            RELEASE.replace('["greeting"]', "[" + '"A b", ' * 20_000 + "]"),
            RELEASE + "limitations = [" + '" ", ' * 20_000 + "]",
            RELEASE + "".join(f"k{i} = 1\n" for i in range(20_000)),
        ],
        3,
    ),
    ids=lambda release: release.removeprefix(RELEASE)[:12].strip(),
)
def test_a_hostile_release_file_has_a_bounded_number_of_findings(release):
    found = judge(tree(entry(), version(release=release)))
    assert 0 < len(found) < 2_000


def test_a_hostile_entry_file_has_a_bounded_number_of_findings():
    toml = "owners = []\naliases = [" + '"hello", ' * 20_000 + "]\n[yanked]\n"
    toml += "".join(f'"{i}" = " "\n' for i in range(20_000))
    assert 0 < len(judge(tree(entry(toml=toml)))) < 2_000


def test_every_finding_of_a_tree_names_its_file():
    files = tree({"pbes/x": "", "pbes/prompt/A/b/c": "", "pbes/prompt/a/1.0.0/b.exe": "\0"})
    found = judge(files)
    assert found
    assert all(PurePosixPath(d.path).parts[0] in ("pbes", "registry") for d in found)


def test_codes_of_registries_are_listed_in_order():
    for family in ("REG", "TOML"):
        codes = [rule.code for rule in RULES if rule.family == family]
        given = sorted({*codes, *(code for code in RETIRED if code.startswith(family))})
        assert given == [f"{family}{n:03}" for n in range(1, len(given) + 1)]
        assert RETIRED.isdisjoint(codes)


RETIRED = {"REG034"}
"""Codes of rules that are gone; a code never gets another meaning."""


def test_a_newer_minor_of_a_protocol_is_a_warning_and_a_strange_version_an_error():
    release = RELEASE + '[protocols]\nvpp = "1.9"\nplsp = "newest"\npb2s = {version = "1.0"}\n'
    found = judge(tree(entry(), version(release=release)), "REG028")
    assert [(d.pointer, d.severity) for d in found] == [
        ("/protocols/vpp", "warning"),
        ("/protocols/plsp", "error"),
        ("/protocols/pb2s", "error"),
    ]


def test_protocols_of_the_wrong_type_are_the_schema_s_matter():
    release = RELEASE + "[protocols]\nvpp = 3\n"
    found = judge(tree(entry(), version(release=release)))
    assert [d.code for d in found] == ["REG008"]


def test_evidence_of_another_suffix_is_not_read():
    files = {"evidence/golden.txt": "Hello!", "evidence/notes.md": "Hello!"}
    assert judge(tree(entry(), version(**files)), "REG027") == []


def test_a_readme_without_an_example_is_not_asked_for_a_transcript():
    readme = {f"{FOLDER}/README.md": "# Hello\n\nRecorded yesterday.\n"}
    assert judge(tree(entry(), readme), "REG026") == []


@pytest.mark.parametrize(
    ("use_case", "example", "mark"),
    [
        ("Anwendung", "Beispiel", "Nicht aufgezeichnet, von Hand geschrieben."),
        ("Wofür es gut ist", "Zwei Beispiele", "Illustrativ."),
        ("Cas d’usage", "Exemple", "Pas enregistré."),
        ("Caso de uso", "Ejemplo", "Ilustrativo."),
        ("Przykład (use case)", "Przykład (example)", "Illustrative."),
    ],
)
def test_a_readme_may_be_in_another_language(use_case, example, mark):
    def found(readme):
        return [d.message for d in judge(tree(entry(), {f"{FOLDER}/README.md": readme}), "REG017")]

    shown = "Guten Tag, Ana!"
    readme = f"# Gruß\n\n## {use_case}\n\nZum Grüßen.\n\n## {example}\n\n*{mark}*\n\n{shown}\n"
    assert found(readme) == []
    assert found(readme.replace(use_case, "Użycie")) == ["no heading contains 'use case'"]
    assert found(readme.replace(example, "Próbka")) == ["no heading contains 'example'"]
    (unmarked,) = found(readme.replace(mark, "Ha!"))
    assert unmarked == "the example does not say whether it is recorded or illustrative"
    bare = tree(entry(), {f"{FOLDER}/README.md": readme.replace(shown, "")})
    assert [d.message for d in judge(bare, "REG033")] == []
    word = tree(entry(), {f"{FOLDER}/README.md": readme.replace(shown, "Hallo")})
    (short,) = judge(word, "REG033")
    assert "is a single word" in short.message
