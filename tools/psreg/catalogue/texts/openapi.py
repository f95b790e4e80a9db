"""The description of the JSON API for programs that generate clients (OpenAPI 3.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psreg
from psreg.catalogue.pages.frame import Site
from psreg.catalogue.pages.html import visible
from psreg.catalogue.pages.json_api import json_file
from psreg.core.classes import CLASSES

OPENAPI = "api/v1/openapi.json"

_JSON, _TEXT, _MARKDOWN = "application/json", "text/plain", "text/markdown"

_PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "name": {"pattern": "^[a-z][a-z0-9]*(_[a-z0-9]+)*$", "maxLength": 64},
    "class": {"enum": [*CLASSES]},
    "version": {},
    "sha256": {"pattern": "^[0-9a-f]{64}$"},
    "id": {},
    "specification": {},
    "file": {},
}
"""What may be in the place of `{name}` and the like in a path."""

_PARAMETER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Path:
    """A path below the site's root, and what is there; `schema` is a file below `schemas/`."""

    path: str
    operation: str
    summary: str
    schema: str = ""
    media: str = _JSON


_PATHS = (
    _Path(
        path="api/v1/index.json",
        operation="getIndex",
        summary="The registry: its id, its root digest, and the segments of its catalogue",
    ),
    _Path(
        path="api/v1/packages/{name}.json",
        operation="getPackage",
        summary="The record of one name, byte for byte as it is signed",
        schema="package",
    ),
    _Path(
        path="api/v1/owners/{name}.json",
        operation="getOwners",
        summary="Who owns a claimed name",
        schema="claim",
    ),
    _Path(
        path="api/v1/advisories.json",
        operation="getAdvisories",
        summary="All advisories",
        schema="advisories",
    ),
    _Path(
        path="api/v1/dependents.json",
        operation="getDependents",
        summary="Of each entry, which others require it in their latest release",
        schema="dependents",
    ),
    _Path(
        path="advisories/{id}.json",
        operation="getAdvisory",
        summary="One advisory, in the format of OSV",
        schema="advisory",
    ),
    _Path(
        path="registry/targets/segments/{sha256}.json",
        operation="getSegment",
        summary="A segment of the catalogue: one row per entry, column by column",
        schema="segment",
    ),
    _Path(
        path="api/v1/specs/{specification}/{version}.json",
        operation="getSpecification",
        summary="A specification, and the rules that check it",
        schema="specification",
    ),
    _Path(
        path="{class}/{name}/index.md",
        operation="getMarkdown",
        summary="The newest release of an entry as Markdown",
        media=_MARKDOWN,
    ),
    _Path(
        path="pbes/{class}/{name}/{version}/{file}",
        operation="getFile",
        summary="A file of a release, such as the prompt itself",
        media=_TEXT,
    ),
)


def openapi_document(site: Site) -> bytes:
    """Return the file at `OPENAPI`."""
    return json_file(
        {
            "openapi": "3.1.0",
            "info": {
                "title": visible(site.name),
                "version": psreg.__version__,
                "description": "A registry of prompts as plain files: no keys, no limits. What a "
                "program acts on should be verified: see `psreg install --format json`.",
                "license": {"name": "MIT", "identifier": "MIT"},
            },
            "servers": [{"url": site.base_url or "../../"}],
            "security": [],
            "paths": {f"/{each.path}": {"get": _operation(each)} for each in _PATHS},
        }
    )


def _operation(each: _Path) -> dict[str, Any]:
    if each.schema:
        schema = {"$ref": f"../../schemas/{each.schema}.schema.json"}
    else:
        schema = {"type": "object" if each.media == _JSON else "string"}
    return {
        "operationId": each.operation,
        "summary": each.summary,
        "parameters": [_parameter(name) for name in _PARAMETER.findall(each.path)],
        "responses": {
            "200": {"description": each.summary, "content": {each.media: {"schema": schema}}},
            "404": {"description": "There is no such file"},
        },
    }


def _parameter(name: str) -> dict[str, Any]:
    schema = {"type": "string", **_PARAMETERS[name]}
    return {"name": name, "in": "path", "required": True, "schema": schema}
