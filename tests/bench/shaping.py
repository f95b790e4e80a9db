"""The shape step with psreg[fast] against jsonschema with a validator that is built once."""

import importlib.util
import json
import time

from jsonschema import Draft202012Validator

import generate
from measure import Metric
from psreg.formats import schema

NUMBER = 1_000
RUNS = 5
NAME = "interactive_engine"
FASTER = 15


def metrics():
    what = f"shape of {NUMBER:,} valid artifacts, CPU s, vs jsonschema with a reused validator"
    if importlib.util.find_spec("jsonschema_rs") is None:
        yield Metric(what, 0.0, 1 / FASTER, "jsonschema-rs (psreg[fast]) is not installed")
        return
    values = [json.loads(generate.engine(f"made_{n}", n)) for n in range(NUMBER)]
    validator = Draft202012Validator(schema.document(NAME))
    pairs = [
        (
            _took(lambda value: schema.violations(NAME, value), values),
            _took(lambda value: list(validator.iter_errors(value)), values),
        )
        for _ in range(RUNS)
    ]
    ours, theirs = (min(column) for column in zip(*pairs, strict=True))
    yield Metric(what, ours, 1 / FASTER, theirs)


def _took(judge, values):
    began = time.process_time()
    for value in values:
        assert not judge(value)
    return time.process_time() - began
