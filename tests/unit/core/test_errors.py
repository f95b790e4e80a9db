"""An error is the same one after it went from one process to another."""

import pickle

from psreg.core.errors import FindingsError


def test_an_error_can_travel():
    error = pickle.loads(pickle.dumps(FindingsError("DRIFT", "it differs", "run psreg publish")))
    assert (type(error), error.code, error.message) == (FindingsError, "DRIFT", "it differs")
    assert (error.hint, error.exit_code, str(error)) == ("run psreg publish", 1, "it differs")
