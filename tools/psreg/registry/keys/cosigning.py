"""Adds what witnesses have signed to the checkpoint of the log."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from psreg.core.errors import UnavailableError
from psreg.registry.baseline import Ports, read_baseline
from psreg.registry.current_state import make_current, ready_to_sign
from psreg.registry.log.checkpoint import with_cosignatures
from psreg.registry.publish import PublishResult, result_of
from psreg.registry.trust.issuing import issue
from psreg.registry.trust.metadata import info_of
from psreg.registry.trust.roles import CHECKPOINT, LIFETIMES, Target, target_path


def cosign(
    lines: bytes, now: datetime, ports: Ports, lifetimes: Mapping[str, timedelta] = LIFETIMES
) -> PublishResult:
    """Add cosignatures of witnesses to the checkpoint in force, and make that current.

    `lines` are what witnesses answered: a signature on each line (C2SP tlog-witness).

    Raises:
        TrustError: as `publish.resign`; TRUST_LOG: they are not such lines.
        UnavailableError: NOT_PUBLISHED: there is no log; files cannot be read or written.
    """
    baseline = read_baseline(ports)
    state = baseline.state
    if state is None or state.checkpoint is None:
        raise UnavailableError("NOT_PUBLISHED", "there is no log to cosign yet")
    state.check_bins()
    root, signer, _ = ready_to_sign(baseline, now, lifetimes, ports)
    note = with_cosignatures(state.checkpoint, lines)
    target, copies = Target.of(note), {CHECKPOINT: note}
    documents = issue(state, {CHECKPOINT: target}, signer) if note != state.checkpoint else ()
    files = {target_path(CHECKPOINT, target.sha256): note} if documents else {}
    written = make_current(baseline, info_of(root).id, files, documents, ports, copies=copies)
    return result_of(baseline, documents, signer, baseline.head, written)
