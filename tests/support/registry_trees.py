"""Small registries as mappings, for tests of the index and of the rules about trees."""

import hashlib
import json
import re
from dataclasses import replace
from pathlib import PurePosixPath

from support.actions import action_of

PROMPT = "[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\nSay hello.\n"
README = "# Hello\n\n## Use case\n\nTo greet.\n\n## Example\n\n*Illustrative.* Hello, you!\n"
RELEASE = """\
summary = "Says hello, and nothing else."
license = "MIT"
tags = ["greeting"]
languages = ["en"]
use_case = "To greet somebody."
"""
POLICY = """\
[[waiver]]
code = "REG011"
names = ["*"]
reason = "Nothing here is ever run."
"""


def transcript(artifact, platform, *, said="", answers=("Hello!",), **header):
    """Return the transcript of a run of `artifact`, as a row with the same header cites it."""
    digest = hashlib.sha256(artifact.encode()).hexdigest()
    run = {"platform": platform, "model": "m", "date": "2026-11-01", "sha256": digest} | header
    records = [
        {"run": run},
        {"role": "user", "content": said or (artifact.partition("[CONTENT]")[2] or artifact)},
    ]
    records += [{"role": "assistant", "content": answer} for answer in answers]
    return "".join(f"{json.dumps(record)}\n" for record in records)


def version(name="hello", number="1.0.0", *, release=RELEASE, prompt=PROMPT, **files):
    """Return the files of one version folder of class `prompt`."""
    folder = f"pbes/prompt/{name}/{number}"
    found = {f"{folder}/{name}.prompt": prompt, f"{folder}/release.toml": release}
    found[f"{folder}/README.md"] = README
    return found | {f"{folder}/{path}": text for path, text in files.items()}


def entry(name="hello", *numbers, toml="owners = []\n"):
    """Return an entry of class `prompt` with the versions `numbers`."""
    found = {f"pbes/prompt/{name}/entry.toml": toml}
    for index, number in enumerate(numbers or ("1.0.0",)):
        changes = f'changes = "Change {index}."\n' if index else ""
        found |= version(name, number, release=RELEASE + changes)
    return found


def tree(*parts, policy=POLICY):
    """Return the parts and the policy as a tree."""
    found = {"registry/policy.toml": policy}
    for part in parts:
        found |= part
    return {PurePosixPath(path): text.encode() for path, text in found.items()}


OWNED = 'owners = [{forge = "github", id = 1, login = "octocat"}]\n'


def update(number="1.0.1", name="hello", *, more="", release=RELEASE, prompt=None, **files):
    """Return a version folder that follows 1.0.0; `more` is added to its release.toml."""
    prompt = PROMPT.replace("hello", "hello, briefly") if prompt is None else prompt
    changes = 'changes = "Is briefer."\n'
    return version(name, number, release=release + changes + more, prompt=prompt, **files)


def change(base, head=(), *, gone=(), author=("github", 1), policy=POLICY, **rest):
    """Return what a case of the corpus says of a change: `head` and `gone` are what it does.

    `gone` are the beginnings of paths that the head does not have.
    """
    base = {"registry/policy.toml": policy} | base
    kept = {path: text for path, text in base.items() if not path.startswith(tuple(gone))}
    return {"base": base, "head": kept | dict(head), "author": author, **rest}


def change_said(text):
    """Return the change that a `.change` file of the corpus says, as `change` does.

    Lines `key: value` come first: `author` (a forge and a number, or "nobody knows"), `released`
    and `release` (versions of the entry hello, before and new; "none"), `gone` (the beginning of
    paths). Then files: `-- before: PATH --` or `-- after: PATH --`, and the lines of each.
    """
    head, *files = re.split(r"^-- (before|after): (.*) --\n", text, flags=re.MULTILINE)
    keys = dict(line.split(": ", 1) for line in head.splitlines())
    forge, number = keys["author"].split()
    released = keys["released"].replace("none", "").split()
    new = keys.get("release", "").split()
    told = {side: {} for side in ("before", "after")}
    for side, path, data in zip(files[::3], files[1::3], files[2::3], strict=True):
        told[side][path] = data
    base = entry("hello", *released, toml=OWNED) if released else {}
    added = {} if released else entry("hello", *new, toml=OWNED)
    for each in new if released else ():
        added |= update(each)
    return change(
        base | told["before"],
        added | told["after"],
        gone=keys.get("gone", "").split(),
        author=(forge, int(number)) if number.isdigit() else None,
    )


def actions(*said, reason="Greets nobody.", signed=False, start=1):
    """Return the files of actions about versions of hello, such as "revoke 1.0.0", in their order.

    The last one is `signed` by somebody; the numbers begin with `start`.
    """
    found, before = {}, None
    for number, (kind, number_of) in enumerate((text.split() for text in said), start=start):
        subject = {"name": "hello", "version": number_of, "sha256": "0" * 64}
        action = action_of(number, kind, before=before, reason=reason, **subject)
        found[f"registry/actions/{action.file}"] = action
        before = action
    if signed:
        path = f"registry/actions/{before.file}"
        found[path] = replace(before, signatures={"a" * 64: "00"})
    return {path: action.data.decode() for path, action in found.items()}
