"""What `psreg list` tells tools that read bills of materials."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from psreg.client.exports.bill_of_materials import bill_of_materials
from psreg.client.library import Receipt
from psreg.core.identity import ReleaseId

SHA = "ab" * 32
NOW = datetime(2026, 11, 21, 5, tzinfo=UTC)


def receipt(url: str, version: str = "1.0.0+b") -> Receipt:
    release = ReleaseId(entry_class="prompt", name="my_letter", version=version)
    return Receipt(
        release=release,
        sha256=SHA,
        size=4,
        registry={"id": "0" * 32, "url": url},
        installed="2026-11-21T05:00:00Z",
    )


def bill(form: str, *receipts: Receipt) -> dict:
    return bill_of_materials(form, receipts, version="0.2.0", now=NOW)


def test_a_component_of_cyclonedx() -> None:
    found = bill("cyclonedx", receipt("https://prompts.example.org/"))
    assert found["metadata"]["timestamp"] == "2026-11-21T05:00:00Z"
    (component,) = found["components"]
    assert component["hashes"] == [{"alg": "SHA-256", "content": SHA}]
    assert component["purl"] == f"pkg:generic/my_letter@1.0.0%2Bb?checksum=sha256%3A{SHA}"
    (reference,) = component["externalReferences"]
    path = "pbes/prompt/my_letter/1.0.0%2Bb/my_letter.prompt"
    assert reference["url"] == f"https://prompts.example.org/{path}"


def test_a_package_of_spdx() -> None:
    found = bill("spdx", receipt("/srv/registry"))
    library, package = found["packages"]
    described, contained = found["relationships"]
    assert described["relatedSpdxElement"] == contained["spdxElementId"] == library["SPDXID"]
    assert contained["relatedSpdxElement"] == package["SPDXID"]
    assert package["SPDXID"] == "SPDXRef-my-letter"
    assert package["downloadLocation"] == "NOASSERTION"
    assert package["checksums"] == [{"algorithm": "SHA256", "checksumValue": SHA}]
    assert found["creationInfo"]["creators"] == ["Tool: psreg-0.2.0"]


def test_a_folder_is_not_an_address() -> None:
    (component,) = bill("cyclonedx", receipt("/srv/registry"))["components"]
    assert "externalReferences" not in component


@pytest.mark.parametrize("form", ["cyclonedx", "spdx"])
def test_the_same_prompts_give_the_same_list(form: str) -> None:
    one, other = receipt("/srv/registry"), receipt("/srv/registry", "2.0.0")
    assert bill(form, one) == bill(form, one)
    assert bill(form, one) != bill(form, other)
