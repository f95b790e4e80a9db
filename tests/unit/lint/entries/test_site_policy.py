"""What the policy says of the look of a site: a logo, and colours that can be read."""

import re

import pytest

from psreg.cli.rules import all_rules
from psreg.core.diagnostics import ERROR, Report
from psreg.lint.entries.waiver_rules import PAGES
from psreg.lint.registry_walk import check_tree
from support.paths import ROOT
from support.registry_trees import POLICY, tree


def faults(*lines):
    policy = "\n".join([POLICY, "[site]", *lines, ""])
    found = Report.of(0, check_tree(tree({}, policy=policy), all_rules())).diagnostics
    assert {(d.code, d.severity) for d in found} <= {("REG020", ERROR)}
    return [(d.pointer, d.message, d.hint) for d in found]


def test_a_site_can_have_a_logo_and_colours():
    assert faults('logo = "registry/a/logo.svg"') == []
    assert faults('accent = {light = "#7a3b12", dark = "#E9B48A"}') == []
    assert faults('accent = {light = "#7a3b12"}') == []


@pytest.mark.parametrize(
    "logo", ["logo.gif", "/logo.svg", "../logo.svg", "https://example.org/logo.svg", "a b.svg"]
)
def test_a_logo_is_a_picture_of_the_repository(logo):
    message = "`site.logo` is not the path of an SVG or PNG in the repository"
    hint = "Write a path such as `registry/logo.svg`."
    assert faults(f'logo = "{logo}"') == [("/site/logo", message, hint)]


@pytest.mark.parametrize(
    ("colour", "hint"),
    [
        ("1c6b58", "Write `#1c6b58`."),
        ("#Abc", "Write `#AAbbcc`."),
        ("green", "Write `#` and six hexadecimal digits, such as `#1c6b58`."),
        ("#1c6b58;}", "Write `#` and six hexadecimal digits, such as `#1c6b58`."),
    ],
)
def test_what_is_not_a_colour_is_said_with_what_it_may_mean(colour, hint):
    found = ("/site/accent/dark", "`site.accent.dark` is not a colour", hint)
    assert faults(f'accent = {{dark = "{colour}"}}') == [found]


def test_a_colour_must_be_readable_on_its_pages():
    light, dark = faults('accent = {light = "#ffffff", dark = "#14191b"}')
    assert light[1] == "`#ffffff` has a contrast of 1.04 to 1 on light pages"
    assert light[2] == "Write a darker colour; text needs 4.5 to 1."
    assert dark[1] == "`#14191b` has a contrast of 1.00 to 1 on dark pages"
    assert dark[2] == "Write a lighter colour; text needs 4.5 to 1."
    # Of neighbouring greys, only the darker one is enough.
    assert faults('accent = {light = "#737373"}') == []
    assert len(faults('accent = {light = "#747474"}')) == 1


def test_what_has_another_type_is_said_once():
    for line in ("logo = 3", 'accent = "#1c6b58"', "accent = {light = 3}", 'accent = {light = ""}'):
        assert len(faults(line)) == 1, line


def test_the_pages_have_these_colours():
    css = (ROOT / "site/overrides/assets/psreg/theme.css").read_text()
    for scheme, name in {"light": "default", "dark": "slate"}.items():
        rules = css.partition(f'[data-md-color-scheme="{name}"] {{')[2].partition("}")[0]
        assert re.search(r"--ps-bg: (#\w+);", rules)[1] == PAGES[scheme][0]
