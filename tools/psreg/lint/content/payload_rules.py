"""The rules about running what cannot be read: decoded, downloaded, or packed."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import Rule, rule
from psreg.lint.content.patterns import hits, patterns
from psreg.lint.content.texts import Content


@rule("PS032", spec="registry/CONTENT", severity=ERROR)
def decode_then_execute(content: Content) -> Iterator[Finding]:
    """Something is decoded and run in one go.

    ## Why
    `base64 -d | sh` has one purpose: running commands that nobody saw. More than half of the
    malicious skills found in public registries worked this way. An honest text shows its commands.

    ## Fix
    Write the command out. If the text is about such attacks, shorten the example so that it does
    not run (`base64 -d … | sh`), or waive the rule with a reason:

    ```toml
    [waivers]
    PS032 = "The prompt explains what this malware does, line by line."
    ```
    """
    for hit in hits(content, patterns("payloads", "PS032")):
        yield hit.finding(hint="Show the command instead of its encoded form.")


@rule("PS033", spec="registry/CONTENT", severity=ERROR)
def download_then_run(content: Content) -> Iterator[Finding]:
    """Something is downloaded and run in one go.

    ## Why
    `curl … | sh` runs whatever the server sends at that moment: not what it sent when the entry
    was reviewed, perhaps not what it sends to somebody else. An assistant with a terminal does it
    without looking. In a code block, which is there to be run, it is an error. In a sentence, where
    manuals of installers mention it, it is a warning.

    ## Fix
    Name the package and let people install it in their usual way, or give three steps: download a
    fixed version, compare its digest, run it.

    ```toml
    [waivers]
    PS033 = "The official installer of Rust; the prompt helps with its questions."
    ```
    """
    for hit in hits(content, patterns("payloads", "PS033")):
        fenced = hit.passage.in_fence(hit.start)
        yield hit.finding(
            hint="Name the package, or download a fixed version and compare its digest first.",
            severity=None if fenced else WARNING,
        )


@rule("PS060", spec="registry/CONTENT", severity=ERROR)
def executable_link(content: Content) -> Iterator[Finding]:
    """A link leads to a program, or to an archive that is to be unpacked.

    ## Why
    The largest wave of malicious skills so far said in friendly words: first download this, the
    password is such and such, then start it. The password keeps scanners out. A prompt is text;
    whatever else it needs comes from where people get their software.

    ## Fix
    Link to the page of the program, not to the file, and name the package. If the file itself is
    what the entry is about, waive the rule with a reason:

    ```toml
    [waivers]
    PS060 = "The firmware whose update the assistant explains, on the maker's own site."
    ```
    """
    for hit in hits(content, patterns("payloads", "PS060")):
        yield hit.finding(hint="Link to the program's page and name the package.")


PAYLOAD_RULES: tuple[Rule[Content], ...] = (
    decode_then_execute,
    download_then_run,
    executable_link,
)
