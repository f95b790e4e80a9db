"""The entries that a release requires, and those that require it.

Which entries require it is not in its own record. A script fetches the list of all when somebody
looks, so that a release changes no page but its own.
"""

from __future__ import annotations

from psreg.catalogue.pages.entry import release_view
from psreg.catalogue.pages.frame import ROOT, address
from psreg.catalogue.pages.html import link, section, text
from psreg.registry.published import Release

DEPENDENTS = "api/v1/dependents.json"
"""The file that says of each entry which others require it."""


def related(release: Release) -> str:
    """Return the section about other entries."""
    required = release_view.requires(release)
    lead = (
        f"<p>It works together with {required}, which is installed with it.</p>" if required else ""
    )
    file = address(DEPENDENTS)
    return section(
        "related",
        "Other prompts",
        f'{lead}<details class="ps-dependents" data-name="{text(release.id.name)}" '
        f'data-root="{ROOT}" data-file="{file}"><summary>Prompts that require it'
        f"</summary><p>All are in {link(file, 'a list for programs')}.</p></details>",
    )
