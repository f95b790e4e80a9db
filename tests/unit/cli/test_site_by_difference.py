"""`psreg site build` by difference: what it writes, and that the site is the same as a whole one."""

from __future__ import annotations

import json
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from psreg.catalogue.site_folder import MARKER
from psreg.catalogue.site_source import SiteSource
from psreg.cli.site import built_site
from support.histories import History
from support.owners import ANA, entry_toml
from support.registry_trees import POLICY, entry, tree, version
from support.site_worlds import World
from support.walks import sampled

NAMES = ("apple_pie", "garden_plan", "night_owl")
UPDATE = {
    path: text + 'changes = "Is briefer."\n' if path.endswith("release.toml") else text
    for path, text in version("apple_pie", "1.1.0").items()
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registry of three entries, with a site."""
    world = World(tmp_path_factory.mktemp("made"))
    world.publish(tree(*(entry(name) for name in NAMES)))
    assert world.build()["changed"] is None
    return world.root


@pytest.fixture
def world(made: Path, tmp_path: Path) -> World:
    """A copy of it, to be changed."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return World(tmp_path)


def test_nothing_is_written_where_nothing_changed(world: World) -> None:
    before = world.site()
    assert world.build()["changed"] == 0
    assert world.site() == before


def test_a_release_changes_the_pages_that_show_it_and_no_others(world: World) -> None:
    before = world.site()
    world.publish(tree(UPDATE))
    built = world.build()
    after = world.site()
    changed = {p for p in {*before, *after} - {MARKER} if before.get(p) != after.get(p)}
    assert built["changed"] == len(changed)
    assert built["files"] == len(after)
    outside = {path for path in changed if not path.startswith("registry/")}
    assert outside == {
        "api/v1/index.json",
        "api/v1/packages/apple_pie.json",
        "feed.atom",
        "feed.json",
        "index.html",
        "pbes/prompt/apple_pie/1.1.0/README.md",
        "pbes/prompt/apple_pie/1.1.0/apple_pie.prompt",
        "pbes/prompt/apple_pie/1.1.0/release.toml",
        "prompt/apple_pie/1.0.0/index.html",
        "prompt/apple_pie/1.0.0/index.md",
        "prompt/apple_pie/1.1.0/index.html",
        "prompt/apple_pie/index.html",
        "prompt/apple_pie/index.md",
        "prompt/apple_pie/badge.svg",
        "prompt/apple_pie/feed.atom",
        "prompt/apple_pie/feed.json",
        "prompt/feed.atom",
        "prompt/feed.json",
        "prompt/index.html",
        "tags/greeting/feed.atom",
        "tags/greeting/feed.json",
    }
    assert after == world.whole()


def test_synonyms_of_the_policy_are_known_to_the_site_and_to_the_command(world: World) -> None:
    def found() -> list[str]:
        command = ("search", "salute", "--registry", str(world.checkout), "--format", "json")
        return [result["name"] for result in json.loads(world.run(*command))["results"]]

    assert found() == []
    world.publish(tree(policy=POLICY + '\n[search]\nsynonyms = ["salute, greeting"]\n'))
    assert found() == sorted(NAMES)
    assert world.build()["changed"]
    after = world.site()
    assert after["assets/psreg/synonyms.txt"].endswith(b"\nsalute, greeting\n")
    assert after == world.whole()


def test_it_says_what_it_did(world: World) -> None:
    out = str(world.root / "site")
    command = ("site", "build", "--out", out, "--base-url", "https://example.org/p/")
    assert world.run(*command).startswith(f"updated {out}: 3 entries, 0 files changed\n")
    (world.root / "site/404.html").unlink()
    assert "0 files changed" in world.run(*command)
    assert world.run(*command, "--full").startswith(f"built {out}: 3 entries, ")
    assert (world.root / "site/404.html").is_file()


@pytest.mark.parametrize("cause", sampled(["address", "frame", "name", "interrupted"], 1))
def test_the_whole_site_is_built_where_all_of_it_may_differ(world: World, cause: str) -> None:
    options: tuple[str, ...] = ()
    if cause == "address":
        options = ("--base-url", "https://example.org/q/")
    elif cause == "frame":
        frame = Path(__file__).parents[3] / "site"
        shutil.copytree(frame, world.checkout / "site")
        world.build()
        page = world.checkout / "site/docs/install.md"
        page.write_text(page.read_text() + "\nMore.\n")
    elif cause == "name":
        world.publish(tree(policy=POLICY + '\n[site]\nname = "Ours"\n'))
    else:
        (world.root / "site" / MARKER).write_text("An unfinished site.\n")
    assert world.build(*options)["changed"] is None
    assert world.build(*options)["changed"] == 0


def test_a_site_stays_as_it_is_if_the_checkout_differs_from_what_is_signed(world: World) -> None:
    world.publish(tree(UPDATE))
    before = world.site()
    (world.checkout / "pbes/prompt/apple_pie/1.1.0/README.md").write_text("Another.\n")
    said = world.run(
        "site",
        "build",
        "--out",
        str(world.root / "site"),
        "--base-url",
        "https://example.org/p/",
        code=1,
    )
    assert "SITE_DRIFT" in said
    assert world.site() == before


def test_a_registry_that_was_put_back_puts_the_site_back(world: World) -> None:
    before = world.site()
    shutil.copytree(world.checkout, world.root / "saved")
    world.publish(tree(UPDATE))
    world.build()
    assert world.site() != before
    shutil.rmtree(world.checkout)
    (world.root / "saved").rename(world.checkout)
    assert world.build()["changed"]
    assert world.site() == before


def test_an_entry_that_is_gone_leaves_nothing(world: World, tmp_path: Path) -> None:
    before = world.site()
    shutil.copytree(world.checkout, world.root / "saved")
    tagged = {p: text.replace("greeting", "odd") for p, text in entry("river_bank").items()}
    world.publish(tree(tagged))
    world.build()
    assert "tags/odd/feed.json" in world.site()
    assert "prompt/river_bank/index.html" in world.site()
    shutil.rmtree(world.checkout)
    (world.root / "saved").rename(world.checkout)
    world.build()
    assert world.site() == before
    assert not (tmp_path / "site/prompt/river_bank").exists()


def test_a_name_of_which_everything_was_purged_says_why(world: World) -> None:
    path = "pbes/prompt/apple_pie/entry.toml"
    gone = 'owners = []\n[deprecated]\nreason = "It had a <key>."\nreplacement = "night_owl"\n'
    world.publish(tree({path: gone}))
    world.run("purge", "apple_pie@1.0.0", "--reason", "It contains a secret & more.")
    world.publish({})
    world.build()
    site = world.site()
    with ThreadPoolExecutor(1) as executor:
        place = SiteSource(checkout=world.checkout, registry=world.checkout / "registry")
        base = "https://example.org/p/"
        built_site(place, world.root / "shared", base, workers=executor)
    assert site == world.site("shared")
    page = site["prompt/apple_pie/index.html"].decode()
    body = page.partition("<h1")[2].partition("</article>")[0]
    assert "It was removed on 2026-11-2" in body
    assert "It contains a secret &amp; more." in body
    assert "It had a &lt;key&gt;." in body
    assert 'href="../../?q=night_owl"' in body
    assert "<button" not in body
    assert "psreg install" not in body
    assert "This version was removed" in site["prompt/apple_pie/1.0.0/index.html"].decode()
    assert json.loads(site["api/v1/packages/apple_pie.json"])["name"] == "apple_pie"
    assert not [file for file in site if file.startswith("pbes/prompt/apple_pie/")]
    listed = ("index.html", "prompt/index.html", "llms.txt", "sitemap.xml")
    assert [file for file in listed if b"apple_pie" in site[file]] == []


def test_many_changes_build_the_whole_site(world: World) -> None:
    names = [f"x{one}_{other}" for one in "abcdefghijklmno" for other in "abcdefghijklmno"]
    world.publish(tree(*(entry(name) for name in names)))
    assert world.build()["changed"] is None


@pytest.mark.parametrize("steps", sampled([200, 3, 4, 5], 1))
def test_law_changing_one_by_one_gives_what_building_the_last_state_gives(
    tmp_path: Path, steps: int
) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    history, world = History(seed), World(tmp_path)
    for _ in range(steps):
        world.publish(history.step())
        world.build()
    assert world.site() == world.whole()


def test_a_claim_changes_the_pages_of_a_name(world: World) -> None:
    path = "prompt/apple_pie/index.html"
    owned = {"pbes/prompt/apple_pie/entry.toml": entry_toml(ANA).decode()}
    world.publish(tree(owned))
    world.build()
    assert b"not yet countersigned" in world.site()[path]
    world.run("keys", "owners", "apple_pie", "-q")
    world.build()
    assert b"claimed by o1" in world.site()[path]
    assert world.site() == world.whole()
