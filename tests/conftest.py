"""What holds for every test: no test is timed, not even by Hypothesis."""

import os

from hypothesis import HealthCheck, settings

if "CI" not in os.environ:  # there, Hypothesis' own profile holds: no deadline, no chance
    settings.register_profile(
        "untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("untimed")
