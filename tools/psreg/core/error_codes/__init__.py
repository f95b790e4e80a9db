"""Every code of an error, with its meaning and remedy.

`psreg explain` and the page of the site are made of this table. A test reads every place where an
error is raised and compares both ways, exit codes included. To add a code, raise an error with it
and write its row.
"""

from psreg.core.error_codes.authoring import AUTHORING
from psreg.core.error_codes.command_line import COMMAND_LINE
from psreg.core.error_codes.conversations import ENDPOINTS, GATEWAY, PROTOCOLS, TRIALS
from psreg.core.error_codes.files import FILES
from psreg.core.error_codes.forges import FORGES
from psreg.core.error_codes.history import GIT, REVIEW
from psreg.core.error_codes.prompts import PROMPTS
from psreg.core.error_codes.publishing import PUBLISHING
from psreg.core.error_codes.registries import NETWORK, REGISTRIES
from psreg.core.error_codes.row import ErrorCode, Subject
from psreg.core.error_codes.trust import TRUST

SUBJECTS = (
    COMMAND_LINE,
    FILES,
    REGISTRIES,
    NETWORK,
    TRUST,
    PROMPTS,
    AUTHORING,
    GIT,
    REVIEW,
    FORGES,
    PUBLISHING,
    TRIALS,
    PROTOCOLS,
    ENDPOINTS,
    GATEWAY,
)
"""All codes by subject, in the order of the page."""

ERROR_CODES = {row.code: row for subject in SUBJECTS for row in subject.codes}
"""The same by code."""

__all__ = ["ERROR_CODES", "SUBJECTS", "ErrorCode", "Subject"]
