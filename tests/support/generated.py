"""How many texts Hypothesis makes of a pattern: few, and the same ones each time."""

from hypothesis import HealthCheck, Phase, settings

MATCHES = settings(
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
