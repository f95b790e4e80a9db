"""Branches of remotes, as a clone asks for them."""

from psreg.git.branch import Clone
from support.bare import Bare


def test_a_branch_of_the_remote_is_not_mistaken_for_one_that_ends_like_it(tmp_path):
    remote = Bare(tmp_path / "prompts.git")
    remote.commit("main", {"README.md": b"x"}, parent=None)
    remote.commit("a/refs/heads/submit/hello", {"README.md": b"y"})
    remote.write()
    at = tmp_path / "clone"
    remote.git("clone", "-q", remote.path.as_uri(), at)
    clone = Clone(at)
    assert clone.remote_tip("origin", "submit/hello") is None
    remote.git("branch", "submit/hello", "main")
    assert clone.remote_tip("origin", "submit/hello") == remote.git("rev-parse", "main")
