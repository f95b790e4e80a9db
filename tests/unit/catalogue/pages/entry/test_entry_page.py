"""The pages of entries and lists: what they say, and that nothing foreign becomes markup."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import PurePosixPath

import pytest

from psreg.catalogue.pages import markdown_pages
from psreg.catalogue.pages.class_texts import RESERVED
from psreg.catalogue.pages.entry import release_view
from psreg.catalogue.pages.entry.entry_page import entry_pages
from psreg.catalogue.pages.entry.withdrawn_view import gone_pages
from psreg.catalogue.pages.frame import ROOT, Site
from psreg.catalogue.pages.listing import Row, class_part, search_box
from psreg.catalogue.pages.reference_tables import formula_table
from psreg.formats.json.canonical import canonical
from psreg.formats.platforms import PAGES
from psreg.formats.protocol_versions import ProtocolConformance
from psreg.lint.score import PARTS, QUESTIONS
from psreg.registry.actions.withdrawal import Withdrawal
from psreg.registry.build import build
from psreg.registry.published import entries, signed_records
from psreg.registry.records import WaivedFinding
from support.catalogue import ATTRIBUTE, SCRIPT, files, opened, tree
from support.publishing import NOW

SITE = Site(name="psreg", registry_id="ab" * 16, mode="dev", root_sha256="cd" * 32)
TREE = tree()


ENTRIES = opened(TREE)


def bodies(name, site=SITE):
    return {page.path: page.body for page in entry_pages(ENTRIES[name], site)}


def test_an_entry_has_a_page_and_one_for_each_version():
    pages = list(entry_pages(ENTRIES["listener"], SITE))
    assert [page.path for page in pages] == [
        "interactive_engine/listener/",
        "interactive_engine/listener/1.1.0/",
        "interactive_engine/listener/1.1.0/runs/",
        "interactive_engine/listener/1.0.0/",
    ]
    assert [page.canonical for page in pages if page.of_release] == [
        "",
        "interactive_engine/listener/",
        "interactive_engine/listener/1.0.0/",
    ]
    assert pages[0].title == "A title"
    assert pages[1].title == "A title 1.1.0"
    assert pages[0].description == "Listens to you, asks one question at a time."


def test_the_page_of_a_name_shows_its_latest_release():
    body = bodies("listener")["interactive_engine/listener/"]
    assert "psreg install listener<" in body
    assert f'href="{ROOT}pbes/interactive_engine/listener/1.1.0/listener.pbe.txt" download' in body
    assert "octocat" in body
    assert "temperature 0.2" in body
    assert body.count("reported by the author, agrees with its transcript") == 2
    assert "Be the first to test it" not in body
    assert f'{ROOT}pbes/interactive_engine/listener/1.1.0/evidence/run.jsonl">transcript' in body
    assert '<ul class="ps-chips"><li>chatgpt</li><li>claude</li></ul>' in body
    assert f'<a href="{ROOT}?q=river_letter"><code>river_letter</code></a> ^1.0' in body
    assert "vpp 1.4" in body
    assert "Listens twice." in body
    assert f'href="{ROOT}?tag=river"' in body
    digest = ENTRIES["listener"].latest.record.sha256
    assert f'<code class="ps-digest">{digest}</code>' in body
    assert f"pkg:generic/listener@1.1.0?checksum=sha256%3A{digest}</code>" in body
    assert "ps-note" not in body


def test_a_release_shows_its_score_and_how_to_raise_it():
    body = bodies("listener")["interactive_engine/listener/"]
    assert '<a href="#score">40 of 100</a>' in body
    assert "<span>Platforms</span>" in body
    assert "<span>10 of 20</span>" in body
    assert f'<a href="{ROOT}score/">a public table</a>' in body
    assert "<summary>How to raise it</summary>" in body
    assert "Show a second example below its own heading." in body
    assert "each of these counts 5 points in the next version" in body
    assert "<li>Platforms<ul><li>" in body


def scored(score):
    entry = ENTRIES["greeter"]
    release = replace(entry.latest, record=replace(entry.latest.record, score=score))
    return next(entry_pages(replace(entry, latest=release, releases=(release,)), SITE)).body


def test_a_release_from_before_there_was_a_score_shows_none():
    assert 'id="score"' not in scored(None)
    assert "#score" not in scored(None)


def test_a_score_with_nothing_left_to_raise_says_nothing_about_it():
    part = {"id": SCRIPT, "points": 500, "of": 20, "missing": ["from the future"]}
    body = scored({"formula": 2, "total": 100, "parts": [part]})
    assert "500 of 20" in body
    assert 'max="100" value="100"' in body
    assert "How to raise it" not in body
    assert SCRIPT not in body


TALK = """\
{"role": "user", "content": "!<g>"}
{"role": "assistant", "content": "!<g>\\n<b>\\n[Version=v1.4 | Tag=g_1 | Sources=x | Assumptions=0 | Cycle=1/3 | Locus=]"}
"""
TALKS = "pbes/stateless_executor/greeter/1.0.0/evidence"


def spoken(*rows, **talks):
    """Return the page of a release whose record says `rows` of its protocols."""
    entry = ENTRIES["greeter"]
    record = replace(entry.latest.record, protocols=rows and [row.to_json() for row in rows])
    files = {f"{TALKS}/{name}.jsonl": text.encode() for name, text in talks.items()}
    release = replace(entry.latest, record=record, files={**entry.latest.files, **files})
    return next(entry_pages(replace(entry, latest=release, releases=(release,)), SITE)).body


def test_a_declared_protocol_has_a_badge_and_a_section():
    vpp = ProtocolConformance(
        name="vpp",
        version="1.4",
        judged_by="1.4",
        transcripts=(f"{TALKS}/a.jsonl", f"{TALKS}/b.jsonl", f"{TALKS}/gone.jsonl"),
        answers=3,
        sound=1,
        platforms=("claude", "stub"),
    )
    body = spoken(vpp, a=TALK, b=TALK.replace('"!<g>\\n', '"<g>\\n'))
    assert '<li><a href="#protocols">VPP 1.4: 33 % of 3 answers</a></li>' in body
    assert f'<a href="{ROOT}protocols/vpp/">VPP 1.4</a>' in body
    assert "<td>1 (33 %)</td><td>Claude, psreg&#x27;s stub, not a model</td>" in body
    assert "<summary>Findings about VPP</summary>" in body
    runs = f"{ROOT}stateless_executor/greeter/1.0.0/runs/"
    assert f'<a href="{runs}#a">evidence/a.jsonl</a>: 1 finding</li>' in body
    assert f'<a href="{runs}#b">evidence/b.jsonl</a>: clean</li>' in body
    assert "gone.jsonl" not in body


def test_notes_about_a_transcript_are_not_listed():
    vpp = ProtocolConformance(
        name="vpp", version="1.4", judged_by="1.4", transcripts=(f"{TALKS}/a.jsonl",), answers=1
    )
    talk = TALK.replace('"!<g>\\n', '"<g>\\n').replace("Tag=g_1", "Tag=g_7")  # VPP029, a note
    body = spoken(vpp, a=talk)
    assert "evidence/a.jsonl</a>: clean" in body


def test_what_was_recorded_from_the_stub_alone_says_so():
    one = ProtocolConformance(name="pb2s", version="0.2", judged_by="0.2", answers=1, sound=1)
    assert "PB2S 0.2: 100 % of 1 answer, stub only" in spoken(replace(one, platforms=("stub",)))
    assert "100 % of 1 answer</a>" in spoken(one)
    assert "<td>not stated</td>" in spoken(one)


def test_a_protocol_that_is_only_declared():
    body = spoken(
        ProtocolConformance(name="plsp", version="0.6", imf="psreg-1", judged_by="0.5"),
        ProtocolConformance(name=SCRIPT, version=SCRIPT, transcripts=(f"{TALKS}/a.jsonl",)),
        a=TALK,
    )
    assert "PLSP 0.6: declared, not shown" in body
    assert "<small>psreg-1</small> <small>checked as 0.5</small>" in body
    assert "<td>not shown</td>" in body
    assert SCRIPT not in body
    assert 'id="protocols"' not in spoken()


def test_the_table_of_the_score_asks_everything():
    table = formula_table()
    assert table.count("<tr><td>") == len(QUESTIONS)
    assert all(f'id="{part}"' in table for part in PARTS)
    assert table.count(": 20 points</a>") == len(PARTS)


def test_a_yanked_version_says_why_and_where_the_newest_is():
    body = bodies("listener")["interactive_engine/listener/1.0.0/"]
    assert "<strong>Yanked.</strong> It forgot to listen." in body
    assert f'The newest is <a href="{ROOT}interactive_engine/listener/">1.1.0</a>' in body
    assert f'href="{ROOT}interactive_engine/listener/">Use version 1.1.0 instead</a>' in body
    assert "Copy the prompt" not in body
    assert "data-copy-file" not in body
    assert 'id="steps"' not in body
    assert "psreg install listener@1.0.0" in body
    assert "This version is not yet tested on any platform." in body
    assert "Be the first to test it: run <code>psreg try " in body


def test_a_deprecated_entry_names_its_replacement():
    body = bodies("greeter")["stateless_executor/greeter/"]
    where = f'<a href="{ROOT}?q=listener"><code>listener</code></a>'
    assert f"<strong>Deprecated.</strong> Too short. Use {where} instead." in body


def test_a_deprecated_entry_may_have_no_replacement():
    entry = ENTRIES["greeter"]
    alone = replace(entry, record=replace(entry.record, deprecated={"reason": "Gone."}))
    body = next(entry_pages(alone, SITE)).body
    assert "<strong>Deprecated.</strong> Gone.</p>" in body


def test_the_reserved_class_says_so_once_on_every_page():
    rows = [Row.of(entry) for entry in ENTRIES.values()]
    assert {body.count(RESERVED) for body in bodies("watcher").values()} == {1}
    page = markdown_pages.class_sources()["persistent_service/index.md"]
    assert (page + class_part("persistent_service", rows)).casefold().count(RESERVED) == 1


def test_a_prompt_is_reported_where_the_registry_says():
    where = "https://github.com/a/b/issues/new?template=report-a-prompt.yml&release="
    home = bodies("listener", replace(SITE, report=where))["interactive_engine/listener/"]
    address = f"{where}listener%201.1.0".replace("&", "&amp;")
    assert f'<a href="{address}">Report this prompt</a>' in home
    assert "Report this prompt" not in bodies("listener")["interactive_engine/listener/"]


def test_the_first_button_is_for_the_prompt():
    listener = bodies("listener")["interactive_engine/listener/"]
    assert listener.index(">Copy the prompt<") < listener.index("psreg install listener")
    template = bodies("river_letter")["prompt/river_letter/"]
    assert template.index('href="#fill">Fill in and copy<') < template.index("psreg install river")
    assert template.index('id="fill"') < template.index('id="use"') < template.index('id="does"')
    assert template.index("Fill in and copy") < template.index("psreg install river")
    assert listener.index('id="versions"') < listener.index("psreg install listener")
    assert "ps-take" not in bodies("watcher")["persistent_service/watcher/"]


@pytest.mark.parametrize(
    ("mode", "words"), [("dev", "development keys"), ("production", "the root keys offline")]
)
def test_a_page_says_what_its_signature_is_worth(mode, words):
    site = replace(SITE, mode=mode)
    body = bodies("listener", site)["interactive_engine/listener/"]
    assert words in body
    assert SITE.registry_id in body
    assert f"--root-sha256 {SITE.root_sha256}" in body


def test_waived_findings_stand_on_the_page():
    entry = ENTRIES["greeter"]
    waived = tuple(
        WaivedFinding(code="REG011", reason=f"Not run {SCRIPT}", by=by)
        for by in ("policy", "release")
    )
    release = replace(entry.latest, record=replace(entry.latest.record, waived=waived))
    out = release_view.waived(release)
    assert f'<a href="{ROOT}rules/REG011/"><code>REG011</code></a>' in out
    assert "registry policy" in out
    assert "<td>release</td>" in out
    assert SCRIPT not in out


def test_a_long_title_is_cut():
    (readme,) = [path for path in TREE if "greeter" in path.parts and path.name == "README.md"]
    entry = opened(TREE | {readme: b"# " + b"m" * 100_000})["greeter"]
    assert release_view.title(entry.latest) == "m" * 199 + "\u2026"


def test_a_title_comes_from_the_readme_or_the_name():
    assert release_view.title(ENTRIES["river_letter"].latest) == "River letter"
    assert release_view.title(ENTRIES["listener"].latest) == "A title"


@pytest.mark.parametrize("artifact", [b"\xff{", b"[1]", b"{"])
def test_an_artifact_that_cannot_be_read_is_shown_as_it_is(artifact):
    content = files("stateless_executor", "broken", "1.0.0", artifact)
    content[PurePosixPath("pbes/stateless_executor/broken/entry.toml")] = b"threshold = 1\n"
    release = opened(content)["broken"].latest
    assert release_view.overview(release) == ""
    assert 'class="ps-source"' in release_view.artifact(release)


def test_a_prompt_that_cannot_be_read_is_shown_as_it_is():
    content = files("prompt", "broken", "1.0.0", b"no sections")
    content[PurePosixPath("pbes/prompt/broken/entry.toml")] = b"threshold = 1\n"
    assert release_view.overview(opened(content)["broken"].latest) == ""


@pytest.mark.parametrize(
    ("languages", "lang"),
    [(["de"], ' lang="de"'), (['"x'], ' lang="&quot;x"'), (["en"], ""), (["de", "fr"], "")],
)
def test_the_text_of_a_prompt_says_its_language(languages, lang):
    latest = ENTRIES["river_letter"].latest
    record = replace(latest.record, release={**latest.record.release, "languages": languages})
    release = replace(latest, record=record)
    assert f'<pre class="ps-source" tabindex="0"{lang}>' in release_view.artifact(release)
    assert f'<pre class="ps-fill__text" tabindex="0"{lang}>' in release_view.form(release)


def test_the_command_that_tests_a_version_is_exact():
    tested = release_view.tested(ENTRIES["greeter"].latest)
    options = "--endpoint URL --model MODEL --platform ID --result RESULT --record ID-DATE.jsonl"
    assert (
        f"<code>psreg try pbes/stateless_executor/greeter/1.0.0/greeter.pbe.txt {options}</code>"
        in tested
    )
    template = ENTRIES["river_letter"].latest
    command = f"psreg try pbes/prompt/river_letter/1.0.0/river_letter.prompt --set unknown-one=VALUE {options}"
    assert f"<code>{command}</code>" in release_view.tested(template)


def test_odd_release_files_leave_gaps_not_errors():
    content = files("prompt", "odd", "1.0.0", b"x")
    folder = PurePosixPath("pbes/prompt/odd")
    content[folder / "entry.toml"] = b"threshold = 1\n"
    content[folder / "1.0.0/release.toml"] = (
        b'summary = 3\ntags = "a"\nlimitations = [1]\nrequires = 1\ntested = 2\ncapabilities = 0\n'
    )
    del content[folder / "1.0.0/README.md"]
    entry = opened(content)["odd"]
    assert Row.of(entry).tags == ()
    body = next(entry_pages(entry, SITE)).body
    assert "none: text only" in body
    assert 'id="readme"' not in body


class Elements(HTMLParser):
    """The start tags of a page, with attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_no_markup_of_a_hostile_entry_reaches_a_page():
    rows = [Row.of(entry) for entry in ENTRIES.values()]
    pages = [page.body for page in entry_pages(ENTRIES["hostile"], SITE)]
    for body in [*pages, class_part("interactive_engine", rows)]:
        assert SCRIPT not in body
        assert ATTRIBUTE not in body
        assert "\u202e" not in body
        for name, attributes in Elements(body).found:
            assert name not in ("script", "img", "iframe", "object", "base", "style")
            assert not any(key.startswith("on") for key in attributes)
            href = attributes.get("href", "")
            known = (ROOT, "#", "https://example.org", *PAGES.values())
            assert href.startswith(known) or ":" not in href
    assert "⟨U+202E⟩" in pages[0]


def test_lists():
    rows = [Row.of(entry) for entry in ENTRIES.values()]
    engines = class_part("interactive_engine", rows)
    assert "Search 2 interactive engines" in engines
    assert '<a href="listener/"><h3>listener</h3></a>' in engines
    assert "deprecated" in class_part("stateless_executor", rows)
    assert "Search 0 prompts" in search_box(0, "")


def test_a_class_page_lists_so_many_entries_and_says_that_there_are_more():
    row = Row.of(ENTRIES["listener"])
    rows = [replace(row, name=f"n{number}") for number in range(501)]
    out = class_part("interactive_engine", rows)
    assert out.count("<h3>") == 500
    assert "the first 500 of 501" in out


def test_records_of_entries_stay_what_is_signed():
    entry = ENTRIES["listener"]
    assert json.loads(entry.raw)["name"] == "listener"


def test_of_the_versions_only_the_newest_and_the_yanked_have_a_state():
    entry = ENTRIES["listener"]
    newest, *older = (replace(r, record=replace(r.record, yanked=None)) for r in entry.releases)
    changed = replace(entry, latest=newest, releases=(newest, *older))
    body = next(entry_pages(changed, SITE)).body
    table = body[body.index('id="versions"') :].partition("</table>")[0]
    assert older
    assert table.count("ps-state") == 1


def test_a_record_of_an_older_psreg_shows_its_rows():
    entry = ENTRIES["listener"]
    row = {"platform": "old_platform", "sha256": entry.latest.record.sha256, "result": "pass"}
    others = [{**row, "platform": "of_other_bytes", "sha256": "0" * 64}, "no row"]
    changed = {**entry.latest.record.release, "tested": [row, *others]}
    record = replace(entry.latest.record, release=changed, runs=None)
    found = release_view.tests(replace(entry.latest, record=record))
    assert [each["platform"] for each in found] == ["old_platform"]
    unwritten = replace(record, release={**changed, "tested": "none"})
    assert release_view.tests(replace(entry.latest, record=unwritten)) == []


def test_an_imported_version_says_where_it_is_from():
    content = dict(TREE)
    (path,) = (p for p in content if str(p).endswith("listener/1.1.0/release.toml"))
    content[path] += f"[origin]\naddress = 'https://example.org/{SCRIPT}'\n".encode()
    pages = entry_pages(opened(content)["listener"], SITE)
    (page, newest, oldest) = (page for page in pages if page.of_release)
    said = "https://example.org/&lt;script&gt;"
    assert said in page.body
    assert said in newest.body
    assert said not in oldest.body
    assert SCRIPT not in page.body + newest.body


def test_the_page_of_the_newest_version_is_short_and_leads_on():
    pages = bodies("listener")
    body, older = (pages[f"interactive_engine/listener/{v}/"] for v in ("1.1.0", "1.0.0"))
    assert "psreg install listener@1.1.0<" in body
    assert "Copy the prompt" in body
    assert ENTRIES["listener"].latest.record.sha256 in body
    page = f'<a href="{ROOT}interactive_engine/listener/">the page of <code>listener</code></a>'
    assert page in body
    assert "Copy and open…" not in body
    assert "Copy and open…" in pages["interactive_engine/listener/"]
    assert f'href="{ROOT}interactive_engine/listener/#score"' in body
    assert 'href="#score"' not in body
    assert 'id="artifact"' not in body
    assert 'id="artifact"' in older
    letter = bodies("river_letter")
    assert f'href="{ROOT}prompt/river_letter/#fill"' in letter["prompt/river_letter/1.0.0/"]
    assert 'href="#fill"' in letter["prompt/river_letter/"]


def test_a_use_case_that_is_missing_has_no_section():
    assert "When to use it" in bodies("listener")["interactive_engine/listener/"]
    bare = {path: re.sub(rb"(?m)^use_case = .*\n", b"", data) for path, data in TREE.items()}
    (page, *_) = entry_pages(opened(bare)["listener"], SITE)
    assert "When to use it" not in page.body


def withdrawn(kind, version):
    """Return the pages of the listener, of which a version was withdrawn."""
    records = build(TREE, {}, NOW).records
    record = records["listener"]
    revoked = Withdrawal(
        kind=kind, reason="It listens <in>.", date="2026-11-25T20:00:00Z", action=1
    )
    rows = tuple(replace(r, revoked=revoked if r.version == version else None) for r in record.rows)
    packages = {"listener": canonical(replace(record, rows=rows).to_json())}
    found = entries(signed_records(packages), lambda p: TREE.get(PurePosixPath(p)), drift := [])
    (entry,) = found
    assert drift == []
    return {page.path: page.body for page in entry_pages(entry, SITE)}


def test_a_revoked_version_has_its_reason_in_place_of_a_button():
    pages = withdrawn("revoke", "1.0.0")
    page = pages["interactive_engine/listener/1.0.0/"]
    assert "was revoked on 2026-11-25: It listens &lt;in&gt;." in page
    assert ">Use version 1.1.0 instead</a>" in page
    assert "ps-take" not in page
    assert "data-copy-file" not in page
    assert "ps-take" in pages["interactive_engine/listener/"]
    assert (
        '<span class="ps-state ps-state--yanked">revoked</span>'
        in pages["interactive_engine/listener/"]
    )


def test_a_purged_version_leaves_its_reason():
    pages = withdrawn("purge", "1.0.0")
    gone = pages["interactive_engine/listener/1.0.0/"]
    assert (
        "<strong>Removed.</strong> This version was removed on 2026-11-25: It listens &lt;in&gt;."
        in gone
    )
    newest = f'href="{ROOT}interactive_engine/listener/">Use version 1.1.0 instead</a>'
    assert newest in gone
    assert "<button" not in gone
    page = pages["interactive_engine/listener/"]
    assert f'href="{ROOT}interactive_engine/listener/1.0.0/">1.0.0</a>' in page
    assert '<span class="ps-state ps-state--yanked">removed</span> It listens &lt;in&gt;.' in page


def test_a_name_of_which_everything_was_purged_says_why():
    record = build(TREE, {}, NOW).records["listener"]
    revoked = Withdrawal(kind="purge", reason="A <key>.", date="2026-11-25T20:00:00Z", action=1)
    gone = replace(record, rows=tuple(replace(row, revoked=revoked) for row in record.rows))
    assert gone.is_purged
    assert not record.is_purged
    assert not replace(record, rows=()).is_purged
    home, *versions = gone_pages(gone)
    assert [page.path for page in versions] == [f"{home.path}1.0.0/", f"{home.path}1.1.0/"]
    assert home.path == "interactive_engine/listener/"
    assert f'href="{ROOT}{home.path}1.1.0/">1.1.0</a>' in home.body
    assert home.body.count("It was removed on 2026-11-25: A &lt;key&gt;.") == 2
    assert "Deprecated" not in home.body
    assert "instead" not in home.body
    replaced = replace(gone, deprecated={"reason": "<Old>.", "replacement": "<sea>"})
    for page in gone_pages(replaced):
        assert f'<p>Use <a href="{ROOT}?q=%3Csea%3E"><code>&lt;sea&gt;</code></a>' in page.body
        assert ("&lt;Old&gt;." in page.body) == (page.path == home.path)


def test_if_all_is_withdrawn_the_replacement_is_named():
    entry = ENTRIES["river_letter"]
    latest = replace(entry.latest, record=replace(entry.latest.record, yanked="It <floods>."))
    alone = replace(entry, latest=latest, releases=(latest,))
    page = next(entry_pages(alone, SITE)).body
    assert "<strong>Yanked.</strong> It &lt;floods&gt;." in page
    assert "instead" not in page
    assert 'id="fill"' not in page
    assert "Copy the prompt" not in page
    replaced = replace(alone, record=replace(alone.record, deprecated={"replacement": "<sea>"}))
    page = next(entry_pages(replaced, SITE)).body
    assert f'<p>Use <a href="{ROOT}?q=%3Csea%3E"><code>&lt;sea&gt;</code></a> instead.</p>' in page
