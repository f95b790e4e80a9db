"""Which forge a remote is on, and the page on which a person opens a pull request."""

import pytest

from psreg.forges.remotes import RemoteRepository, hosted, page_to_open

HUB = RemoteRepository(forge="github", host="github.com", path="keepers/prompts")
FORK = RemoteRepository(forge="github", host="github.com", path="ana/prompts")
NEW = "https://gitlab.com/a/group/prompts/-/merge_requests/new"
TARGET = "merge_request%5Btarget_branch%5D"
LAB = RemoteRepository(forge="gitlab", host="gitlab.com", path="a/group/prompts")


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("https://github.com/keepers/prompts.git", HUB),
        ("https://token:x-oauth@github.com/keepers/prompts", HUB),
        ("git@github.com:keepers/prompts.git", HUB),
        ("ssh://git@GitHub.com:22/keepers/prompts.git/", HUB),
        ("https://gitlab.com/a/group/prompts.git", LAB),
        ("git@gitlab.com:a/group/prompts", LAB),
        ("https://git.example/x/y", RemoteRepository(forge="", host="git.example", path="x/y")),
        ("/srv/git/prompts.git", None),
        ("../prompts", None),
        ("file:///srv/git/prompts.git", None),
        ("https://github.com", None),
        ("https://[bad/x", None),
        ("", None),
    ],
)
def test_addresses(address, place):
    assert hosted(address, {}) == place


def test_hosts_of_their_own():
    environ = {"GITHUB_SERVER_URL": "https://hub.example", "CI_SERVER_HOST": "lab.example"}
    assert hosted("https://hub.example/a/b", environ).forge == "github"
    assert hosted("https://lab.example/a/b", environ).forge == "gitlab"
    assert hosted("https://gitlab.example/a/b", {}).forge == "gitlab"


@pytest.mark.parametrize(
    ("into", "own", "target", "page"),
    [
        (HUB, HUB, "main", "https://github.com/keepers/prompts/compare/main...submit/x?expand=1"),
        (
            HUB,
            FORK,
            "main",
            "https://github.com/keepers/prompts/compare/main...ana:submit/x?expand=1",
        ),
        (HUB, FORK, "", "https://github.com/keepers/prompts/compare/ana:submit/x?expand=1"),
        (
            LAB,
            LAB,
            "main",
            f"{NEW}?merge_request%5Bsource_branch%5D=submit%2Fx&{TARGET}=main",
        ),
        (
            LAB,
            LAB,
            "",
            f"{NEW}?merge_request%5Bsource_branch%5D=submit%2Fx",
        ),
        (RemoteRepository(forge="", host="git.example", path="x/y"), HUB, "main", ""),
        (None, HUB, "main", ""),
        (HUB, None, "main", ""),
    ],
)
def test_pages(into, own, target, page):
    assert page_to_open(into, own, target, "submit/x") == page
