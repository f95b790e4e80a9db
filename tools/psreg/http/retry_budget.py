"""The limits of HTTP requests: times, speed, redirects, and one budget of retries for a run."""

from __future__ import annotations

from psreg.core.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one run. Times are seconds, `rate` is bytes per second, the rest are counts.

    `rate` is the minimum for the whole answer so far, from `grace` seconds after its first byte on;
    `retries` is one budget for all requests of a run; `longest_wait` is the longest time that a
    server may ask us to wait before the next attempt. `unreached` is how many of the retries are
    for a server to which there is no connection.
    """

    connect: float = 10.0
    silence: float = 15.0
    request: float = 60.0
    run: float = 300.0
    grace: float = 5.0
    rate: int = 1024
    retries: int = 3
    unreached: int = 3
    backoff: float = 0.25
    longest_wait: float = 20.0
    redirects: int = 3
