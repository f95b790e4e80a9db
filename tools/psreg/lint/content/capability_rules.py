"""The rule that compares the capabilities a release declares with what its text asks for."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import WARNING, Finding
from psreg.core.rule import Rule, rule
from psreg.lint.content.patterns import hits, patterns, table
from psreg.lint.content.shown import quoted
from psreg.lint.content.texts import Content


@rule("PS071", spec="registry/CONTENT", severity=WARNING)
def capabilities_differ(content: Content) -> Iterator[Finding]:
    """The capabilities declared in release.toml are not those the text asks for.

    ## Why
    `capabilities` tells people before they install an entry whether its assistant goes online,
    works on files, runs tools, or remembers things from one conversation to the next. A text that
    asks for more than it declares surprises them; one that declares what it never uses teaches
    them to ignore the list. Only plain orders count as asking: “search the web”, “save it to a
    file named …”. “Do not browse the web” is none, nor is “save your work” or “file a report”.

    ## Fix
    Make the list in release.toml agree with the text.

    ```toml
    capabilities = ["network"]      # the text says: search the web for each claim
    ```

    If a phrase only sounds like an order to the assistant, waive the rule:

    ```toml
    [waivers]
    PS071 = "It is the learner who searches the web, not the assistant."
    ```
    """
    if content.capabilities is None:
        return
    asked = set()
    for hit in hits(content, patterns("access", "asks")):
        capability = hit.pattern.note
        if capability not in content.capabilities and capability not in asked:
            yield Finding(
                message=f"{quoted(hit.plain)} needs `{capability}`, which is not declared",
                at=hit.passage.span(hit.start, hit.end),
                hint=f'Add "{capability}" to capabilities in release.toml, or ask for less.',
            )
        asked.add(capability)
    for capability, words in table("access")["mentions"].items():
        declared = capability in content.capabilities and capability not in asked
        if declared and not any(word in content.lower for word in words):
            yield Finding(
                message=f"release.toml declares `{capability}`, but nothing here asks for it",
                hint=f'Take "{capability}" out of capabilities in release.toml.',
            )


MANIFEST_RULES: tuple[Rule[Content], ...] = (capabilities_differ,)
