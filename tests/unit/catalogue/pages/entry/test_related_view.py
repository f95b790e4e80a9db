"""The entries that a release requires, and those that require it."""

import json
from dataclasses import replace

import pytest

from psreg.catalogue.pages.entry.related_view import related
from psreg.catalogue.pages.frame import ROOT
from psreg.catalogue.pages.json_api import dependents_document
from psreg.catalogue.pages.listing import Row
from psreg.formats import schema
from support.catalogue import ATTRIBUTE, SCRIPT, opened, tree

ENTRIES = opened(tree())


def requiring(requires, name="greeter"):
    entry = ENTRIES[name]
    record = replace(
        entry.latest.record, release={**entry.latest.record.release, "requires": requires}
    )
    latest = replace(entry.latest, record=record)
    return replace(entry, latest=latest, releases=(latest,))


def test_what_a_release_requires_is_linked():
    found = related(ENTRIES["listener"].latest)
    link = f'<a href="{ROOT}?q=river_letter"><code>river_letter</code></a> ^1.0'
    assert f"It works together with {link}, which is installed with it." in found
    assert "It works together" not in related(ENTRIES["greeter"].latest)


def test_where_the_dependents_are():
    found = related(ENTRIES["greeter"].latest)
    assert f'data-name="greeter" data-root="{ROOT}"' in found
    assert f'<a href="{ROOT}api/v1/dependents.json">' in found


def test_the_file_lists_who_requires_what():
    entries = [
        requiring({"river_letter": "^1.0", "listener": "1.0.0"}),
        requiring({"river_letter": "*"}, "hostile"),
        ENTRIES["watcher"],
    ]
    document = json.loads(dependents_document(map(Row.of, entries)))
    assert schema.violations("dependents", document) == ()
    greeter = {"name": "greeter", "class": "stateless_executor", "version": "1.0.0"}
    hostile = {"name": "hostile", "class": "interactive_engine", "version": "0.1.0-rc.1"}
    assert document == {
        "schema": "psreg.dependents/1",
        "dependents": {
            "listener": [{**greeter, "range": "1.0.0"}],
            "river_letter": [{**greeter, "range": "^1.0"}, {**hostile, "range": "*"}],
        },
    }


@pytest.mark.parametrize("requires", [{SCRIPT: SCRIPT, ATTRIBUTE: ATTRIBUTE}, ["x"], 3])
def test_odd_requirements_become_no_markup(requires):
    entry = requiring(requires)
    found = related(entry.latest)
    assert SCRIPT not in found
    assert ATTRIBUTE not in found
    json.loads(dependents_document([Row.of(entry)]))
