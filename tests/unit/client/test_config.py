"""Settings files: reading, precedence, locks, and changing the user's."""

from __future__ import annotations

import os

import pytest

from psreg.client.config import Settings, is_registry_name
from psreg.client.settings.editing import add_registry, move_registry, remove_registry
from psreg.core.errors import PsregError, TrustError, UnavailableError, UsageError

PIN, OTHER = "a" * 64, "b" * 64
MAIN = f'[registries.main]\nurl = "https://main.example/"\nroot_sha256 = "{PIN}"\n'


@pytest.fixture
def load(tmp_path):
    """Write the named files, then load the settings of a user in `work/deep`."""
    (tmp_path / "work" / "deep").mkdir(parents=True)

    def run(**texts):
        for name, text in texts.items():
            path = tmp_path / "work" / ".psreg.toml" if name == "project" else tmp_path / name
            path.write_text(text)
        start = tmp_path / "work" / "deep"
        return Settings.load(start, system=tmp_path / "system", user=tmp_path / "user")

    return run


def refusal(action):
    with pytest.raises(PsregError) as caught:
        action()
    return caught.value


def test_without_files_nothing_is_set(load):
    settings = load()
    assert settings.default() is None
    assert settings.registries() == ()
    assert settings.warnings == ()


def test_a_named_registry_has_its_pin(load):
    selected = load(user='registry = "main"\n' + MAIN).default()
    assert (selected.location, selected.root_sha256) == ("https://main.example", PIN)


def test_a_url_finds_the_pin_that_was_made_for_it(load, tmp_path):
    settings = load(user=MAIN)
    found = settings.select("https://MAIN.example:443", origin="--registry", start=tmp_path)
    assert found.root_sha256 == PIN
    other = settings.select("https://other.example", origin="--registry", start=tmp_path)
    assert other.root_sha256 is None


@pytest.mark.parametrize("name", ["system", "user", "project"])
def test_one_file_is_enough_to_require_claimed_names(load, name):
    texts = dict.fromkeys(("system", "user", "project"), "require_claimed = false")
    assert not load().require_claimed
    assert not load(**texts).require_claimed
    settings = load(**texts | {name: "require_claimed = true"})
    assert settings.require_claimed
    assert settings.warnings == ()


def test_require_claimed_is_true_or_false(load):
    settings = load(user="\nrequire_claimed = 1")
    error = refusal(lambda: settings.require_claimed)
    assert (error.code, "user:2" in error.message) == ("CONFIG_INVALID", True)


def test_the_later_file_wins(load):
    texts = {"system": 'registry = "https://a.example"', "user": 'registry = "https://b.example"'}
    assert load(**texts).default().location == "https://b.example"
    assert load(project='registry = "https://c.example"').default().location == "https://c.example"


def test_a_path_is_relative_to_the_file_that_says_it(load, tmp_path):
    (tmp_path / "work" / "prompts").mkdir()
    assert load(project='registry = "prompts"').default().location == str(
        tmp_path / "work" / "prompts"
    )
    registries = load(user='[registries.here]\nurl = "work/prompts"').registries()
    assert registries[0].location == str(tmp_path / "work" / "prompts")


def test_a_project_file_makes_nothing_trusted(load):
    selected = load(project='registry = "main"\n' + MAIN).default()
    assert (selected.root_sha256, selected.suggested_sha256) == (None, PIN)
    assert load(project=MAIN).registries() == ()


def test_a_project_file_cannot_change_what_a_name_means(load):
    hostile = MAIN.replace("main.example", "evil.example").replace(PIN, OTHER)
    selected = load(user=MAIN, project='registry = "main"\n' + hostile).default()
    assert (selected.location, selected.root_sha256) == ("https://main.example", PIN)


def test_the_plainer_project_file_is_second(load, tmp_path):
    (tmp_path / "work" / "psreg.toml").write_text('registry = "https://second.example"')
    assert (
        load(project='registry = "https://first.example"')
        .default()
        .location.endswith("first.example")
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_project_file_of_another_user_is_not_used(load, tmp_path):
    settings = load(project='registry = "https://c.example"')
    assert settings.default() is not None
    os.chown(tmp_path / "work" / ".psreg.toml", 12345, 12345)
    settings = load()
    assert settings.default() is None
    assert "belongs to another user" in settings.warnings[0]


def test_an_unknown_setting_is_said(load):
    assert "unknown key `registrys`" in load(user='registrys = "x"').warnings[0]


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("a = \n", 1, "Invalid"),
        ('a = 1\nregistry = "x\n', 2, "Illegal"),
        ("a = 1\n\nregistry = 5\n", 3, "`registry` must be"),
        ('registry = ""\n', 1, "`registry` must be"),
        ("\nregistries = 5\n", 2, "must be a table"),
        ('a = 1\n[registries]\nmain = "x"\n', 3, "must be a table"),
        ('[registries.main]\nroot_sha256 = "x"\n', 1, "has no `url`"),
        (MAIN.replace(PIN, "A" * 64), 1, "64 lower-case"),
        (MAIN.replace(PIN, "a" * 63), 1, "64 lower-case"),
        (MAIN.replace("https", "ftp"), 1, "only https"),
        ('[registries."a/b"]\nurl = "x"\n', 1, "lower case"),
        ("locked = 5", 1, "must be a list"),
        ('locked = ["everything"]', 1, "must be a list"),
        ("a = " + "[" * 5000, 1, "nested too deep"),
        ("a = 1\nb = " + "{a = " * 5000, 2, "nested too deep"),
        ("a = 1\nb = " + "9" * 5000 + "\nc = 1", 2, "a number too long"),
    ],
)
def test_a_bad_file_is_told_with_its_line(load, tmp_path, text, line, why):
    def use():
        settings = load(system=text)
        settings.default()
        settings.registries()

    error = refusal(use)
    assert isinstance(error, UsageError)
    assert error.code == "CONFIG_INVALID"
    assert error.message.startswith(f"{tmp_path / 'system'}:{line}: ")
    assert why in error.message


def test_a_file_that_is_not_utf8_is_told_with_its_line(load, tmp_path):
    (tmp_path / "user").write_bytes(b"a = 1\nb = '\xff'\n")
    assert f"{tmp_path / 'user'}:2:" in refusal(load).message


def test_an_unknown_registry_lists_the_known_ones(load, tmp_path):
    settings = load(user=MAIN)
    error = refusal(lambda: settings.select("mian", origin="--registry", start=tmp_path))
    assert isinstance(error, UnavailableError)
    assert (error.code, "main" in error.hint) == ("UNKNOWN_REGISTRY", True)


# Locks


LOCKED = 'registry = "main"\nlocked = ["registry"]\n' + MAIN


@pytest.mark.parametrize("origin", ["--registry", "PSREG_REGISTRY"])
def test_a_locked_registry_is_not_overridden(load, tmp_path, origin):
    settings = load(system=LOCKED)
    error = refusal(lambda: settings.select("https://x.example", origin=origin, start=tmp_path))
    assert isinstance(error, TrustError)
    assert error.code == "POLICY_LOCKED"
    assert str(tmp_path / "system") in error.message
    same = settings.select("https://main.example", origin=origin, start=tmp_path)
    assert same.root_sha256 == PIN


@pytest.mark.parametrize("file", ["user", "project"])
def test_a_later_file_that_overrides_a_lock_is_named(load, file):
    error = refusal(load(system=LOCKED, **{file: 'registry = "https://x.example"'}).default)
    assert error.code == "POLICY_LOCKED"
    assert "sets `registry`" in error.message


def test_a_later_file_may_agree_with_a_lock(load):
    assert load(system=LOCKED, user='registry = "https://main.example"').default() is not None


def test_a_locked_name_keeps_its_meaning(load):
    hijack = MAIN.replace("main.example", "evil.example")
    assert refusal(load(system=LOCKED, user=hijack).default).code == "POLICY_LOCKED"


def test_only_the_system_file_locks(load):
    settings = load(user='locked = ["registry"]\nregistry = "https://a.example"')
    assert settings.locks == {}


def test_adding_registries_can_be_locked(load):
    settings = load(system='locked = ["registries"]')
    assert refusal(lambda: settings.check_lock("registries", by="add")).code == "POLICY_LOCKED"
    settings.check_lock("registry", by="add")


def test_a_lock_on_nothing_allows_nothing_else(load, tmp_path):
    settings = load(system='locked = ["registry"]')
    error = refusal(lambda: settings.select("https://x.example", origin="--r", start=tmp_path))
    assert error.code == "POLICY_LOCKED"


@pytest.mark.parametrize("name", ["a", "main", "a-b.c_d", "127.0.0.1", "a" * 64])
def test_names_of_registries(name):
    assert is_registry_name(name)


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a/b", "a b", "a" * 65, "ä", "a\n"])
def test_what_names_no_registry(name):
    assert not is_registry_name(name)


# Changing the user's file


def test_the_first_registry_becomes_the_default(tmp_path):
    file = tmp_path / "deep" / "config.toml"
    assert add_registry(file, name="main", location="https://main.example", root_sha256=PIN)
    assert not add_registry(file, name="two", location="/srv/two", root_sha256=OTHER)
    settings = Settings.load(tmp_path, system=tmp_path / "none", user=file)
    assert settings.default().root_sha256 == PIN
    assert [registry.name for registry in settings.registries()] == ["main", "two"]


def test_comments_of_the_person_stay(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text("# mine\nother = 1 # too\n")
    add_registry(file, name="main", location="https://main.example", root_sha256=PIN)
    remove_registry(file, "main")
    assert file.read_text().rstrip() == "# mine\nother = 1 # too"


def test_dropping_what_is_not_there(tmp_path):
    assert not remove_registry(tmp_path / "config.toml", "main")
    assert not (tmp_path / "config.toml").exists()


def test_dropping_keeps_another_default(tmp_path):
    file = tmp_path / "config.toml"
    add_registry(file, name="main", location="https://main.example", root_sha256=PIN)
    add_registry(file, name="two", location="https://two.example", root_sha256=OTHER)
    assert remove_registry(file, "two")
    assert 'registry = "main"' in file.read_text()


def test_a_linked_file_stays_a_link(tmp_path):
    (tmp_path / "dotfiles").mkdir()
    target = tmp_path / "dotfiles" / "psreg.toml"
    target.write_text("")
    (tmp_path / "config.toml").symlink_to(target)
    add_registry(tmp_path / "config.toml", name="m", location="https://m.example", root_sha256=PIN)
    assert (tmp_path / "config.toml").is_symlink()
    assert "m.example" in target.read_text()


def test_a_file_that_is_no_toml_is_left_alone(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text("= nonsense")
    with pytest.raises(UsageError):
        add_registry(file, name="m", location="https://m.example", root_sha256=PIN)
    assert file.read_text() == "= nonsense"


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnavailableError):
        add_registry(tmp_path / "file" / "c", name="m", location="/m", root_sha256=PIN)


@pytest.mark.parametrize("keeps", [True, False])
def test_a_registry_that_moves_keeps_its_name_and_its_demands(tmp_path, keeps):
    file = tmp_path / "config.toml"
    table = f'# ours\nurl = "https://main.example"\nroot_sha256 = "{PIN}"\nnames = ["acme_*"]\n'
    login = 'header_env = {Authorization = "TEAM_LOGIN"}\n'
    file.write_text(f'registry = "https://main.example"\n[registries.main]\n{table}{login}')
    there = {"location": "https://new.example", "root_sha256": OTHER}
    move_registry(file, "main", **there, keep_access=keeps)
    text = file.read_text()
    assert 'registry = "main"' in text
    assert "# ours" in text
    assert 'names = ["acme_*"]' in text
    assert f'url = "https://new.example"\nroot_sha256 = "{OTHER}"' in text
    assert ("TEAM_LOGIN" in text) is keeps


LOGIN = 'header_env = {Authorization = "TEAM_LOGIN"}\n'


def test_a_registry_says_which_variables_have_its_headers(load):
    settings = load(user='registry = "main"\n' + MAIN + LOGIN)
    assert settings.default().access.header_env == {"Authorization": "TEAM_LOGIN"}


def test_a_clone_chooses_no_variables(load):
    """Its registry could be anywhere, and would get the secrets of this machine."""
    error = refusal(load(project='registry = "main"\n' + MAIN + LOGIN).default)
    assert error.code == "CONFIG_INVALID"
    assert "`main` has `header_env`, which belongs in your own settings" in error.message


def test_an_invalid_header_env_is_refused(load):
    error = refusal(load(user=MAIN + 'header_env = {Authorization = "Bearer s3cret"}\n').registries)
    assert error.code == "CONFIG_INVALID"
    assert "invalid `header_env`" in error.message
    assert "s3cret" not in error.message
