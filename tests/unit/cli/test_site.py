"""`psreg site build` and `psreg serve`, by the command line."""

import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from html.parser import HTMLParser

import pytest

from psreg.protocols.pb2s.proof import proof_schema
from psreg.registry.checkout import read_tree
from support.catalogue import checkout
from support.publishing import files, release
from support.registry_trees import entry
from support.warm_psreg import run_psreg

PIN = "--root-sha256"


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    return checkout(tmp_path_factory.mktemp("registry"))


def psreg(*arguments, cwd, code=0):
    done = run_psreg(*arguments, cwd=cwd)
    assert done.returncode == code, done.stderr.decode()
    return done


@pytest.fixture(scope="module")
def site(registry, tmp_path_factory):
    out = tmp_path_factory.mktemp("site") / "out"
    done = psreg("site", "build", "--out", str(out), cwd=registry)
    assert done.stderr == b""
    return out, done.stdout.decode()


def test_it_says_what_it_built_and_how_to_use_it(site):
    out, said = site
    assert said.startswith(f"built {out}: 5 entries, ")
    assert f"psreg registry add URL_OF_THIS_SITE {PIN} " in said


def test_the_site_is_a_registry(site, registry):
    out, _ = site
    index = json.loads((out / "api/v1/index.json").read_bytes())
    for folder in ("metadata", "targets"):
        assert files(out / "registry" / folder) == files(registry / "registry" / folder)
    for segment in index["segments"]:
        assert (out / segment["path"]).is_file()
    published = files(out / "pbes")
    source = files(registry / "pbes")
    assert {path: source[path] for path in published} == published
    assert set(source) - set(published) == {path for path in source if path.endswith("entry.toml")}
    record = json.loads((out / "api/v1/packages/listener.json").read_bytes())
    assert record["name"] == "listener"
    assert (out / "schemas/pbe.schema.json").is_file()


def test_every_page_is_complete(site):
    out, _ = site
    pages = sorted(out.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        html = page.read_text(encoding="utf-8")
        path = page.relative_to(out).as_posix()
        assert "<!--psreg:" not in html, path
        assert html.count('http-equiv="Content-Security-Policy"') == 1, path
        assert "<root>" not in html, path
        assert html.count("<h1") == 1, path
        assert 'name="description"' in html, path
        assert 'property="og:title"' in html, path
        footer = html.partition("<footer")[2]
        assert "is a registry of prompts" in footer, path
        assert ">Submit a prompt</a>" in footer, path
    assert not (out / "shell").exists()
    assert not (out / "sitemap.xml").exists()


class Links(HTMLParser):
    """The addresses in a page."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, _tag, attrs):
        keys = ("href", "src", "data-copy-file")
        self.found += [value for key, value in attrs if key in keys and value]


def test_every_link_leads_somewhere(site):
    out, _ = site
    dead = set()
    for page in out.rglob("*.html"):
        if page.name == "404.html":
            continue
        for link in Links(page.read_text(encoding="utf-8")).found:
            path = urllib.request.unquote(link.partition("#")[0].partition("?")[0])
            if not path or path.startswith("https://"):
                continue
            target = (page.parent / path).resolve()
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or out.resolve() not in target.parents:
                dead.add((page.relative_to(out).as_posix(), link))
    assert dead == set()


def test_every_place_on_a_page_of_an_entry_is_there(site):
    out, _ = site
    for page in [*out.glob("interactive_engine/**/index.html"), *out.glob("prompt/**/index.html")]:
        for link in Links(page.read_text(encoding="utf-8")).found:
            path, _, place = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            name, at, version = place.partition("@")
            if at and target == out / "run/index.html":
                assert [*out.glob(f"pbes/*/{name}/{version}/{name}.*")], (page, link)
            elif place and target.suffix == ".html":
                assert f'id="{place}"' in target.read_text(encoding="utf-8"), (page, link)


def test_building_again_in_many_processes_gives_the_same_bytes(site, registry, tmp_path):
    code = (
        "import sys, psreg.catalogue.build as build; build._SLICE = 1;"
        "from psreg.cli.main import run; sys.exit(run(sys.argv[1:]))"
    )
    out = tmp_path / "many"
    command = [sys.executable, "-c", code, "site", "build", "--out", str(out)]
    subprocess.run(command, cwd=registry, check=True, capture_output=True)
    assert files(out) == files(site[0])


def test_a_site_below_a_path_knows_its_address(registry, tmp_path):
    out = tmp_path / "site"
    url = "https://example.org/sub/path"
    done = psreg(
        *("site", "build", "--out", str(out), "--base-url", url, "--format", "json"), cwd=registry
    )
    answer = json.loads(done.stdout)
    assert answer["base_url"] == f"{url}/"
    assert answer["entries"] == 5
    assert f"<loc>{url}/interactive_engine/listener/</loc>" in (out / "sitemap.xml").read_text()
    page = (out / "interactive_engine/listener/1.1.0/index.html").read_text()
    assert f'<link rel="canonical" href="{url}/interactive_engine/listener/">' in page
    assert f"psreg registry add {url}/ {PIN}" in (out / "index.html").read_text()
    assert f"Sitemap: {url}/sitemap.xml" in (out / "robots.txt").read_text()
    for page, picture in {"": "home", "prompt/": "prompt", "persistent_service/": ""}.items():
        path = f"assets/psreg/pictures/{picture or page.strip('/')}.png"
        shown = f'<meta property="og:image" content="{url}/{path}">'
        assert (out / page / "index.html").read_text().count(shown) == 1
        assert (out / path).is_file()


def test_a_policy_names_the_site(registry, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(registry, copy)
    (copy / "registry/policy.toml").write_text(
        '[site]\nname = "Team & Co"\nurl = "https://example.org/team/"\n'
        'repository = "https://github.com/team/prompts/"\n'
    )
    psreg("site", "build", "--out", "out", "--quiet", cwd=copy)
    page = (copy / "out/interactive_engine/listener/index.html").read_text()
    assert "· Team &amp; Co</title>" in page
    assert "https://example.org/team/interactive_engine/listener/" in page
    assert 'href="https://github.com/team/prompts"' in page
    new = "https://github.com/team/prompts/issues/new"
    assert f'href="{new}?template=submit-a-prompt.yml"' in page
    assert f'<meta name="psreg-ask" content="{new}?title=">' in page


def test_a_policy_picks_what_the_home_page_shows_first(registry, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(registry, copy)
    policy = copy / "registry/policy.toml"
    build = ("site", "build", "--out", "out", "--quiet")
    for pick in ("listener", "river_letter"):
        policy.write_text(f"[site]\npicks = [{json.dumps(pick)}]\n")
        psreg(*build, cwd=copy)
        page = (copy / "out/index.html").read_text()
        assert page.count("ps-pick ") == 1
        assert ("ps-fill__form" in page) is (pick == "river_letter")
    policy.write_text('[site]\npicks = ["river_leter"]\n')
    refused = psreg(*build, cwd=copy, code=1).stderr.decode()
    assert "`river_leter`; did you mean `river_letter`?" in refused
    assert (copy / "out/index.html").read_text() == page


def test_a_policy_has_a_text_a_logo_and_colours(registry, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(registry, copy)
    (copy / "registry/logo.svg").write_text("<svg/>")
    lines = ['[site]\ntext = "For <nurses>"', 'logo = "registry/logo.svg"']
    lines.append('accent = {light = "#123456", dark = "#abcdef"}\n')
    (copy / "registry/policy.toml").write_text("\n".join(lines))
    build = ("site", "build", "--out", "out", "--quiet")
    psreg(*build, cwd=copy)
    page = (copy / "out/index.html").read_text()
    assert '<p class="ps-lead">For &lt;nurses&gt;</p>' in page
    assert page.count("assets/psreg/logo.svg") >= 2
    assert "assets/psreg/mark.svg" not in page
    assert (copy / "out/assets/psreg/logo.svg").read_text() == "<svg/>"
    css = (copy / "out/assets/psreg/psreg.css").read_text()
    assert css.index("[data-md-color-scheme] {") < css.index(
        '[data-md-color-scheme="slate"]{--ps-accent:#abcdef;'
    )
    assert page.count("assets/psreg/psreg.css") == 1
    (copy / "registry/logo.svg").unlink()
    assert b"logo.svg" in psreg(*build, cwd=copy, code=4).stderr


def test_entries_have_pictures_if_the_policy_says_so(registry, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(registry, copy)
    policy = copy / "registry/policy.toml"
    build = ("site", "build", "--out", "out", "--quiet")
    policy.write_text("[site]\npictures = true\n")
    psreg(*build, cwd=copy)
    assert not list((copy / "out").rglob("picture.png"))
    policy.write_text('[site]\npictures = true\nurl = "https://e.org/"\n')
    psreg(*build, cwd=copy)
    found = list((copy / "out").rglob("picture.png"))
    assert len(found) == len(list((copy / "out").rglob("badge.svg")))
    page = (found[0].parent / "index.html").read_text()
    assert f"https://e.org/{found[0].relative_to(copy / 'out').as_posix()}" in page
    policy.write_text('[site]\nurl = "https://e.org/"\n')
    psreg(*build, cwd=copy)
    assert not list((copy / "out").rglob("picture.png"))


def test_a_registry_without_a_logo_does_not_have_that_of_psreg(site):
    page = (site[0] / "index.html").read_text()
    assert "assets/psreg/registry.svg" in page
    assert "assets/psreg/mark.svg" not in page


def policies(page):
    return re.findall('<meta http-equiv="Content-Security-Policy"[^>]*>', page)


def test_the_name_of_the_site_is_text_and_no_markup(registry, site, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(registry, copy)
    name = """x</title><script>alert(1)</script><img src=x onerror='alert(2)'>\" onload=\"x"""
    (copy / "registry/policy.toml").write_text(f"[site]\nname = {json.dumps(name)}\n")
    psreg("site", "build", "--out", "out", "--quiet", cwd=copy)
    plain, _ = site
    for page in sorted(plain.rglob("*.html")):
        built = (copy / "out" / page.relative_to(plain)).read_text()
        assert "<script>alert" not in built
        assert "<img src=x" not in built
        assert '" onload="' not in built
        assert "PSREG-NAME" not in built
        assert policies(built) == policies(page.read_text())
    assert "x&lt;/title&gt;&lt;script&gt;" in (copy / "out/index.html").read_text()


def test_nothing_unsigned_of_a_registry_anywhere_is_copied(registry, site, tmp_path):
    checkout_only, place = tmp_path / "checkout", tmp_path / "elsewhere"
    shutil.copytree(registry / "pbes", checkout_only / "pbes")
    shutil.copytree(registry / "registry", place)
    evil = b"<script>alert(1)</script>"
    for path in (
        "evil.html",
        "metadata/evil.html",
        "metadata/index.html",
        "metadata/7.evil.json",
        "metadata/9.snapshot.json",
        "metadata/0.root.json",
        "targets/evil.html",
        "targets/pkg/evil.html",
        f"targets/pkg/{'0' * 64}.listener.json",
        "targets/catalog/evil.html",
        "log/evil.html",
        "actions/evil.html",
    ):
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(evil)
    where = ("--registry-dir", str(place))
    psreg("site", "build", "--out", "out", "--quiet", *where, cwd=checkout_only)
    assert files(checkout_only / "out/registry") == files(site[0] / "registry")
    assert (checkout_only / "out/index.html").is_file()


@pytest.mark.parametrize(
    "url", ["example.org", "ftp://example.org/", "https://a b/", "https://x/?q=1", "https://x/<"]
)
def test_an_address_that_is_none(registry, url, tmp_path):
    done = psreg(
        "site", "build", "--out", str(tmp_path / "o"), "--base-url", url, cwd=registry, code=2
    )
    assert b"is not the address of a site" in done.stderr


def test_a_changed_file_is_refused(registry, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(registry, copy)
    readme = copy / "pbes/interactive_engine/listener/1.0.0/README.md"
    readme.write_text("other words\n")
    (copy / "pbes/prompt/river_letter/1.0.0/river_letter.prompt").unlink()
    done = psreg("site", "build", "--out", "out", "--format", "json", cwd=copy, code=1)
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "SITE_DRIFT"
    assert "listener/1.0.0/README.md: differs from the released file" in error["message"]
    assert "river_letter.prompt: missing" in error["message"]
    assert not (copy / "out").exists()


def test_a_changed_signature_is_refused(registry, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(registry, copy)
    timestamp = copy / "registry/metadata/timestamp.json"
    value = json.loads(timestamp.read_text())
    value["signed"]["version"] += 1
    timestamp.write_text(json.dumps(value))
    psreg("site", "build", "--out", "out", cwd=copy, code=3)
    assert not (copy / "out").exists()


def test_before_anything_is_published(tmp_path):
    (tmp_path / "pbes").mkdir()
    done = psreg("site", "build", "--out", "out", cwd=tmp_path, code=4)
    assert b"run psreg publish" in done.stderr


def test_outside_of_a_registry(tmp_path):
    done = psreg("site", "build", "--out", "out", cwd=tmp_path, code=4)
    assert b"there is no pbes/" in done.stderr


def test_a_folder_of_someone_else_is_left_alone(registry, tmp_path):
    (tmp_path / "mine").write_text("precious")
    psreg("site", "build", "--out", str(tmp_path), cwd=registry, code=2)
    assert files(tmp_path) == {"mine": b"precious"}


@pytest.fixture
def serving(registry):
    """Start `psreg serve` on a free port; stop what still runs in the end."""
    started = []

    def start(*arguments, cwd=registry):
        process = subprocess.Popen(
            [sys.executable, "-m", "psreg", "serve", "--port", "0", *arguments],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_serve_tells_its_address_and_ends_without_a_trace(serving, end, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    process = serving()
    first = process.stdout.readline()
    url = first.split(" at ")[1].split(" ")[0]
    assert first == f"serving 5 entries at {url} (press Ctrl-C to stop)\n"
    assert process.stdout.readline().startswith(f"psreg registry add {url} {PIN} ")
    with urllib.request.urlopen(f"{url}interactive_engine/listener/", timeout=10) as answer:
        assert b"A title" in answer.read()
    with urllib.request.urlopen(f"{url}sitemap.xml", timeout=10) as answer:
        assert f"<loc>{url}".encode() in answer.read()
    assert list(tmp_path.iterdir())
    process.send_signal(end)
    out, said = process.communicate(timeout=30)
    assert (process.returncode, out, said) == (0, "", "stopped\n")
    assert list(tmp_path.iterdir()) == []


def served(url, path, word, present=True):
    """Wait until the page has the word, or has it no more."""
    for _ in range(600):
        with urllib.request.urlopen(f"{url}{path}", timeout=10) as answer:
            if (word in answer.read().decode()) == present:
                return
        time.sleep(0.05)
    raise AssertionError(f"{path}: {word}")


def test_serve_follows_what_is_published(serving, registry, tmp_path):
    place = tmp_path / "checkout"
    shutil.copytree(registry, place)
    process = serving("--out", str(tmp_path / "site"), cwd=place)
    url = process.stdout.readline().split(" at ")[1].split(" ")[0]
    process.stdout.readline()
    served(url, "prompt/river_letter/", "Yanked", present=False)
    toml = place / "pbes/prompt/river_letter/entry.toml"
    toml.write_text(toml.read_text() + '[yanked]\n"1.0.0" = "It was wrong."\n')
    content = {path: data for path, data in read_tree(place).items() if path.parts[0] == "pbes"}
    release(place / "home", place / "registry", content)
    served(url, "prompt/river_letter/", "It was wrong.")
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1].endswith("stopped\n")


def test_serve_shows_drafts_and_follows_them_to_the_first_publish(serving, registry, tmp_path):
    place = tmp_path / "checkout"
    shutil.copytree(registry / "pbes", place / "pbes")
    process = serving("--draft", "--out", str(tmp_path / "site"), cwd=place)
    first = process.stdout.readline()
    url = first.split(" at ")[1].split(" ")[0]
    assert first.startswith("serving 5 entries, 5 drafts at ")
    served(url, "prompt/river_letter/", "Draft: not released.")
    for path, text in entry("river_boat").items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    served(url, "", '<a href="prompt/river_boat/">')
    readme = place / "pbes/prompt/river_boat/1.0.0/README.md"
    readme.write_text(readme.read_text().replace("# Hello", "# A boat"))
    served(url, "prompt/river_boat/", "A boat</h1>")
    shutil.rmtree(place / "pbes/prompt/river_boat")
    served(url, "", "river_boat", present=False)
    content = {path: data for path, data in read_tree(place).items() if path.parts[0] == "pbes"}
    release(tmp_path / "home", place / "registry", content)
    served(url, "prompt/river_letter/", "psreg install river_letter")
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == "stopped\n"


def test_serve_keeps_what_it_has_if_it_cannot_build(serving, registry, tmp_path):
    place = tmp_path / "checkout"
    shutil.copytree(registry, place)
    process = serving("--out", str(tmp_path / "site"), cwd=place)
    url = process.stdout.readline().split(" at ")[1].split(" ")[0]
    process.stdout.readline()
    timestamp = place / "registry/metadata/timestamp.json"
    timestamp.write_bytes(timestamp.read_bytes().replace(b"1", b"2"))
    assert select.select([process.stderr], [], [], 60)[0]
    assert "TRUST_" in process.stderr.readline()
    served(url, "prompt/river_letter/", "<h1")


def test_serve_for_machines_into_a_folder(serving, tmp_path):
    process = serving("--format", "json", "--quiet", "--out", str(tmp_path / "site"))
    lines = []
    while (line := process.stdout.readline()) != "}\n":
        lines.append(line)
    answer = json.loads("".join([*lines, line]))
    assert answer["schema"] == "psreg.serve/1"
    assert answer["url"].startswith("http://127.0.0.1:")
    assert f"<loc>{answer['url']}" in (tmp_path / "site/sitemap.xml").read_text()


def test_a_busy_port_is_told_at_once(registry):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        done = psreg("serve", "--port", port, cwd=registry, code=4)
    assert f"cannot listen on 127.0.0.1:{port}".encode() in done.stderr
    assert b"--port" in done.stderr


def test_help_has_an_example(registry):
    for command in (["site"], ["serve"]):
        assert b"example:" in psreg(*command, "--help", cwd=registry).stdout


def test_mkdocs_is_loaded_only_to_build():
    code = "import psreg.cli.site, psreg.cli.serve, sys; sys.exit('mkdocs' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=os.environ, check=False).returncode == 0


def test_it_serves_what_tests_an_endpoint_without_psreg(site):
    out, _ = site
    script = out / "scripts/conformance.py"
    done = subprocess.run(
        [sys.executable, "-I", "-S", script, "--endpoint", "http://127.0.0.1:9/chat"],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, b"ENDPOINT_UNREACHABLE" in done.stderr) == (2, True)
    served = json.loads((out / "schemas/pb2s_proof.schema.json").read_bytes())
    assert served == {key: value for key, value in proof_schema().items() if key != "$id"}
