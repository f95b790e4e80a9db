"""Reading the verified bytes of a package record, and refusing what is not one."""

from __future__ import annotations

from psreg.core.errors import TrustError, UnavailableError
from psreg.core.identity import CLASSES
from psreg.registry.records import PackageRecord
from psreg.registry.trust.strict_json import strict_value


def read_record(data: bytes, name: str) -> PackageRecord:
    """Return the package record in `data`, the verified bytes of the target `pkg/<name>.json`.

    Raises:
        TrustError: `TRUST_METADATA`: it is not a strict package record, or that of another name.
        UnavailableError: `NEWER_FORMAT`: its schema is one this psreg does not know.
    """
    try:
        value = strict_value(data)
    except TrustError as error:
        raise bad_record(name, error.message) from error
    schema = value.get("schema") if isinstance(value, dict) else None
    if isinstance(schema, str) and schema.startswith("psreg.package/") and schema[14:] != "1":
        raise newer_format(f"the record of {name} has the format {schema}")
    try:
        record = PackageRecord.from_json(value)
    except ValueError as error:
        raise bad_record(name, str(error)) from error
    if record.name != name:
        raise bad_record(name, f"it is the record of {record.name!r}")
    if record.entry_class not in CLASSES:
        raise newer_format(f"{name} is of the class {record.entry_class!r}")
    return record


def bad_record(name: str, why: str) -> TrustError:
    """Return the error for a record that is malformed, and why."""
    return TrustError("TRUST_METADATA", f"the registry's record of {name} is malformed: {why}")


def newer_format(why: str) -> UnavailableError:
    """Return the error for what only a newer psreg can read."""
    return UnavailableError(
        "NEWER_FORMAT", f"{why}, which this psreg does not know", "install a newer psreg"
    )
