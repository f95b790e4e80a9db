"""Which licences a registry accepts unless its policy says otherwise (DESIGN §2).

SPDX identifiers of licences the Open Source Initiative approved, and the two Creative Commons
deeds made for text. Expressions such as `MIT OR Apache-2.0` are not read yet.
"""

from __future__ import annotations

_OSI_APPROVED = (
    "0BSD",
    "AFL-3.0",
    "AGPL-3.0-only",
    "AGPL-3.0-or-later",
    "Apache-2.0",
    "Artistic-2.0",
    "BlueOak-1.0.0",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-2-Clause-Patent",
    "BSD-3-Clause",
    "BSD-3-Clause-LBNL",
    "BSL-1.0",
    "CAL-1.0",
    "CDDL-1.0",
    "CECILL-2.1",
    "ECL-2.0",
    "EFL-2.0",
    "EPL-1.0",
    "EPL-2.0",
    "EUPL-1.1",
    "EUPL-1.2",
    "GPL-2.0-only",
    "GPL-2.0-or-later",
    "GPL-3.0-only",
    "GPL-3.0-or-later",
    "ISC",
    "LGPL-2.1-only",
    "LGPL-2.1-or-later",
    "LGPL-3.0-only",
    "LGPL-3.0-or-later",
    "LPPL-1.3c",
    "MIT",
    "MIT-0",
    "MPL-1.1",
    "MPL-2.0",
    "MPL-2.0-no-copyleft-exception",
    "MS-PL",
    "MS-RL",
    "MulanPSL-2.0",
    "NCSA",
    "OFL-1.1",
    "OSL-3.0",
    "PostgreSQL",
    "Python-2.0",
    "QPL-1.0",
    "SISSL",
    "Unicode-3.0",
    "UPL-1.0",
    "Unlicense",
    "W3C",
    "Zlib",
    "ZPL-2.1",
)

DEFAULT_ALLOWED = frozenset((*_OSI_APPROVED, "CC0-1.0", "CC-BY-4.0"))
"""The allow list of a policy that has none."""
