"""What changed between versions: by meaning, with the floor, on the page of the newer one."""

import json
import re
from html import unescape
from pathlib import PurePosixPath

import pytest

from psreg.catalogue.pages.entry.comparison_view import Comparisons
from psreg.catalogue.pages.entry.entry_page import entry_pages
from psreg.catalogue.pages.frame import ROOT, Site
from psreg.compatibility.diff import compare_named, folder_operand
from support.catalogue import SCRIPT, engine, files, opened, tree

SITE = Site(name="psreg", registry_id="ab" * 16, mode="dev", root_sha256="cd" * 32)
LISTENER = PurePosixPath("pbes/interactive_engine/listener")


def unchanged(value, _):
    return value


def engines(number, change=unchanged):
    """Return the tree of an entry with so many versions, each made of the first one by `change`."""
    found = {LISTENER / "entry.toml": b"threshold = 1\n"}
    for n in range(number):
        value = change(json.loads(engine("listener", f"1.{n}.0")), n)
        said = f'changes = "Change {n}."\n' if n else ""
        artifact = json.dumps(value, indent=1).encode()
        found |= files("interactive_engine", "listener", f"1.{n}.0", artifact, more=said)
    return found


def renamed(value, n):
    for phase in value["game_structure"]["phases"]:
        phase["name"] += f" of {n}"
    return value


def pages(content):
    entry = opened(content)["listener"]
    return {page.path: page.body for page in entry_pages(entry, SITE)}


def since(body, version):
    """Return the comparison with an older version on a page."""
    return body.partition(f'id="since-{version}"')[2].partition("</details></details>")[0]


def test_a_version_is_compared_with_each_before_it():
    found = pages(engines(4))
    compared = {
        path: re.findall(r'<details class="ps-since" id="since-([\d.]+)"( open)?>', body)
        for path, body in found.items()
    }
    home = "interactive_engine/listener/"
    assert compared == {
        home: [],
        f"{home}1.3.0/": [("1.2.0", " open"), ("1.1.0", ""), ("1.0.0", "")],
        f"{home}1.2.0/": [("1.1.0", " open"), ("1.0.0", "")],
        f"{home}1.1.0/": [("1.0.0", " open")],
        f"{home}1.0.0/": [],
    }
    assert "Change 3." in found[home]
    where = f"{ROOT}{home}1.3.0/#since-1.2.0"
    assert f'<a href="{where}">Compare it with 1.2.0</a>' in found[home]
    assert 'id="changes"' not in found[f"{home}1.0.0/"]


@pytest.mark.parametrize("change", [unchanged, renamed])
def test_it_is_what_the_command_says(change):
    content = engines(3, change)
    operands = [
        folder_operand(
            {
                str(path.relative_to(LISTENER / version)): data
                for path, data in content.items()
                if path.is_relative_to(LISTENER / version)
            },
            version,
        )
        for version in ("1.0.0", "1.2.0")
    ]
    told = compare_named(*operands)
    shown = since(pages(content)["interactive_engine/listener/1.2.0/"], "1.0.0")
    summary = f"Compared with 1.0.0: at least a {told.floor} step ({told.least} or higher)"
    assert f"<summary>{summary}</summary>" in shown
    items = re.findall(r"<li>(.*?)</li>", shown)
    assert len(items) == len(told.differences) > 0
    for item, each in zip(items, told.differences, strict=True):
        assert f'<a href="{ROOT}semver/#{each.row}">{each.row}</a>' in item
        assert each.message.replace("`", "") in unescape(re.sub("<.*?>", "", item))
        assert f"--{each.step}" in item
        assert ("<strong>please read</strong>" in item) is each.behaviour


def test_the_texts_are_where_the_script_fetches_them():
    shown = since(pages(engines(2))["interactive_engine/listener/1.1.0/"], "1.0.0")
    before, after = (
        f"{ROOT}{LISTENER}/{version}/listener.pbe.txt" for version in ("1.0.0", "1.1.0")
    )
    assert f'<details class="ps-diff" data-before="{before}" data-after="{after}">' in shown
    assert f'<a href="{before}">the text of 1.0.0</a>' in shown


def test_fifty_versions_make_fifty_pages_and_one():
    content = engines(60)
    found = pages(content)
    assert len(found) == 61
    last = found["interactive_engine/listener/1.59.0/"]
    assert last.count('class="ps-since"') == 50
    assert 'id="since-1.9.0"' in last
    assert 'id="since-1.8.0"' not in last
    assert found["interactive_engine/listener/1.50.0/"].count('class="ps-since"') == 50


def fields(value, n):
    return {**value, **{f"field_{n}_{k}": "x" for k in range(150)}}


def test_a_page_lists_a_limited_number_of_changes():
    body = pages(engines(3, fields))["interactive_engine/listener/1.2.0/"]
    last, first = since(body, "1.1.0"), since(body, "1.0.0")
    assert last.count("<li>") == 100
    assert first.count("<li>") == 12
    assert re.search(r"<p>And \d\d\d other changes:</p>", last)
    assert "<code>psreg diff listener@1.0.0 listener@1.2.0</code>" in first
    assert "psreg diff" not in since(
        pages(engines(2))["interactive_engine/listener/1.1.0/"], "1.0.0"
    )


def test_two_versions_can_be_chosen():
    entry = opened(engines(3))["listener"]
    form = Comparisons(entry).chooser()
    assert f'data-home="{ROOT}interactive_engine/listener/"' in form
    versions = ["1.2.0", "1.1.0", "1.0.0"]
    assert re.findall(r"<option[^>]*>([^<]+)</option>", form) == versions * 2
    assert re.findall(r"<option selected>([^<]+)<", form) == ["1.1.0", "1.2.0"]
    assert form in pages(engines(3))["interactive_engine/listener/"]
    assert Comparisons(opened(engines(1))["listener"]).chooser() == ""


def test_what_cannot_be_read_is_not_compared():
    content = engines(2)
    content[LISTENER / "1.0.0/listener.pbe.txt"] = b"[1]"
    shown = since(pages(content)["interactive_engine/listener/1.1.0/"], "1.0.0")
    assert "<summary>Compared with 1.0.0: one of them cannot be read</summary>" in shown


def hostile(value, n):
    name = f"{SCRIPT}{n}\u202e"
    value["game_structure"]["phases"][0]["name"] = name
    return {**value, name: name}


def test_no_change_becomes_markup():
    for body in pages(engines(3, hostile)).values():
        assert SCRIPT not in body
        assert "\u202e" not in body


def test_changes_of_another_type_are_not_said():
    content = tree()
    (path,) = (p for p in content if str(p).endswith("listener/1.1.0/release.toml"))
    content[path] = content[path].replace(b'changes = "Listens twice."', b"changes = 3")
    assert 'id="since-1.0.0"' in pages(content)["interactive_engine/listener/1.1.0/"]
