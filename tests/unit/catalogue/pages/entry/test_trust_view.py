"""What the pages of an entry say about owners, reviewers and the log."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path, PurePosixPath

import pytest

from psreg.catalogue.pages.entry.entry_page import entry_pages
from psreg.catalogue.pages.frame import ROOT, Site
from psreg.core.ssh_key import SshKey
from psreg.formats.tree import POLICY
from psreg.formats.tree import Tree as RegistryTree
from psreg.registry.actions.withdrawal import Withdrawal
from psreg.registry.keys.claiming import claim_names
from psreg.registry.owners.claim import claim_of
from psreg.registry.owners.review import review_of
from psreg.registry.published import Entry, SignedRecord, entries
from support.claims import ALPHA, claimed, owned, record_of, signed_by
from support.owners import ANA, BEN, entry_toml
from support.publishing import NOW, Tree, ports, release, state_of

HOME = "prompt/alpha/"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    return tmp_path / "registry"


def shown(registry: Path, tree: Tree) -> Entry:
    """Return `alpha` as the catalogue reads it."""
    state = state_of(registry)
    record, claim = record_of(registry), claim_of("alpha", state.owners)
    signed = SignedRecord(record=record, raw=state.packages["alpha"], claim=claim)
    (entry,) = entries([signed], lambda path: tree.get(PurePosixPath(path)), [])
    return entry


def bodies(registry: Path, entry: Entry) -> dict[str, str]:
    id_ = state_of(registry).registry_id
    site = Site(name="psreg", registry_id=id_, mode="dev", root_sha256="cd" * 32)
    return {page.path: page.body for page in entry_pages(entry, site)}


def line(body: str) -> str:
    """Return the line at the top, "" if there is none."""
    return body.partition('<p class="ps-trust">')[2].partition("</p>")[0]


def chain(body: str) -> list[str]:
    """Return the sentences about who vouches for the bytes."""
    steps = body.partition('<ol class="ps-chain">')[2].partition("</ol>")[0]
    return steps.removeprefix("<li>").removesuffix("</li>").split("</li><li>")


def signed_and_reviewed(home: Path, registry: Path) -> Tree:
    """Publish `alpha` 1.1.0, which its owner has claimed and signed, and a reviewer has read."""
    tree = claimed(home, registry) | owned("1.0.0", "1.1.0")
    tree[POLICY] = f'[[reviewer]]\nname = "Ben <b>"\nkeys = ["{BEN.line}"]\n'.encode()
    tree |= signed_by(registry, tree, "1.1.0", ANA)
    release(home, registry, tree, NOW + timedelta(days=1))
    record = record_of(registry)
    row = record.release("1.1.0")
    assert row is not None
    message = review_of(record, row, state_of(registry).registry_id).message
    place = PurePosixPath("pbes/prompt/alpha/reviews/1.1.0.1.txt")
    tree[place] = BEN.sign(message, "review@psreg")
    release(home, registry, tree, NOW + timedelta(days=2))
    return tree


def test_a_claimed_signed_and_reviewed_release(home: Path, registry: Path) -> None:
    tree = signed_and_reviewed(home, registry)
    pages = bodies(registry, shown(registry, tree))
    said = "Signed by its owner o1 · reviewed by Ben &lt;b&gt;"
    assert line(pages[HOME]) == f'<a href="#trust">{said}</a>'
    assert line(pages[f"{HOME}1.1.0/"]) == f'<a href="{ROOT}{HOME}#trust">{said}</a>'
    assert line(pages[f"{HOME}1.0.0/"]) == ""  # older than the claim, and not signed
    details = pages[HOME].partition('id="trust"')[2]
    row = record_of(registry).release("1.1.0")
    assert row is not None
    assert row.log is not None
    for text in (
        "claimed by o1; one of them must sign each release",
        SshKey.parse(ANA.line).fingerprint,
        SshKey.parse(BEN.line).fingerprint,
        f"entry {row.log.index}, {row.date[:10]}",
        f'api/v1/packages/alpha.json">in the signed record</a> <code>{row.log.statement}',
        "psreg verify alpha",
    ):
        assert text in details, text
    owner, reviewer, registry_, log, client = chain(details)
    assert owner == "o1 signed what this version consists of: as an owner of alpha."
    assert reviewer == "Ben &lt;b&gt; read it and signed a review."
    assert registry_.startswith("The registry wrote the SHA-256 of its bytes into a record")
    assert log.startswith(f"A log that only grows has the release as entry {row.log.index}, so")
    assert client.startswith("psreg checks all this (The Update Framework) and the SHA-256 before")
    older = pages[f"{HOME}1.0.0/"].partition('id="trust"')[2]
    assert chain(older)[0] == "No owner of alpha signed it. The registry alone vouches for it."
    assert len(chain(older)) == 4
    assert "no owner; the keys of the registry alone" in older
    assert "Reviewed by" not in older


def test_a_new_name(home: Path, registry: Path) -> None:
    tree = owned("1.0.0")
    release(home, registry, tree)
    body = bodies(registry, shown(registry, tree))[HOME]
    assert line(body) == '<a href="#trust">New name, not yet countersigned</a>'
    assert "until an owner claims it, the keys of the registry can release it" in body
    tree |= signed_by(registry, tree, "1.0.0", ANA)
    release(home, registry, tree, NOW + timedelta(days=1))
    body = bodies(registry, shown(registry, tree))[HOME]
    assert ">Signed by its owner o1 · new name, not yet countersigned<" in body


def test_only_what_is_verified_is_shown(home: Path, registry: Path) -> None:
    entry = shown(registry, signed_and_reviewed(home, registry))
    row = entry.latest.record
    other = replace(row, files=row.files[1:])  # is not what was signed and reviewed
    empty = replace(row, statement={"signatures": "none"}, reviews=())
    malformed = replace(row, statement={"signatures": [{}]}, reviews=())
    for record in (other, empty, malformed):
        latest = replace(entry.latest, record=record)
        body = bodies(registry, replace(entry, latest=latest, releases=(latest,)))[HOME]
        assert line(body) == ""
        assert "no owner; the keys of the registry alone" in body


def test_nothing_is_praised_that_is_revoked_or_a_draft(home: Path, registry: Path) -> None:
    entry = shown(registry, signed_and_reviewed(home, registry))
    why = Withdrawal(kind="revoke", reason="it leaks", date="2026-11-22T00:00:00Z", action=1)
    revoked = replace(entry.latest, record=replace(entry.latest.record, revoked=why))
    for latest in (revoked, replace(entry.latest, draft=True)):
        body = bodies(registry, replace(entry, latest=latest, releases=(latest,)))[HOME]
        assert line(body) == ""


def test_a_name_that_is_recovered(home: Path, registry: Path) -> None:
    tree = claimed(home, registry) | {ALPHA: entry_toml(BEN)}
    assert "<dt>Recovery</dt>" not in bodies(registry, shown(registry, tree))[HOME]
    (alpha,) = (each for each in RegistryTree(tree).entries if each.name == "alpha")
    claim_names([alpha], NOW, ports(home, registry), recover="a <b>lost</b> laptop")
    release(home, registry, tree, NOW)
    body, day = bodies(registry, shown(registry, tree))[HOME], (NOW + timedelta(days=7)).date()
    assert f"pending until {day}: a &lt;b&gt;lost&lt;/b&gt; laptop" in body
    spoiled = replace(record_of(registry), recoveries=({},))
    entry = replace(shown(registry, tree), record=spoiled)
    assert "pending until" not in bodies(registry, entry)[HOME]
