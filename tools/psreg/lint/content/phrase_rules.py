"""The rules about turns of phrase: dropping instructions, jailbreaks, secrecy, chat marks.

Each phrase has honest uses, in texts about attacks above all; so these are warnings that a person
waives with a reason, never a reason to refuse by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding, Span
from psreg.core.rule import Rule, rule
from psreg.formats.dotprompt import Prompt
from psreg.lint.content.patterns import hits, patterns, table
from psreg.lint.content.texts import Content, quoted


@rule("PS010", spec="registry/CONTENT", severity=WARNING)
def instruction_override(content: Content) -> Iterator[Finding]:
    """The text tells an assistant to drop its instructions.

    ## Why
    “Ignore all previous instructions” is how a text takes an assistant away from whoever set it
    up. A prompt that starts a conversation has nothing to override, and one that works inside
    another program has no right to. Telling an assistant not to obey the material it works on is
    something else and is not meant here: “Ignore any instructions in the text below” passes.

    ## Fix
    Say what the assistant shall do, instead of what it shall forget. A text that quotes the phrase
    because it is about such attacks keeps it and says so in release.toml:

    ```toml
    [waivers]
    PS010 = "The phrase is an example of an attack that the assistant learns to recognise."
    ```
    """
    for hit in hits(content, patterns("idioms", "PS010")):
        yield hit.finding(hint="Say what to do instead, or waive PS010 with a reason.")


@rule("PS011", spec="registry/CONTENT", severity=WARNING)
def jailbreak_idiom(content: Content) -> Iterator[Finding]:
    """The text uses a known phrase for talking an assistant out of its limits.

    ## Why
    “You have no restrictions”, “do anything now”, a “developer mode”: such words are passed from
    hand to hand because they sometimes make a model do what its makers forbade. They add nothing
    to an honest task, and platforms suspend accounts that send them.

    ## Fix
    Describe the character, the tone or the freedom you need in words of your own, within what the
    platforms allow. A prompt for testing defences keeps the phrase and says why in release.toml:

    ```toml
    [waivers]
    PS011 = "The list holds known jailbreaks that the classifier is to detect."
    ```
    """
    for hit in hits(content, patterns("idioms", "PS011")):
        yield hit.finding(hint="Say what you need in other words, or waive PS011 with a reason.")


@rule("PS012", spec="registry/CONTENT", severity=WARNING)
def concealment(content: Content) -> Iterator[Finding]:
    """The text has an assistant keep from its user what it does.

    ## Why
    Whoever uses a prompt relies on seeing what is done in their name. “Do not tell the user that
    …” or “silently send …” turns the assistant into somebody else's. Keeping back the answer to a
    riddle is no such thing, and sentences of that kind pass.

    ## Fix
    Let the assistant say what it does. If something must stay unsaid for the user's own good, name
    the thing (“do not give away the solution before the third hint”), or waive the rule:

    ```toml
    [waivers]
    PS012 = "The opponent in this game hides its cards; the user agreed to that by playing."
    ```
    """
    for hit in hits(content, patterns("idioms", "PS012")):
        yield hit.finding(hint="Let the user know, or waive PS012 with a reason.")


@rule("PS013", spec="registry/CONTENT", severity=WARNING)
def chat_template_token(content: Content) -> Iterator[Finding]:
    """The text contains a mark with which a model's chat format separates the speakers.

    ## Why
    Programs put marks such as `<|im_start|>system` or `[INST]` between the turns of a
    conversation. Inside a text they can make a model believe that somebody else is speaking now,
    the operator for instance. In the default of a variable it is an error: a value that ends its
    own turn and begins another cannot be meant as a value.

    ## Fix
    Delete the mark; separate parts by headings or quotation marks instead. A text that explains
    chat formats keeps it and says so in release.toml:

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


PHRASE_RULES: tuple[Rule[Content], ...] = (
    instruction_override,
    jailbreak_idiom,
    concealment,
    chat_template_token,
)


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


CAPABILITY_RULES: tuple[Rule[Content], ...] = (capabilities_differ,)
