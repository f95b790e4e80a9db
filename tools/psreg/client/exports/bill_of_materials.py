"""Lists of prompts for tools that read bills of materials: CycloneDX 1.6 and SPDX 2.3."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from psreg.client.library import Receipt
from psreg.formats.licenses import DEFAULT_ALLOWED, is_reference, spdx_expression

_OF_ADDRESSES = ":/?#[]@!$&'(),*+;=%"
_LIBRARY = "SPDXRef-Library"  # no name of a prompt has a capital letter


def bill_of_materials(
    form: str,
    receipts: Sequence[Receipt],
    licenses: Mapping[str, str],
    *,
    version: str,
    now: datetime,
) -> dict[str, Any]:
    """Return a list in the form `cyclonedx` or `spdx`, as JSON data.

    `licenses` are those of the signed records, by name, as far as they are known. `version` is that
    of psreg, and `now` is UTC.
    """
    created = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    build = _cyclonedx if form == "cyclonedx" else _spdx
    return build(receipts, licenses, version, created)


def _cyclonedx(
    receipts: Sequence[Receipt], licenses: Mapping[str, str], version: str, created: str
) -> dict[str, Any]:
    tool = {"type": "application", "name": "psreg", "version": version}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": created, "tools": {"components": [tool]}},
        "components": [_component(each, licenses.get(each.release.name, "")) for each in receipts],
    }


def _component(receipt: Receipt, license_: str) -> dict[str, Any]:
    release = receipt.release
    properties = {
        "psreg:class": release.entry_class,
        "psreg:registry": receipt.registry["id"],
        "psreg:installed": receipt.installed,  # "" for what a project has locked
    }
    component = {
        "type": "file",
        "bom-ref": f"psreg:{release.name}@{release.version}",
        "name": release.name,
        "version": release.version,
        "hashes": [{"alg": "SHA-256", "content": receipt.sha256}],
        "purl": receipt.release.package_url(receipt.sha256),
        "properties": [
            {"name": name, "value": value} for name, value in properties.items() if value
        ],
    }
    if license_:
        component["licenses"] = [_license(license_)]
    if address := _address(receipt):
        component["externalReferences"] = [{"type": "distribution", "url": address}]
    return component


def _license(text: str) -> dict[str, Any]:
    """Return a licence: an id of SPDX, an expression, or a name."""
    if text in DEFAULT_ALLOWED:
        return {"license": {"id": text}}
    expression = spdx_expression(text)
    return {"expression": expression} if expression else {"license": {"name": text}}


def _spdx(
    receipts: Sequence[Receipt], licenses: Mapping[str, str], version: str, created: str
) -> dict[str, Any]:
    packages = [_package(each, licenses.get(each.release.name, "")) for each in receipts]
    library = {
        "SPDXID": _LIBRARY,
        "name": "prompts of psreg",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
    }
    digest = hashlib.sha256(json.dumps([created, packages]).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": library["name"],
        "documentNamespace": f"urn:psreg:{digest}",
        "creationInfo": {"created": created, "creators": [f"Tool: psreg-{version}"]},
        "packages": [library, *packages],
        "relationships": [
            _related("SPDXRef-DOCUMENT", "DESCRIBES", _LIBRARY),
            *(_related(_LIBRARY, "CONTAINS", package["SPDXID"]) for package in packages),
        ],
    }
    declared = {package["licenseDeclared"] for package in packages}
    if own := sorted(filter(is_reference, declared)):
        document["hasExtractedLicensingInfos"] = [
            {"licenseId": name, "extractedText": "Ask the maintainers of the registry."}
            for name in own
        ]
    return document


def _related(one: str, kind: str, other: str) -> dict[str, str]:
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def _package(receipt: Receipt, license_: str) -> dict[str, Any]:
    release = receipt.release
    expression = spdx_expression(license_) if license_ else None
    identity = {
        "referenceCategory": "PACKAGE-MANAGER",
        "referenceType": "purl",
        "referenceLocator": receipt.release.package_url(receipt.sha256),
    }
    return {
        "SPDXID": f"SPDXRef-{release.name.replace('_', '-')}",  # one version of a name is active
        "name": release.name,
        "versionInfo": release.version,
        "packageFileName": release.filename,
        "downloadLocation": _address(receipt) or "NOASSERTION",
        "filesAnalyzed": False,
        "sourceInfo": f"released in the psreg registry {receipt.registry['id']}",
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": expression or "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": receipt.sha256}],
        "externalRefs": [identity],
    }


def _address(receipt: Receipt) -> str:
    """Return the address of an artifact, "" if its registry is not behind a URL."""
    url = receipt.registry["url"]
    if not url.startswith(("https://", "http://")):
        return ""
    return f"{quote(url.rstrip('/'), safe=_OF_ADDRESSES)}/{quote(str(receipt.release.artifact))}"
