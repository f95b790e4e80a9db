"""What `psreg list` tells tools that read bills of materials."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from psreg.client.exports.bill_of_materials import bill_of_materials
from psreg.client.library import Receipt
from psreg.core.identity import ReleaseId

SHA = "ab" * 32
NOW = datetime(2026, 11, 21, 5, tzinfo=UTC)


def receipt(url: str, version: str = "1.0.0+b", installed: str = "2026-11-21T05:00:00Z") -> Receipt:
    release = ReleaseId(entry_class="prompt", name="my_letter", version=version)
    return Receipt(
        release=release,
        sha256=SHA,
        size=4,
        registry={"id": "0" * 32, "url": url},
        installed=installed,
    )


def bill(form: str, *receipts: Receipt, license_: str = "") -> dict:
    licenses = {"my_letter": license_} if license_ else {}
    return bill_of_materials(form, receipts, licenses, version="0.2.0", now=NOW)


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


@pytest.mark.parametrize(
    ("text", "cyclonedx", "spdx", "own"),
    [
        ("MIT", {"license": {"id": "MIT"}}, "MIT", []),
        ("MIT or ISC", {"expression": "MIT OR ISC"}, "MIT OR ISC", []),
        ("LicenseRef-A", {"expression": "LicenseRef-A"}, "LicenseRef-A", ["LicenseRef-A"]),
        ("Our-Licence", {"license": {"name": "Our-Licence"}}, "NOASSERTION", []),
    ],
)
def test_a_licence(text: str, cyclonedx: dict, spdx: str, own: list[str]) -> None:
    (component,) = bill("cyclonedx", receipt("/srv/registry"), license_=text)["components"]
    assert component["licenses"] == [cyclonedx]
    document = bill("spdx", receipt("/srv/registry"), license_=text)
    assert document["packages"][1]["licenseDeclared"] == spdx
    explained = document.get("hasExtractedLicensingInfos", [])
    assert [each["licenseId"] for each in explained] == own


def test_a_licence_that_is_not_known() -> None:
    (component,) = bill("cyclonedx", receipt("/srv/registry"))["components"]
    assert "licenses" not in component
    package = bill("spdx", receipt("/srv/registry"))["packages"][1]
    assert package["licenseDeclared"] == "NOASSERTION"


def test_the_registry_is_named_and_the_day_only_of_what_is_installed() -> None:
    (component,) = bill("cyclonedx", receipt("/srv/registry", installed=""))["components"]
    assert {each["name"]: each["value"] for each in component["properties"]} == {
        "psreg:class": "prompt",
        "psreg:registry": "0" * 32,
    }
    package = bill("spdx", receipt("/srv/registry"))["packages"][1]
    assert package["sourceInfo"] == f"released in the psreg registry {'0' * 32}"
