"""Frames with holes: filling, links to the root, and the policy of a page."""

import base64
import hashlib

import pytest

from psreg.catalogue.pages.frame import ROOT, Page, Shells, Site, Template, address, crumbs

SITE = Site(name="Reg <1>", registry_id="ab" * 16, mode="dev", root_sha256="cd" * 32)
SHELL = (
    "<!--psreg:policy--><title><!--psreg:title--></title><!--psreg:head-->"
    "<script>one()</script><script src=x></script>|<!--psreg:body-->|"
)


def page(**changes):
    values = {"path": "prompt/x/", "title": "A & B", "description": 'Says "hi"', "body": "text"}
    return Page(**{**values, **changes})


def test_only_the_frame_has_holes():
    template = Template("a<!--psreg:x-->b<!--psreg:y-->c<!-- psreg:z -->")
    assert template.fill({"x": "<!--psreg:y-->"}) == "a<!--psreg:y-->bc<!-- psreg:z -->"


def test_the_policy_names_inline_scripts_by_digest_once():
    digest = base64.b64encode(hashlib.sha256(b"a\nb").digest()).decode()
    policy = Template("<script>a\nb</script><script>a\nb</script><script src=c></script>").policy
    assert policy.count(f"'sha256-{digest}'") == 1
    assert "script-src 'self' 'sha256-" in policy
    assert "default-src 'self'" in policy
    assert "unsafe-eval" not in policy


def test_the_policy_of_run_allows_connections_and_nothing_else():
    template = Template("<script>a</script>")
    assert "connect-src" not in template.policy
    assert template.policy_of_run.replace("connect-src http: https:; ", "") == template.policy


def test_a_page_is_filled_in():
    html = Shells({2: SHELL}, SITE).fill(page(body=f'<a href="{ROOT}x">'))
    assert "<title>A &amp; B · Reg &lt;1&gt;</title>" in html
    assert 'content="Says &quot;hi&quot;"' in html
    assert '|<a href="../../x">|' in html
    assert "canonical" not in html


@pytest.mark.parametrize(
    ("canonical", "expected"), [("", "prompt/x/1.0.0/"), ("prompt/x/", "prompt/x/")]
)
def test_with_an_address_pages_are_canonical(canonical, expected):
    site = Site(
        name="r", registry_id="", mode="dev", root_sha256="", base_url="https://example.org/sub/"
    )
    html = Shells({3: SHELL}, site).fill(page(path="prompt/x/1.0.0/", canonical=canonical))
    assert f'<link rel="canonical" href="https://example.org/sub/{expected}">' in html
    assert f'<meta property="og:url" content="https://example.org/sub/{expected}">' in html


def test_the_command_names_the_address_if_it_is_known():
    assert SITE.add_command == f"psreg registry add URL_OF_THIS_SITE --root-sha256 {'cd' * 32}"


def test_addresses_and_crumbs():
    assert address('a b/"<.md') == ROOT + "a%20b/%22%3C.md"
    out = crumbs([("Prompts", ""), ("<x>", "")])
    assert f'<li><a href="{ROOT}">Prompts</a></li><li aria-current="page">&lt;x&gt;</li>' in out
    assert page().file == "prompt/x/index.html"
