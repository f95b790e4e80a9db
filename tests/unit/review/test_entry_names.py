"""No entry that lists aliases is overlooked, however it writes them, and by whichever git."""

import pytest

from psreg.core.errors import UnavailableError
from psreg.formats import entry
from psreg.git.objects import Objects
from psreg.git.process import Git
from psreg.review import entry_names
from psreg.review.entry_names import EntryNames, mentioning
from support.bare import Bare

WITH = (
    b'aliases = ["x"]\n',
    b'owners = []\naliases=["x"]\n',
    b'aliases = [ \n  "x",\n]\n',
    b'aliases = [\t# none\n"x"]\n',
    b'"aliases" = ["x"]\n',
    b"'aliases' = ['x']\n",
    b'"ali\\u0061ses" = ["x"]\n',
    b'"\\u0061\\u006ciases" = ["x"]\n',
    b'\taliases = ["x"]\n',
    b'\xef\xbb\xbfaliases = ["x"]\n',
    b'aliases = ["x"] # aliases = []\n',
    b'owners = []\r\naliases = ["x"]\r\n',
    b'aliases = [\r\n"x"]',
)
WITHOUT = (
    b"",
    b"owners = []\n",
    b"aliases = []\n",
    b"aliases=[ \t] # none\nowners = []\n",
    b"owners = []\naliases\t = [\t]",
)


@pytest.fixture(params=range(len(entry_names._ALIASES)), ids=["perl", "extended"])
def roll(request, tmp_path, monkeypatch):
    """A registry of these entries, searched with one of the two patterns."""
    monkeypatch.setattr(entry_names, "_ALIASES", entry_names._ALIASES[request.param :] * 2)
    made = Bare(tmp_path / "prompts.git")
    files = {f"pbes/prompt/e{at}/entry.toml": data for at, data in enumerate((*WITH, *WITHOUT))}
    files["pbes/prompt/e99/1.0.0/entry.toml"] = files["pbes/stray.toml"] = WITH[0]
    files["pbes/prompt/e99/1.0.0/release.toml"] = b'[requires]\ne1 = "^1"\n"e\\u0032" = "^1"\n'
    made.commit("main", files, parent=None)
    made.write()
    git = Git(made.path, tmp_path)
    objects = Objects(git)
    yield EntryNames(git, objects, made.git("rev-parse", "main^{tree}"))
    objects.close()


def test_every_way_to_write_aliases_is_found(roll):
    for data in WITH:
        assert entry.read(data).aliases == ("x",)
    assert {key for keys in roll.by_alias.values() for key in keys} == {
        ("prompt", f"e{at}") for at in range(len(WITH))
    }
    assert list(roll.by_alias) == ["x"]


def test_entries_without_aliases_are_not_even_read(roll):
    roll.find_aliases()
    found = set(roll._search.paths())
    assert found == {"stray.toml", *(f"prompt/e{at}/entry.toml" for at in range(len(WITH)))}


def test_who_mentions_a_name(roll):
    git, root = roll._git, roll._git.ask("rev-parse", "main^{tree}").decode().strip()
    mentioned = {name for _, name in mentioning(git, root, ["e1"])}
    assert mentioned >= {"e99", "e6"}  # e6 has an escape, which might be any name
    with pytest.raises(UnavailableError):
        mentioning(git, "0" * 40, ["e1"])
