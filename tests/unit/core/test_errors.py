"""An error is the same one after it went from one process to another, and never very long."""

import pickle

from psreg.core.errors import LONGEST, FindingsError


def test_an_error_can_travel():
    error = pickle.loads(pickle.dumps(FindingsError("DRIFT", "it differs", "run psreg publish")))
    assert (type(error), error.code, error.message) == (FindingsError, "DRIFT", "it differs")
    assert (error.hint, error.exit_code, str(error)) == ("run psreg publish", 1, "it differs")


def test_an_error_is_never_very_long():
    error = FindingsError("DRIFT", *("k" * 100_000,) * 2, ("d" * LONGEST, "k" * (LONGEST + 1)))
    assert [len(each) for each in (error.message, error.hint, *error.details)] == [LONGEST] * 4
    assert error.message == "k" * (LONGEST - 1) + "…"
    assert error.details[0] == "d" * LONGEST
    assert str(error) == "\n  ".join((error.message, *error.details))
