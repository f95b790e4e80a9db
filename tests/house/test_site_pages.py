"""A built site has the page of every rule and specification, and no link among them is dead."""

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin

import pytest

from psreg.cli.rules import all_rules
from psreg.formats.specs import specifications
from support import catalogue
from support.corpus_cases import CORPUS

RULES = all_rules()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    root = tmp_path_factory.mktemp("registry")
    out = root / "_site"
    command = [sys.executable, "-m", "psreg", "site", "build", "--out", str(out), "--quiet"]
    checkout = catalogue.checkout(root)
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


def test_explained_rules_are_those_of_the_corpus_and_each_has_a_page(site):
    command = [sys.executable, "-m", "psreg", "explain", "--all", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    codes = sorted(rule["code"] for rule in json.loads(done.stdout))
    assert codes == sorted(folder.name for folder in CORPUS.iterdir() if folder.is_dir())
    assert [code for code in codes if not (site / "rules" / code / "index.html").is_file()] == []


def test_explained_errors_are_on_their_page_and_in_the_search(site):
    command = [sys.executable, "-m", "psreg", "explain", "--errors", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    places = [error["url"] for error in json.loads(done.stdout)]
    page = (site / "errors/index.html").read_text(encoding="utf-8")
    assert places
    assert [at for at in places if f'id="{at.removeprefix("errors/#")}"' not in page] == []
    found = {page["path"] for page in json.loads((site / "search/documents.json").read_bytes())}
    assert set(places) <= found
    assert {rule.page for rule in RULES} | {spec.page for spec in specifications()} <= found
    assert not found & {"", "404.html", "prompt/", "shell/2/"}
    assert 'href="../errors/"' in (site / "rules/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("spec", specifications(), ids=lambda spec: spec.cited)
def test_specifications_have_a_page_and_a_document(site, spec):
    page = (site / spec.page / "index.html").read_text(encoding="utf-8")
    assert all(f'id="{row.id}"' in page for row in spec.rows)
    served = json.loads((site / f"api/v1/specs/{spec.name}/{spec.version}.json").read_bytes())
    assert served["page"] == spec.page


def test_links_between_rules_specifications_and_behaviour_lead_somewhere(site):
    pages = [*(rule.page for rule in RULES), *(spec.page for spec in specifications())]
    pages += ["specs/", "semantics/", "rules/"]
    dead = []
    for page in pages:
        text = (site / page / "index.html").read_text(encoding="utf-8")
        for href in re.findall(r'href="([^"]+)"', text):
            place, _, anchor = urljoin(f"https://here/{page}", href).partition("#")
            path = place.removeprefix("https://here/")
            if path.startswith(("rules/", "specs/", "semantics/", "api/v1/specs/")):
                target = site / path / ("index.html" if path.endswith("/") else "")
                if not target.is_file() or (anchor and not _has(target, anchor)):
                    dead.append((page, href))
    assert dead == []


def _has(target: Path, anchor: str) -> bool:
    text = target.read_text(encoding="utf-8")
    return f'id="{anchor}"' in text or f"id={anchor} " in text
