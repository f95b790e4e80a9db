"""A new registry as files: what is in it, for which forge, and that psreg accepts all of it."""

import re
import tomllib
from pathlib import PurePosixPath

import pytest
import yaml

from psreg.authoring.init import (
    FORGES,
    ISSUE_FORMS,
    LABELS,
    RegistryPlan,
    new_registry,
    requirement_at,
    requirement_of,
    requirement_of_wheel,
)
from psreg.cli.init import packaged_files
from psreg.cli.rules import all_rules
from psreg.formats import policy
from psreg.lint.registry_walk import check_tree
from support.paths import ROOT

TEMPLATES = ROOT / "tools/psreg/authoring/templates/registry"
EVERYWHERE = {
    ".gitattributes",
    ".gitignore",
    "README.md",
    "pbes/README.md",
    "registry/policy.toml",
    "registry/psreg.txt",
    "registry/requirements.txt",
}
WORKFLOWS = {f".github/workflows/{path.name}" for path in TEMPLATES.glob(".github/workflows/*")}
ON_GITHUB = {
    ".github/CODEOWNERS",
    ".github/CONTRIBUTING.md",
    ".github/PULL_REQUEST_TEMPLATE.md",
    *(f".github/ISSUE_TEMPLATE/{name}" for name in ISSUE_FORMS),
    *WORKFLOWS,
}
ON_GITLAB = {".gitlab-ci.yml", ".gitlab/merge_request_templates/Default.md"}


def made(*forges, name="Our prompts", url="https://example.org/prompts/", **more):
    more = {"requirement": "psreg==1.2.3", **more}
    foundation = RegistryPlan(name=name, url=url, forges=forges, **more)
    return {str(p): data for p, data in new_registry(foundation, packaged_files()).items()}


@pytest.mark.parametrize(
    ("forges", "more"),
    [
        (("github",), ON_GITHUB),
        (("gitlab",), ON_GITLAB | {"CONTRIBUTING.md"}),
        (FORGES, ON_GITHUB | ON_GITLAB),
    ],
)
def test_the_files_for_each_forge(forges, more):
    files = made(*forges)
    assert set(files) == EVERYWHERE | more
    assert list(files) == sorted(files)
    assert len(WORKFLOWS) >= 4


def test_pipelines_and_forms_are_those_of_psreg_itself():
    files = made(*FORGES)
    for path in (*WORKFLOWS, ".gitlab-ci.yml", ".github/CODEOWNERS"):
        assert files[path] == (TEMPLATES / path).read_bytes()
    for name in ISSUE_FORMS:
        path = f".github/ISSUE_TEMPLATE/{name}"
        assert files[path] == (ROOT / path).read_bytes()
    request = files[".github/PULL_REQUEST_TEMPLATE.md"].decode()
    ours = (ROOT / ".github/PULL_REQUEST_TEMPLATE.md").read_text()
    assert request.startswith("## A prompt\n")
    assert request.rstrip() in ours
    assert "psreg itself" not in request
    assert files[".gitlab/merge_request_templates/Default.md"].decode() == request


def test_no_blank_is_left_and_no_link_is_dead():
    for forges in (("github",), ("gitlab",), FORGES):
        files = made(*forges)
        for path in ("README.md", "pbes/README.md", "registry/policy.toml"):
            assert b"{{" not in files[path]
        (link,) = re.findall(r"\]\(([^)]+)\)", files["README.md"].decode())
        assert link in files
        assert b"{{" not in files[link]
        assert (b"Submit a prompt" in files[link]) == ("github" in forges)
        assert (b"with a form" in files["README.md"]) == ("github" in forges)


def test_the_form_leads_to_what_is_there():
    files = made("github")
    form = yaml.safe_load(files[".github/ISSUE_TEMPLATE/submit-a-prompt.yml"])
    (link,) = re.findall(r"blob/HEAD/([^)]+)\)", form["body"][0]["attributes"]["value"])
    assert link in files


def test_the_labels_are_those_of_the_forms():
    files = made("github")
    forms = [yaml.safe_load(files[f".github/ISSUE_TEMPLATE/{name}"]) for name in ISSUE_FORMS]
    assert {label for form in forms for label in form.get("labels", ())} == set(LABELS)


def test_the_forms_name_no_file_that_is_not_there():
    files = made("github")
    for name in ISSUE_FORMS:
        assert b"tools/psreg" not in files[f".github/ISSUE_TEMPLATE/{name}"]


@pytest.mark.parametrize("private", [False, True])
def test_a_private_registry_has_its_own_policy(private):
    files = made("github", private=private)
    settings = policy.read(files["registry/policy.toml"])
    assert settings.violations == ()
    assert settings.allows_proprietary is private
    assert settings.platforms == (1 if private else 2)
    assert b"proprietary = true" in files["registry/policy.toml"]
    assert b"{{" not in files["registry/policy.toml"]


@pytest.mark.parametrize(
    ("direct_url", "requirement"),
    [
        (None, "psreg==1.2.3"),
        ('{"url": "file:///home/ana/psreg", "dir_info": {}}', ""),
        ('{"url": "file:///a", "vcs_info": {"vcs": "git", "commit_id": "b"}}', ""),
        ('{"url": "https://a/b", "vcs_info": {"vcs": "hg", "commit_id": "b"}}', ""),
        (
            '{"url": "ssh://git@example.org/psreg.git", "vcs_info": {"vcs": "git", "commit_id": "a"}}',
            "psreg @ git+https://example.org/psreg.git@a",
        ),
        (
            (
                '{"url": "https://me:secret@example.org/psreg.whl", "archive_info": {"hashes":'
                ' {"sha256": "ab"}}}'
            ),
            "psreg @ https://example.org/psreg.whl --hash=sha256:ab",
        ),
        (
            '{"url": "https://example.org/psreg.git", "vcs_info": {"vcs": "git", "commit_id": "ab12"}}',
            "psreg @ git+https://example.org/psreg.git@ab12",
        ),
        (
            '{"url": "https://example.org/psreg-1.2.3-py3-none-any.whl", "archive_info": {}}',
            "psreg @ https://example.org/psreg-1.2.3-py3-none-any.whl",
        ),
    ],
)
def test_pipelines_install_psreg_from_where_it_came_from(direct_url, requirement):
    assert requirement_of("1.2.3", direct_url) == requirement


@pytest.mark.parametrize("url", ["", "https://example.org/prompts/"])
@pytest.mark.parametrize("name", ["Our prompts", 'Ana "the \\ one" Ünal', "{{url}}"])
def test_the_settings_of_the_site(name, url):
    files = made("github", name=name, url=url)
    settings = policy.read(files["registry/policy.toml"])
    assert settings.tree.issues == ()
    assert settings.violations == ()
    assert (settings.site_name, settings.site_url) == (name, url)
    assert files["README.md"].decode().startswith(f"# {name}\n")


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://example.org/a/psreg", "https://example.org/a/psreg"),
        ("https://me:secret@example.org:8443/psreg.git", "https://example.org:8443/psreg.git"),
        ("git@example.org:a/psreg.git", "https://example.org/a/psreg.git"),
        ("ssh://git@example.org:2222/a/psreg", "https://example.org/a/psreg.git"),
        ("http://example.org/psreg.git", ""),
        ("file:///srv/psreg.git", ""),
        ("/srv/psreg.git", ""),
        ("../psreg", ""),
    ],
)
def test_a_remote_as_pipelines_reach_it(remote, address):
    expected = f"psreg @ git+{address}@ab12" if address else ""
    assert requirement_at(remote, "ab12") == expected


def test_psreg_is_pinned_and_what_it_needs_has_hashes():
    files = made("github")
    assert files["registry/psreg.txt"].endswith(b"\npsreg==1.2.3\n")
    needed = files["registry/requirements.txt"].decode()
    assert needed.endswith((ROOT / ".ci/constraints.txt").read_text())
    rows = re.sub(r"#.*\n|\\\n", "", needed).splitlines()
    assert all(re.fullmatch(r"[\w.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}.*", row) for row in rows)
    assert {"tuf", "hatchling", "gitpython", "mkdocs-material"} <= {
        row.partition("==")[0] for row in rows
    }
    assert "://" not in needed


def test_a_wheel_is_kept_beside_the_list_that_names_it():
    assert requirement_of_wheel("psreg-1.2.3.tar.gz", b"") == ""
    name = "psreg-1.2.3-py3-none-any.whl"
    line = requirement_of_wheel(name, b"a wheel")
    files = made("github", requirement=line, wheel=(name, b"a wheel"))
    assert files[f"registry/{name}"] == b"a wheel"
    assert files["registry/psreg.txt"].endswith(f"\n--no-index\n--find-links .\n{line}\n".encode())


def test_every_pipeline_installs_both_lists():
    for path in (*WORKFLOWS, ".gitlab-ci.yml"):
        installs = re.findall(r'pip" install --quiet (.*)', made(*FORGES)[path].decode())
        needed, psreg = installs[::2], installs[1::2]
        assert len(needed) == len(psreg) >= 1
        assert all(
            re.match("--no-deps --require-hashes .*/requirements.txt", each) for each in needed
        )
        assert all(re.match("--no-deps --no-build-isolation .*/psreg.txt", each) for each in psreg)


def test_what_is_suggested_in_the_policy_is_right():
    lines = made("github")["registry/policy.toml"].decode().splitlines()
    start = lines.index("# [licenses]")
    suggested = [line.removeprefix("# ") for line in lines[start:] if re.match(r"# [\[a-z]", line)]
    text = "\n".join(line for line in suggested if re.match(r"\[|\w+ = ", line))
    assert tomllib.loads(text)
    assert policy.read(text.encode()).violations == ()


def test_an_empty_registry_has_no_findings():
    files = {PurePosixPath(path): data for path, data in made(*FORGES).items()}
    tree = {p: d for p, d in files.items() if p.parts[0] == "pbes" or p.name == "policy.toml"}
    assert list(check_tree(tree, all_rules())) == []
