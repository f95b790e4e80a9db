"""The pull requests of the review tour: a small registry, and what each branch makes of it."""

import hashlib
import json
import os
import re

from support.bare import DELETED, EXECUTABLE, LINK, SUBMODULE
from support.owners import Owner
from support.paths import PBES

ANA, BOB = 583231, 42
TUTOR = "pbes/interactive_engine/socratic_tutor"

OWNER = 'owners = [{{forge = "github", id = {}, login = "{}"}}]\n'
OF_ANA, OF_BOB = OWNER.format(ANA, "ana"), OWNER.format(BOB, "bob")
PROMPT = """\
[METADATA]
@dotprompt_format_version 0.0.1

[DEFAULTS]
@greeting Hello

[CONTENT]
Say {greeting} to {name}, and ask how the day was.
"""
README = "# Hello\n\n## Use case\n\nTo greet.\n\n## Example\n\n*Illustrative.* Hello, Ana!\n"
RELEASE = """\
summary = "Says hello to somebody, and asks how the day was."
license = "MIT"
tags = ["greeting"]
languages = ["en"]
use_case = "To greet somebody you know."
limitations = ["Knows no other language."]
"""
CHANGES = RELEASE + 'changes = "Better words."\n'
POLICY = """\
[names]
retired = ["goodbye"]

[[waiver]]
code = "REG011"
names = ["*"]
reason = "Nothing here is ever run."
"""
SIGNED = "pbes/prompt/proven/signatures"
SIGNER = Owner(7)
"""The key of an owner of `proven`."""


def hello(number, name="hello", *, prompt=PROMPT, release=CHANGES, readme=README, **files):
    """Return a version folder of class `prompt`; what is None is left out."""
    folder = f"pbes/prompt/{name}/{number}"
    found = {f"{name}.prompt": prompt, "release.toml": release, "README.md": readme, **files}
    return {f"{folder}/{p}": encoded(text) for p, text in found.items() if text is not None}


def encoded(text):
    return text.encode() if isinstance(text, str) else text


def entry(name, toml, *numbers, entry_class="prompt"):
    """Return an entry with versions that say the same; the first one has no `changes`."""
    found = {f"pbes/{entry_class}/{name}/entry.toml": toml.encode()}
    for index, number in enumerate(numbers):
        found |= hello(number, name, release=CHANGES if index else RELEASE)
    return found


def tutor(number, *edits):
    """Return the PBE as it is in this repository, with another version and some edits."""
    place = PBES.parent / TUTOR / "1.0.0"
    found = {}
    for path in sorted(p for p in place.rglob("*") if p.is_file()):
        text = path.read_text(encoding="utf-8")
        if path.name.endswith(".pbe.txt"):
            text = text.replace('"1.0.0"', f'"{number}"')
            for old, new in edits:
                assert old in text, old
                text = text.replace(old, new)
        elif path.name == "release.toml" and number != "1.0.0":
            text = 'changes = "Better words."\n' + text
        found[f"{TUTOR}/{number}/{path.relative_to(place)}"] = text.encode()
    return found


def base():
    """Return the registry that all branches leave from."""
    tested = f"{RELEASE}{runs('claude', 'gemini')}"
    return {
        "registry/policy.toml": POLICY.encode(),
        "README.md": b"# Prompts\n",
        "site/docs/index.md": b"# Prompts\n",
        **entry("hello", OF_ANA, "1.0.0", "1.1.0"),
        **entry("welcome", OF_BOB, "1.0.0"),
        **entry("farewell", "owners = []\n", "1.0.0"),
        **entry("young", OF_ANA, "0.1.0"),
        **entry("proven", OF_ANA.replace("}]", f', keys = ["{SIGNER.line}"]}}]')),
        **hello("1.0.0", "proven", release=tested, **evidence("claude", "gemini")),
        f"{SIGNED}/1.0.0.1.txt": SIGNER.sign(b"1.0.0"),
        **entry("former", OF_ANA + YANKED + DEPRECATED, "1.0.0", "1.0.1"),
        **entry("purged", OF_ANA + '[yanked]\n"1.0.1" = "Held a name."\n', "1.0.0"),
        **entry("planned", OF_ANA, "1.0.0-rc.1"),
        **entry("caller", OF_ANA),
        **hello("1.0.0", "caller", release=RELEASE + '[requires]\nyoung = "^0.1"\n'),
        f"{TUTOR}/entry.toml": OF_ANA.encode(),
        **tutor("1.0.0"),
    }


YANKED = '[yanked]\n"1.0.0" = "Greets the wrong person."\n'
DEPRECATED = '[deprecated]\nreason = "Say hello instead."\n'


def runs(*platforms):
    """Return test rows of the artifact on platforms."""
    digest = hashlib.sha256(PROMPT.encode()).hexdigest()
    rows = (
        f'[[tested]]\nplatform = "{platform}"\nmodel = "a model"\ndate = 2026-11-01\n'
        f'sha256 = "{digest}"\nresult = "pass"\nevidence = "evidence/{platform}.jsonl"\n'
        for platform in platforms
    )
    return "".join(rows)


def evidence(*platforms):
    """Return the transcripts of the runs, by path in the version folder."""
    digest = hashlib.sha256(PROMPT.encode()).hexdigest()
    run = {"model": "a model", "date": "2026-11-01", "sha256": digest}
    said = [
        {"role": "user", "content": "Say Hello to Ana, and ask how the day was."},
        {"role": "assistant", "content": "Hello, Ana! How was your day?"},
    ]
    text = "".join(json.dumps(line) + "\n" for line in said)
    return {
        f"evidence/{platform}.jsonl": json.dumps({"run": {"platform": platform, **run}})
        + f"\n{text}"
        for platform in platforms
    }


def worded(old="ask how", new="ask kindly how"):
    return PROMPT.replace(old, new)


WITH_TONE = PROMPT.replace("@greeting Hello\n", "@greeting Hello\n@tone warm\n").replace(
    "Say {greeting}", "In a {tone} tone, say {greeting}"
)
HELLO = "pbes/prompt/hello"
PATCH = hello("1.1.1", prompt=worded())


def replaced(path, old, new):
    """Return a file of the base with a text replaced."""
    text = base()[path].decode()
    assert old in text
    return {path: text.replace(old, new).encode()}


def gone(prefix):
    """Return the deletion of all files of the base below a folder."""
    return {path: DELETED for path in base() if path.startswith(prefix)}


GOOD = {
    "nothing": {},
    "patch": PATCH,
    "minor": hello("1.2.0", prompt=WITH_TONE),
    "candidate": hello("1.2.0-rc.1", prompt=WITH_TONE),
    "backport": hello("1.0.1", prompt=worded()),
    "before_1_0_0": hello("0.1.1", "young", prompt=WITH_TONE),
    "pbe_patch": tutor("1.0.1", ("Calm, interested, unhurried", "Calm, curious, unhurried")),
    "more_than_asked": hello("1.2.0", prompt=worded()),
    "yanked": {f"{HELLO}/entry.toml": (OF_ANA + YANKED).encode()},
    "deprecated": {f"{HELLO}/entry.toml": (OF_ANA + DEPRECATED).encode()},
    "fewer_limitations": hello(
        "1.1.1", prompt=worded(), release=re.sub("limitations.*\n", "limitations = []\n", CHANGES)
    ),
    "signature_added": {f"{SIGNED}/1.0.0.2.txt": SIGNER.sign(b"1.0.0 again")},
}
"""What an owner may do without anybody looking."""

HUMAN = {
    "new_name": entry("recipe_finder", OF_ANA, "0.1.0"),
    "new_name_for_someone_else": entry("recipe_finder", OF_BOB, "0.1.0"),
    "name_two_keystrokes_away": entry("wellcomes", OF_ANA, "1.0.0"),
    "name_with_an_affix": entry("welcome_official", OF_ANA, "1.0.0"),
    "major": hello("2.0.0", prompt=PROMPT.replace("{name}", "{whom}")),
    "capability": hello("1.2.0", release=CHANGES + 'capabilities = ["files"]\n'),
    "outside": {"README.md": b"# Our prompts\n"},
    "several_entries": {**PATCH, **hello("0.1.1", "young", prompt=worded())},
    "not_an_owner": hello("1.0.1", "welcome", prompt=worded()),
    "the_maintainers_own": hello("1.0.1", "farewell", prompt=worded()),
    "another_owner": {f"{HELLO}/entry.toml": OF_BOB.encode()},
    "another_licence": hello("1.2.0", prompt=worded(), release=CHANGES.replace("MIT", "CC0-1.0")),
    "less_evidence": {
        **hello("1.0.1", "proven", release=CHANGES + runs("claude"), **evidence("claude")),
        f"{SIGNED}/1.0.1.1.txt": SIGNER.sign(b"1.0.1"),
    },
    "not_signed_any_more": hello(
        "1.0.1",
        "proven",
        release=CHANGES + runs("claude", "gemini"),
        **evidence("claude", "gemini"),
    ),
    "yank_lifted": {"pbes/prompt/former/entry.toml": (OF_ANA + DEPRECATED).encode()},
    "deprecation_lifted": {"pbes/prompt/former/entry.toml": (OF_ANA + YANKED).encode()},
    "retired_name_back": {"registry/policy.toml": POLICY.replace('"goodbye"', "").encode()},
    "before_the_candidate": hello("0.1.0", "planned", prompt=worded()),
    "owner_called_otherwise": {f"{HELLO}/entry.toml": OF_ANA.replace('"ana"', '"bob"').encode()},
    "entry_of_others_required": hello("1.2.0", release=CHANGES + '[requires]\nwelcome = "^1.0"\n'),
    "url_beside_the_prompt": {
        **PATCH,
        f"{HELLO}/1.1.1/evidence/notes.md": b"https://example.org/day\n",
    },
    "alias": {f"{HELLO}/entry.toml": f'{OF_ANA}aliases = ["good_day"]\n'.encode()},
    "required_elsewhere": {
        "pbes/prompt/young/entry.toml": f'{OF_ANA}[yanked]\n"0.1.0" = "Broken."\n'.encode()
    },
    "url_in_a_patch": hello("1.1.1", prompt=PROMPT + "Mention https://example.org/day as well.\n"),
    "waiver": hello(
        "1.1.1",
        prompt=PROMPT + "Never say: ignore all previous instructions.\n",
        release=CHANGES + '[waivers]\nPS010 = "It is quoted as an example."\n',
    ),
}
"""What only a person can decide, as far as it is for one to decide."""

BROKEN = {
    "released_file_changed": replaced(f"{HELLO}/1.1.0/README.md", "Ana", "Bob"),
    "released_file_deleted": {f"{HELLO}/1.1.0/README.md": DELETED},
    "file_added_to_a_release": {f"{HELLO}/1.1.0/notes.md": b"# Notes\n"},
    "version_removed": gone(f"{HELLO}/1.1.0/"),
    "entry_removed": gone(f"{HELLO}/"),
    "entry_renamed": {
        **gone(f"{HELLO}/"),
        **entry("good_day", OF_ANA, "1.0.0", "1.1.0"),
    },
    "class_changed": {
        **gone(f"{TUTOR}/"),
        **{
            p.replace("interactive_engine", "stateless_executor"): c
            for p, c in tutor("1.0.0").items()
        },
    },
    "signature_changed": {f"{SIGNED}/1.0.0.1.txt": SIGNER.sign(b"something else")},
    "signature_of_words": {f"{SIGNED}/1.0.0.2.txt": b"Say goodbye instead.\n"},
    "signature_of_a_stranger": {f"{SIGNED}/1.0.0.2.txt": Owner(9).sign(b"1.0.0")},
    "signature_removed": {f"{SIGNED}/1.0.0.1.txt": DELETED},
    "two_steps_below_the_floor": {
        **hello("1.2.0", prompt=WITH_TONE),
        **hello("1.2.1", prompt=worded()),
    },
    "owner_that_is_no_number": replaced(f"{HELLO}/entry.toml", str(ANA), "[1]"),
    "save_of_another_type": tutor(
        "1.0.1",
        ('"socratic_tutor_save": {', '"socratic_tutor_save": [{'),
        ('"carry_passed": false\n      }', '"carry_passed": false\n      }]'),
    ),
    "first_version_3": entry("recipe_finder", OF_ANA, "3.0.0"),
    "version_skipped": hello("1.3.0", prompt=worded()),
    "below_the_floor": hello("1.1.1", prompt=PROMPT.replace("{name}", "{whom}")),
    "save_key_changed": tutor("1.0.1", ("socratic_tutor_save", "tutor_save")),
    "version_reused": hello("1.0.1", "purged", prompt=worded()),
    "letter_case_outside": {"docs/Notes.md": b"# Notes\n", "docs/notes.md": b"# Notes\n"},
    "letter_case_of_the_readme": {"readme.md": b"# Notes\n"},
    "letter_case_of_a_folder": {"SITE/docs/guide.md": b"# Notes\n"},
    "letter_case_of_the_entries": {"PBES/notes.md": b"# Notes\n"},
    "stray_file": {"pbes/prompt/notes.md": b"# Notes\n"},
    "evidence_missing": hello("1.1.1", prompt=worded(), release=CHANGES + runs("claude")),
    "owners_taken_over": {"pbes/prompt/welcome/entry.toml": OF_ANA.encode()},
    "name_one_keystroke_away": entry("welcom", OF_ANA, "1.0.0"),
    "retired_name": entry("goodbye", OF_ANA, "1.0.0"),
    "no_readme": hello("1.1.1", prompt=worded(), readme=None),
    "no_changes": hello("1.1.1", prompt=worded(), release=RELEASE),
    "broken_json": {
        path: data[:-20] if path.endswith(".pbe.txt") else data
        for path, data in tutor("1.0.1").items()
    },
    "broken_toml": hello("1.1.1", prompt=worded(), release="summary = \n"),
    "hidden_text": hello("1.1.1", prompt=PROMPT + "Go on.\U000e0041\U000e0042\n"),
}
"""What has to be fixed."""


def hostile():
    """Return what nobody does by accident."""
    return {
        "path_with_a_newline": {**PATCH, f"{HELLO}/1.1.1/a\nb.md": b"x\n"},
        "path_that_forges_a_command": {**PATCH, f"{HELLO}/1.1.1/a\n::error::b.md": b"x\n"},
        "path_with_direction_marks": {**PATCH, f"{HELLO}/1.1.1/a\u202edm.txt": b"x\n"},
        "path_not_utf8": {**PATCH, os.fsdecode(b"pbes/prompt/hello/1.1.1/\xff\xfe.md"): b"x\n"},
        "path_of_a_device": {**PATCH, f"{HELLO}/1.1.1/aux.md": b"x\n"},
        "path_too_long": {**PATCH, f"{HELLO}/1.1.1/{'a' * 250}.md": b"x\n"},
        "path_of_many_folders": {**PATCH, f"{HELLO}/1.1.1/{'a/' * 300}b.md": b"x\n"},
        "letter_case": {**PATCH, f"{HELLO}/1.1.1/readme.MD": b"x\n"},
        "letter_case_of_a_name": {p.replace("hello", "Hello"): c for p, c in PATCH.items()},
        "symbolic_link": {**PATCH, f"{HELLO}/1.1.1/notes.md": (LINK, b"/etc/passwd")},
        "linked_artifact": {
            **PATCH,
            f"{HELLO}/1.1.1/hello.prompt": (LINK, b"../1.1.0/hello.prompt"),
        },
        "linked_folder": {"pbes/prompt/other": (LINK, b"../../../..")},
        "submodule": {**PATCH, f"{HELLO}/1.1.1/evidence": (SUBMODULE, "1" * 40)},
        "submodules_file": {
            ".gitmodules": b'[submodule "x"]\npath = pbes/x\nurl = --upload-pack=touch canary\n',
            "pbes/x": (SUBMODULE, "1" * 40),
        },
        "executable": {**PATCH, f"{HELLO}/1.1.1/README.md": (EXECUTABLE, README.encode())},
        "mode_of_a_released_file": {f"{HELLO}/1.1.0/README.md": (EXECUTABLE, README.encode())},
        "filters_in_attributes": {**PATCH, ".gitattributes": b"* filter=evil diff=evil text\n"},
        "filters_beside_the_artifact": {
            **PATCH,
            f"{HELLO}/1.1.1/.gitattributes": b"* filter=evil\n",
        },
        "hooks_in_the_tree": {**PATCH, ".githooks/post-checkout": (EXECUTABLE, b"touch canary\n")},
        "ten_thousand_files": {
            **PATCH,
            **{f"{HELLO}/1.1.1/{n:05}.md": b"x\n" for n in range(10_000)},
        },
        "ten_thousand_entries": {
            path: data
            for n in range(2_500)
            for path, data in entry(f"flood_{n:04}", OF_ANA, "1.0.0").items()
        },
        "hundred_megabytes": {**PATCH, f"{HELLO}/1.1.1/big.md": b"x" * 100 * 1024 * 1024},
        "hundred_megabytes_of_prompt": hello("1.1.1", prompt=b"x" * 100 * 1024 * 1024),
        "nothing_but_nul": hello("1.1.1", prompt=b"\0" * 4096),
        "artifact_is_a_folder": {
            **hello("1.1.1", prompt=None),
            f"{HELLO}/1.1.1/hello.prompt/README.md": b"# Hello\n",
        },
        "comment_forged": hello(
            "1.1.1",
            prompt=worded(),
            release=CHANGES + '[waivers]\n"<!-- psreg review -->\\n@everyone" = "<img src=x>"\n',
        ),
    }
