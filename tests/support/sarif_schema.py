"""The schema of SARIF logs, and what it says of one.

Hundreds of logs are judged, each with all our rules: the validator written in Rust takes a
hundredth of the time of the other one.
"""

import json

import jsonschema_rs

from support.paths import TESTS

TEXT = (TESTS / "data" / "sarif-schema-2.1.0.json").read_text()
SCHEMA = json.loads(TEXT.replace("}]?$", r"}\\]?$"))  # what is meant, as a strict reader wants it
VALIDATOR = jsonschema_rs.Draft7Validator(SCHEMA, validate_formats=True)


def faults(log):
    """Return what is wrong with a SARIF log, as messages."""
    return [error.message for error in VALIDATOR.iter_errors(log)]
