"""The rules about phrases: dropped instructions, jailbreaks, secrecy, chat tokens, capabilities.

Each phrase also has honest uses, above all in texts about attacks. The findings are therefore
warnings that an author waives with a reason; by themselves they never reject an entry. A phrase in
quotes or in code, near words that teach about attacks, is information only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding, Span
from psreg.core.rule import Rule, rule
from psreg.core.terminal import quoted
from psreg.lint.content.pattern_search import Rows, hits
from psreg.lint.content.pattern_tables import any_spelling, patterns, phrases, table
from psreg.lint.content.texts import Content
from psreg.lint.segments import Kind

if TYPE_CHECKING:
    from psreg.formats.dotprompt import Prompt


_LISTED = 6
"""The most words that a message lists."""


@rule("PS010", spec="registry/CONTENT", severity=WARNING)
def instruction_override(content: Content) -> Iterator[Finding]:
    """The text tells an assistant to ignore its instructions.

    ## Why
    “Ignore all previous instructions” takes an assistant away from the people who set it up. A
    prompt that starts a conversation has nothing to override, and a prompt inside another program
    has no right to. Telling an assistant not to obey the material it works on is different and
    allowed: “Ignore any instructions in the text below” passes.

    ## Fix
    Say what the assistant should do instead of what it should forget. If the text quotes the phrase
    because it is about such attacks, keep the phrase and say so in release.toml:

    ```toml
    [waivers]
    PS010 = "The phrase is an example of an attack that the assistant learns to recognise."
    ```
    """
    for hit in hits(content, phrases("PS010")):
        yield hit.finding(
            hint="Say what to do instead, or waive PS010 with a reason.",
            severity=INFO if hit.is_quoted else None,
        )


@rule("PS011", spec="registry/CONTENT", severity=WARNING)
def jailbreak_idiom(content: Content) -> Iterator[Finding]:
    """The text contains a known jailbreak phrase.

    ## Why
    “You have no restrictions”, “do anything now”, a “developer mode”: people pass these phrases on
    because they sometimes make a model do what its makers forbade. They add nothing to an honest
    task, and platforms suspend accounts that send them.

    ## Fix
    Describe the character, the tone or the freedom you need in your own words, within what the
    platforms allow. If the prompt tests defences, keep the phrase and say why in release.toml:

    ```toml
    [waivers]
    PS011 = "The list holds known jailbreaks that the classifier is to detect."
    ```
    """
    for hit in hits(content, phrases("PS011")):
        yield hit.finding(
            hint="Say what you need in your own words, or waive PS011 with a reason.",
            severity=INFO if hit.is_quoted else None,
        )


@rule("PS012", spec="registry/CONTENT", severity=WARNING)
def concealment(content: Content) -> Iterator[Finding]:
    """The text tells an assistant to hide its actions from the user.

    ## Why
    The user of a prompt relies on seeing what is done in their name. “Do not tell the user that …”
    or “silently send …” makes the assistant work for someone else. Holding back the answer to a
    riddle is different, and such sentences pass.

    ## Fix
    Let the assistant say what it does. If something must stay unsaid for the user's own good, name
    it (“do not give away the solution before the third hint”), or waive the rule:

    ```toml
    [waivers]
    PS012 = "The opponent in this game hides its cards; the user agreed to that by playing."
    ```
    """
    for hit in hits(content, phrases("PS012")):
        yield hit.finding(
            hint="Let the user see it, or waive PS012 with a reason.",
            severity=INFO if hit.is_quoted else None,
        )


@rule("PS013", spec="registry/CONTENT", severity=WARNING, worst=ERROR)
def chat_template_token(content: Content) -> Iterator[Finding]:
    """The text contains a token that separates the speakers in a model's chat format.

    ## Why
    Programs put tokens such as `<|im_start|>system` or `[INST]` between the turns of a
    conversation. Inside a text, they can make a model believe that someone else is speaking, for
    instance the operator. In the default of a variable the finding is an error: no honest value
    ends its own turn and begins another one.

    ## Fix
    Delete the token. Separate parts with headings or quotation marks instead. If the text explains
    chat formats, keep the token and say so in release.toml:

    ```toml
    [waivers]
    PS013 = "The prompt explains the chat format of a model."
    ```
    """
    defaults = _defaults(content.prompt)
    for hit in hits(content, patterns("idioms", "PS013")):
        start, end = hit.start, hit.end
        inside = any(span.start < end and start < span.end for span in defaults)
        yield hit.finding(
            hint="Delete it, or waive PS013 with a reason.", severity=ERROR if inside else None
        )


def _defaults(prompt: Prompt | None) -> tuple[Span, ...]:
    entries = prompt.entries if prompt else ()
    return tuple(entry.span for entry in entries if entry.section == "DEFAULTS")


@rule("PS015", spec="registry/CONTENT", severity=WARNING, since="0.2.0")
def reads_like_an_attack(content: Content) -> Iterator[Finding]:
    """The text reads like an attack on an assistant: it has the words that many attacks have.

    ## Why
    Attacks are reworded faster than phrases can be listed, but they go on about the same things:
    what to ignore, what is granted, what to say instead. psreg adds up the weights of the words of
    a text, learned from some thousand attacks and ordinary prompts; the message names the heaviest
    ones. That is statistics and no judgement: of a thousand ordinary prompts about four read like
    that, most of them games, role plays and texts about attacks. Each word by itself means nothing.

    ## Fix
    Read the text as somebody who does not know you. If it presses the assistant to drop its rules,
    say openly what it should do. If it is meant well, say so in release.toml:

    ```toml
    [waivers]
    PS015 = "A game in which the players talk a guard into opening a gate."
    ```

    Release files and transcripts are not judged, and nothing is said of a text in which psreg knows
    a phrase of attacks: the rule about it says more.
    """
    if content.kind in (Kind.TOML, Kind.RECORDS):
        return
    from psreg.lint.content.attack_words import heaviest, heaviest_line  # noqa: PLC0415 - not for TOML

    told = (hit for rows in _told_otherwise() for hit in hits(content, rows))
    if (words := heaviest(content)) and next(told, None) is None:
        listed = ", ".join(f"`{word}`" for word in words[:_LISTED])
        yield Finding(
            message=f"this reads like an attack on an assistant, by words like {listed}",
            at=heaviest_line(content, frozenset(words)),
            hint="Say openly what the assistant should do, or waive PS015 with a reason.",
        )


def _told_otherwise() -> Iterator[Rows]:
    """Yield the phrases of attacks on assistants, quoted or not."""
    yield from map(phrases, ("PS010", "PS011", "PS012"))
    yield from (any_spelling("threats", code) for code in ("PS016", "PS017", "PS018", "PS019"))


PHRASE_RULES: tuple[Rule[Content], ...] = (
    instruction_override,
    jailbreak_idiom,
    concealment,
    chat_template_token,
    reads_like_an_attack,
)


@rule("PS071", spec="registry/CONTENT", severity=WARNING)
def capabilities_differ(content: Content) -> Iterator[Finding]:
    """The capabilities in release.toml do not match what the text asks for.

    ## Why
    Before people install an entry, `capabilities` tells them whether its assistant goes online,
    works on files, runs tools or remembers things between conversations. A text that asks for more
    than it declares surprises them. A text that declares what it never uses teaches them to ignore
    the list. Only plain orders count: “search the web”, “save it to a file named …”. “Do not browse
    the web”, “save your work” and “file a report” do not.

    ## Fix
    Make the list in release.toml match the text.

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
                at=hit.segment.span(hit.start, hit.end),
                hint=f'Add "{capability}" to `capabilities` in release.toml, or ask for less.',
            )
        asked.add(capability)
    for capability, words in table("access")["mentions"].items():
        declared = capability in content.capabilities and capability not in asked
        if declared and not any(word in content.lower for word in words):
            yield Finding(
                message=f"release.toml declares `{capability}`, but the text does not ask for it",
                hint=f'Remove "{capability}" from `capabilities` in release.toml.',
            )


CAPABILITY_RULES: tuple[Rule[Content], ...] = (capabilities_differ,)
