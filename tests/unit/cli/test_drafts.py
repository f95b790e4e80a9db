"""`psreg site build --draft` and `psreg serve --draft`: what is not published, marked as a draft."""

from __future__ import annotations

import json
import random
import shutil
from importlib.resources import files
from pathlib import Path, PurePosixPath

import pytest
from jsonschema import Draft202012Validator

from psreg.catalogue.server import SiteServer
from psreg.catalogue.site_folder import MARKER
from support.histories import History
from support.pipelines import git
from support.publishing import files as files_below
from support.registry_trees import RELEASE, entry, tree, version
from support.site_worlds import World
from support.walks import sampled

NAMES = ("apple_pie", "garden_plan", "night_owl")
UPDATE = version("apple_pie", "1.1.0", release=RELEASE + 'changes = "Is briefer."\n')
DRAFT = "Draft: not released."
HOME = "index.html"
APPLE, RIVER = "prompt/apple_pie/index.html", "prompt/river_bank/index.html"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registry of three entries, with a site; the keys are elsewhere."""
    world = World(tmp_path_factory.mktemp("made"))
    world.publish(tree(*(entry(name) for name in NAMES)))
    world.build()
    (world.root / "home").rename(world.root / "elsewhere")
    return world.root


@pytest.fixture
def world(made: Path, tmp_path: Path) -> World:
    """A copy of it, to be changed."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return World(tmp_path)


def drafted(world: World) -> dict[str, str]:
    """Return the pages and the API of the site with drafts."""
    world.build("--draft")
    found = world.site().items()
    return {path: data.decode() for path, data in found if path.endswith((".html", ".json"))}


def test_a_draft_is_shown_and_marked_and_nothing_of_it_is_signed(world: World) -> None:
    before = world.site()
    world.put(tree(UPDATE, entry("river_bank")))
    built = world.build("--draft")
    after = world.site()
    assert (built["entries"], built["drafts"], built["files"]) == (4, 2, len(after))
    changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    assert changed - {MARKER} == {
        "api/v1/drafts.json",
        "api/v1/index.json",
        "index.html",
        "llms.txt",
        "pbes/prompt/apple_pie/1.1.0/README.md",
        "pbes/prompt/apple_pie/1.1.0/apple_pie.prompt",
        "pbes/prompt/apple_pie/1.1.0/release.toml",
        "pbes/prompt/river_bank/1.0.0/README.md",
        "pbes/prompt/river_bank/1.0.0/release.toml",
        "pbes/prompt/river_bank/1.0.0/river_bank.prompt",
        "prompt/apple_pie/1.0.0/index.html",
        "prompt/apple_pie/1.0.0/index.md",
        "prompt/apple_pie/1.1.0/index.html",
        "prompt/apple_pie/badge.svg",
        "prompt/apple_pie/index.html",
        "prompt/apple_pie/index.md",
        "prompt/index.html",
        "prompt/river_bank/1.0.0/index.html",
        "prompt/river_bank/badge.svg",
        "prompt/river_bank/feed.atom",
        "prompt/river_bank/feed.json",
        "prompt/river_bank/index.html",
        "prompt/river_bank/index.md",
        "prompt/river_bank/oembed.json",
        "sitemap.xml",
    }
    assert built["changed"] == len(changed) - 1
    for path in (APPLE, RIVER, "prompt/apple_pie/1.1.0/index.html"):
        page = after[path].decode()
        assert DRAFT in page
        assert "psreg install" not in page
        assert "psreg verify" not in page
        for name in ("index.md", "badge.svg"):
            assert b"draft" in after[path.replace("1.1.0/", "").replace("index.html", name)].lower()
    assert json.loads(after["prompt/river_bank/feed.json"])["items"] == []
    assert after["llms.txt"].count(b"(draft)") == 2
    assert "Copy the prompt" in after[APPLE].decode()
    released = after["prompt/apple_pie/1.0.0/index.html"].decode()
    assert DRAFT not in released
    assert "psreg install apple_pie@1.0.0" in released
    assert "This is a preview with drafts." in after[HOME].decode()
    assert not (world.root / "home").exists()


def test_back_and_forth_gives_what_whole_builds_give(world: World) -> None:
    plain = world.site()
    assert world.build("--draft")["changed"]
    world.put(tree(UPDATE, entry("river_bank")))
    world.build("--draft")
    assert world.build("--draft")["changed"] == 0
    world.build("--draft", "--full", out="whole")
    assert world.site() == world.site("whole")
    shutil.rmtree(world.checkout / "pbes/prompt/river_bank")
    assert RIVER not in drafted(world)
    shutil.rmtree(world.checkout / "pbes/prompt/apple_pie/1.1.0")
    world.build()
    assert world.site() == plain


def test_a_draft_that_is_published_is_a_draft_no_more(world: World) -> None:
    shutil.copytree(world.root / "site", world.root / "plain")
    world.put(tree(UPDATE, entry("river_bank")))
    shown = drafted(world)
    (world.root / "elsewhere").rename(world.root / "home")
    world.run("publish", "--quiet")
    assert world.build("--draft")["drafts"] == 0
    assert "psreg install river_bank" in drafted(world)[RIVER]
    world.build()
    world.build(out="plain")
    site = world.site()
    assert site == world.site("plain")
    # Besides its marks, a draft looked exactly like the release.
    for path in (APPLE, RIVER):
        start, end = "<h2", '<section id="versions"'
        was, now = shown[path], site[path].decode()
        assert was[was.index(start) : was.index(end)] == now[now.index(start) : now.index(end)]


def test_a_client_of_a_preview_gets_what_is_signed(world: World) -> None:
    world.put(tree(UPDATE, entry("river_bank")))
    before = files_below(world.root / "site/registry")
    pin = str(world.build("--draft")["root_sha256"])
    assert files_below(world.root / "site/registry") == before
    assert json.loads(drafted(world)["api/v1/packages/apple_pie.json"])["serial"] == 1
    with SiteServer(world.root / "site", 0) as server, server.in_background():
        world.run("registry", "add", server.url, "--root-sha256", pin)
        assert "apple_pie 1.0.0" in world.run("install", "apple_pie")
        assert "river_bank" in world.run("install", "river_bank", code=4)
        assert "1.1.0" in world.run("install", "apple_pie@1.1.0", code=4)


def test_a_draft_with_errors_is_shown_with_them_beside_the_others(world: World) -> None:
    world.put(tree(UPDATE, entry("river_bank")))
    toml = world.checkout / "pbes/prompt/river_bank/1.0.0/release.toml"
    toml.write_text(toml.read_text().replace('license = "MIT"', 'license = "<b>no</b>"'))
    site = drafted(world)
    assert DRAFT in site[APPLE]
    assert "1 error: this cannot be released yet." in site[RIVER]
    assert "&lt;b&gt;no&lt;/b&gt;" in site[RIVER]
    assert '<a href="../../rules/REG' in site[RIVER]
    assert "1 error" in site[HOME]
    assert DRAFT in site[RIVER]
    assert json.loads(site["api/v1/drafts.json"])["draft"] == [True, True]
    toml.write_text(RELEASE)
    assert "1 error" not in drafted(world)[HOME]


def test_a_registry_before_its_first_publish_has_a_preview(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.put(tree(entry("river_bank")))
    built = world.build("--draft")
    assert (built["entries"], built["registry_id"], built["root_sha256"]) == (1, None, None)
    schema = files("psreg.formats") / "schemas/site.schema.json"
    Draft202012Validator(json.loads(schema.read_bytes())).validate(built)
    site = world.site()
    assert DRAFT in site[RIVER].decode()
    assert "This registry has not been published yet." in site[HOME].decode()
    assert not any(path.startswith("registry/") for path in site)
    assert not (tmp_path / "home").exists()


def commit(world: World) -> None:
    git("add", "--all", cwd=world.checkout)
    git("commit", "--quiet", "--allow-empty", "-m", "Change", cwd=world.checkout)


def test_what_git_says_is_the_same_is_not_compared_again(world: World) -> None:
    git("init", "--quiet", cwd=world.checkout)
    world.put({PurePosixPath("pbes/stray.txt"): b"x"})
    commit(world)
    assert world.build("--draft")["drafts"] == 0
    released = "pbes/prompt/night_owl/1.0.0/README.md"
    git("update-index", "--assume-unchanged", released, cwd=world.checkout)
    (world.checkout / released).write_text("Another.\n")
    world.put(tree(UPDATE))
    commit(world)
    assert world.build("--draft")["drafts"] == 1
    world.put(tree(entry("river_bank")))
    assert world.build("--draft")["drafts"] == 2
    assert "pbes/stray.txt" in drafted(world)[HOME]
    for path in UPDATE:
        (world.checkout / path).unlink()
    assert world.build("--draft")["drafts"] == 1
    assert world.build("--draft", "--full")["drafts"] == 2


def test_a_preview_is_never_deployed(world: World) -> None:
    world.build("--draft")
    where = (f"file://{world.root}/bucket", "--site", str(world.root / "site"))
    assert "DRAFT_SITE" in world.run("deploy", *where, code=2)
    assert not (world.root / "bucket").exists()
    world.build()
    assert "in force" in world.run("deploy", *where)


@pytest.mark.parametrize("steps", sampled([3, 4, 5], 1))
def test_law_changing_drafts_one_by_one_gives_what_a_whole_build_gives(
    tmp_path: Path, steps: int
) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    history, world = History(seed), World(tmp_path)
    choice = random.Random(seed)
    world.publish(history.step())
    git("init", "--quiet", cwd=world.checkout)
    for _ in range(steps):
        world.put(history.step())
        if choice.random() < 0.5:
            commit(world)
        if choice.random() < 0.3:
            world.run("publish", "--quiet")
        world.build(*choice.choice([(), ("--draft",), ("--draft",)]))
    world.build("--draft")
    world.build("--draft", "--full", out="whole")
    assert world.site() == world.site("whole")
    world.build()
    world.build(out="whole")
    assert world.site() == world.site("whole")
