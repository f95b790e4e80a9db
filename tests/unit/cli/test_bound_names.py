"""Several registries: which one a name is looked for in, and which one never hears of it."""

from __future__ import annotations

import json
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from psreg.client.library import Library
from simulator import Simulator
from support.clients import Client
from support.loopback import serving

WORK = "fedcba9876543210" * 2


def prompt(text):
    return f"[CONTENT]\n{text}\n".encode()


def add_prompt(registry, name, version="1.0.0", text="", requires=None):
    details = {"release": {"requires": requires}} if requires else {}
    data = prompt(text or f"{name} {version}")
    return registry.release(name, version, data, entry_class="prompt", **details)


@contextmanager
def two(tmp_path, fill):
    """Yield a person who trusts a public registry and one of their firm, as `fill` fills them."""
    client = Client(tmp_path / "client")
    public, work = Simulator(), Simulator(registry_id=WORK)
    fill(public, work)
    public.publish(), work.publish()
    with serving(public.files) as out, serving(work.files) as inside:
        yield SimpleNamespace(
            run=client.run,
            client=client,
            place=client.place,
            out=out,
            inside=inside,
            public=public,
            work=work,
            settings=client.home / "config" / "config.toml",
            library=Library(client.library),
        )


def add(world, server, registry, *options):
    done = world.run("registry", "add", server.url, "--root-sha256", registry.pin, *options)
    assert done.code == 0, done.err
    server.asked.clear()


def bind(world, *patterns):
    options = [text for pattern in patterns for text in ("--names", pattern)]
    add(world, world.out, world.public, "--name", "main")
    add(world, world.inside, world.work, "--name", "work", *options)


def asked_for(server, name):
    return [path for path in server.asked if name in path]


def both(public, work):
    """Fill both with `acme_review`, the public one with a newer version of it."""
    add_prompt(public, "acme_review", "9.9.9", "an impostor")
    add_prompt(public, "glossary")
    add_prompt(work, "acme_review", text="ours")
    add_prompt(work, "handbook")


@pytest.fixture
def world(tmp_path):
    with two(tmp_path, both) as made:
        yield made


def lock_of(world):
    return json.loads((world.place / "psreg.lock").read_bytes())["prompts"]


def test_a_bound_name_is_asked_of_its_registry_alone(world):
    bind(world, "acme_*", "handbook")
    done = world.run("install", "acme_review", "glossary", "handbook")
    assert done.code == 0, done.err
    receipts = {each.release.name: each for each in world.library.receipts()}
    assert receipts["acme_review"].registry["id"] == WORK
    assert receipts["acme_review"].release.version == "1.0.0"
    assert receipts["glossary"].registry["id"] != WORK
    assert asked_for(world.out, "acme") == asked_for(world.out, "handbook") == []
    assert asked_for(world.inside, "glossary") == []


@pytest.mark.parametrize(
    "argv",
    [
        ("info", "acme_review"),
        ("show", "acme_review"),
        ("render", "acme_review"),
        ("diff", "acme_review@1.0.0", "acme_review@1.0.0"),
        ("open", "acme_review"),
        ("add", "acme_review"),
    ],
)
def test_no_command_asks_another_registry_for_a_bound_name(world, argv):
    bind(world, "acme_*")
    world.run(*argv, BROWSER="true")
    assert asked_for(world.inside, "acme_review")
    assert asked_for(world.out, "acme_review") == []


def test_a_name_that_two_registries_have_is_of_neither(world):
    bind(world)
    done = world.run("install", "acme_review")
    assert done.code == 1
    assert "error[NAME_OF_TWO_REGISTRIES]: two registries have `acme_review`" in done.err
    assert world.out.url in done.err
    assert world.inside.url in done.err
    assert world.run("info", "acme_review", "--format", "json").refusal == (
        1,
        "NAME_OF_TWO_REGISTRIES",
    )
    assert world.client.installed() == []
    chosen = world.run("install", "acme_review", "--registry", "work")
    assert chosen.code == 0, chosen.err


def test_a_name_that_one_registry_has_is_found_there(world):
    bind(world)
    assert world.run("install", "handbook", "glossary").code == 0
    absent = world.run("install", "nothing_like_it", "--format", "json")
    assert absent.refusal == (4, "UNKNOWN_NAME")


def test_another_registry_than_the_bound_one_is_refused_before_it_is_asked(world, monkeypatch):
    bind(world, "acme_*")
    done = world.run("install", "acme_review", "--registry", "main", "--format", "json")
    assert done.refusal == (1, "NAME_OF_TWO_REGISTRIES")
    done = world.run("info", "acme_review", "--format", "json", PSREG_REGISTRY=world.out.url)
    assert done.refusal == (1, "NAME_OF_TWO_REGISTRIES")
    assert world.out.asked == []


def test_a_mirror_of_the_bound_registry_is_the_same_one(world, tmp_path):
    bind(world, "acme_*")
    mirror = world.work.store(tmp_path / "mirror")
    done = world.run("install", "acme_review", "--registry", mirror)
    assert done.code == 0, done.err
    assert str(mirror) in world.library.receipt("acme_review").registry["url"]
    other = world.public.store(tmp_path / "other")
    done = world.run("install", "acme_review", "--registry", other, "--format", "json")
    assert done.refusal == (1, "NAME_OF_TWO_REGISTRIES")
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    done = world.run("install", "acme_review", "--registry", nothing, "--format", "json")
    assert done.refusal == (1, "NAME_OF_TWO_REGISTRIES")


def test_registries_that_all_have_names_have_no_others(world):
    add(world, world.inside, world.work, "--name", "work", "--names", "acme_*")
    done = world.run("install", "glossary", "--format", "json")
    assert done.refusal == (4, "NO_REGISTRY")
    assert world.inside.asked == []
    # A person may name one for a name that is not bound.
    done = world.run("install", "handbook", "--registry", "work")
    assert done.code == 0, done.err


def test_a_registry_that_cannot_be_asked_may_have_the_name(world):
    bind(world)
    text = world.settings.read_text().replace(world.inside.url, "http://127.0.0.1:1")
    world.settings.write_text(text)
    done = world.run("install", "glossary")
    assert done.code == 4
    assert "bind the name with `names`" in done.err
    assert world.client.installed() == []


def test_what_is_searched_says_where_it_is(world):
    bind(world, "acme_*")
    found = world.run("search", "--format", "json").json
    assert [
        (each["name"], each["version"], each["registry"]["id"] == WORK) for each in found["results"]
    ] == [("glossary", "1.0.0", False), ("acme_review", "1.0.0", True)]
    assert [each["id"] == WORK for each in found["registries"]] == [False, True]
    said = world.run("search", "glossary").out
    assert said.splitlines()[0].endswith(f"({world.out.url})")
    named = world.run("search", "--registry", "main", "--format", "json").json
    assert [each["name"] for each in named["results"]] == ["glossary"]


def test_a_search_shows_what_the_settings_bind_twice(world):
    bind(world, "acme_*")
    text = world.settings.read_text().replace(
        "[registries.work]", 'names = ["acme_*"]\n[registries.work]'
    )
    world.settings.write_text(text)
    found = world.run("search", "acme", "--format", "json").json
    assert found["count"] == 2
    assert world.run("info", "acme_review", "--format", "json").refusal == (
        1,
        "NAME_OF_TWO_REGISTRIES",
    )


def test_a_project_locks_each_name_from_its_registry(world):
    bind(world, "acme_*")
    done = world.run("add", "acme_review", "glossary")
    assert done.code == 0, done.err
    ids = {name: each["registry"] for name, each in lock_of(world).items()}
    assert ids["acme_review"] == WORK
    assert ids["glossary"] != WORK
    for argv in (("lock",), ("sync",), ("outdated",), ("update",), ("install", "--frozen")):
        done = world.run(*argv)
        assert done.code == 0, done.err
    assert asked_for(world.out, "acme") == []
    assert asked_for(world.inside, "glossary") == []


def test_a_lock_says_which_of_two_registries_it_is(world):
    bind(world)
    assert world.run("add", "acme_review", "--format", "json").refusal == (
        1,
        "NAME_OF_TWO_REGISTRIES",
    )
    bound = world.settings.read_text().replace(
        "[registries.work]\n", '[registries.work]\nnames = ["acme_*"]\n'
    )
    plain = world.settings.read_text()
    world.settings.write_text(bound)
    assert world.run("add", "acme_review").code == 0
    world.settings.write_text(plain)
    for argv in (("sync",), ("install", "--frozen"), ("lock",)):
        done = world.run(*argv)
        assert done.code == 0, done.err
    assert lock_of(world)["acme_review"]["registry"] == WORK


def test_a_project_file_binds_names_to_registries_of_the_user(world):
    bind(world)
    text = '[prompts]\nacme_review = "*"\n[registries.work]\nnames = ["acme_*"]\n'
    (world.place / "psreg.toml").write_text(text)
    done = world.run("sync")
    assert done.code == 0, done.err
    assert lock_of(world)["acme_review"]["registry"] == WORK
    assert asked_for(world.out, "acme") == []


def test_a_clone_cannot_send_a_bound_name_elsewhere(world):
    bind(world, "acme_*")
    elsewhere = f'[registries.evil]\nurl = "{world.out.url}"\nnames = ["acme_review"]\n'
    (world.place / "psreg.toml").write_text(f'[prompts]\nacme_review = "*"\n{elsewhere}')
    for argv in (("sync",), ("lock",), ("install", "acme_review"), ("info", "acme_review")):
        done = world.run(*argv, "--format", "json")
        assert done.refusal == (1, "NAME_OF_TWO_REGISTRIES")
    text = f'[prompts]\nacme_review = {{version = "*", registry = "{world.out.url}"}}\n'
    (world.place / "psreg.toml").write_text(text)
    for argv in (("sync",), ("lock",), ("add", "acme_review")):
        done = world.run(*argv, "--format", "json")
        assert done.refusal == (1, "NAME_OF_TWO_REGISTRIES")
    assert world.out.asked == []


def test_a_clone_that_says_the_same_as_the_user_is_heeded(world):
    bind(world, "acme_*")
    same = f'[registries.firm]\nurl = "{world.inside.url}"\nnames = ["acme_review"]\n'
    (world.place / "psreg.toml").write_text(f'[prompts]\nacme_review = "*"\n{same}')
    assert world.run("sync").code == 0


def required_elsewhere(public, work):
    add_prompt(work, "acme_review", requires={"glossary": "^1"})
    add_prompt(public, "lesson", requires={"acme_words": "^1"})
    for version in ("1.0.0", "1.9.0"):
        add_prompt(public, "glossary", version)
        add_prompt(public, "acme_words", version)
    add_prompt(work, "acme_words")


@pytest.fixture
def requiring(tmp_path):
    with two(tmp_path, required_elsewhere) as made:
        yield made


def test_what_is_required_is_of_the_registry_that_it_is_bound_to(requiring):
    bind(requiring, "acme_*")
    done = requiring.run("install", "acme_review", "lesson")
    assert done.code == 0, done.err
    found = {each.release.name: each for each in requiring.library.receipts()}
    versions = {
        name: (each.release.version, each.registry["id"] == WORK) for name, each in found.items()
    }
    assert versions == {
        "acme_review": ("1.0.0", True),
        "glossary": ("1.9.0", False),
        "lesson": ("1.0.0", False),
        "acme_words": ("1.0.0", True),
    }
    assert asked_for(requiring.out, "acme") == []


def test_a_project_locks_what_is_required_from_where_it_is_bound(requiring):
    bind(requiring, "acme_*")
    for argv in (("add", "acme_review", "lesson"), ("lock",), ("install", "--frozen"), ("sync",)):
        done = requiring.run(*argv)
        assert done.code == 0, done.err
    ids = {name: each["registry"] == WORK for name, each in lock_of(requiring).items()}
    assert ids == {"acme_review": True, "glossary": False, "lesson": False, "acme_words": True}
    assert asked_for(requiring.out, "acme") == []


def test_offline_the_receipt_says_which_registry_it_is(world):
    bind(world, "acme_*")
    assert world.run("install", "acme_review", "glossary").code == 0
    text = world.settings.read_text().replace('names = ["acme_*"]\n', "")
    world.settings.write_text(text)
    for name in ("glossary", "acme_review"):
        done = world.run("info", name, "--offline", "--format", "json")
        assert done.code == 0, done.err
        assert (done.json["registry"]["id"] == WORK) == (name == "acme_review")
    done = world.run("info", "handbook", "--offline", "--format", "json")
    assert done.refusal == (4, "NOT_KEPT")


def test_offline_what_was_never_read_has_nothing(world):
    bind(world)
    done = world.run("info", "glossary", "--offline", "--format", "json")
    assert done.refusal == (4, "NOT_KEPT")


def test_the_system_locks_which_registry_is_used(world):
    bind(world, "acme_*")
    system = world.client.home / "system" / "config.toml"
    system.parent.mkdir()
    table = f'[registries.main]\nurl = "{world.out.url}"\nroot_sha256 = "{world.public.pin}"\n'
    system.write_text(f'registry = "main"\nlocked = ["registry"]\n{table}')
    done = world.run("install", "acme_review", "--format", "json")
    assert done.refusal == (3, "POLICY_LOCKED")
    assert world.run("install", "glossary").code == 0
    system.write_text(system.read_text() + 'names = ["*"]\n')
    assert world.run("info", "glossary").code == 0


def test_patterns_are_written_and_listed(world):
    bind(world, "acme_*", "handbook")
    add(world, world.inside, world.work, "--name", "work")  # again: the names stay
    listed = world.run("registry", "list", "--format", "json").json["registries"]
    assert {each["name"]: each["names"] for each in listed} == {
        "main": [],
        "work": ["acme_*", "handbook"],
    }
    assert f"{world.inside.url} for acme_*, handbook" in world.run("registry", "list").out
    argv = ("registry", "add", world.inside.url, "--names", "Acme*", "--format", "json")
    assert world.run(*argv).refusal == (2, "USAGE")


@pytest.mark.parametrize("names", ['"acme_*"', "[1]", '["Acme_*"]', '["a*b"]', '["**"]', '["_*"]'])
def test_names_that_are_not_patterns_are_told(world, names):
    bind(world)
    world.settings.write_text(world.settings.read_text() + f"names = {names}\n")
    done = world.run("install", "glossary")
    assert done.code == 2
    assert "has invalid `names`" in done.err
