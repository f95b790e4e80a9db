"""Conversations in VPP for tests: made of texts, judged, told in short."""

from psreg.core.diagnostics import Mode
from psreg.formats.conversation.conversation import Conversation, Turn
from psreg.formats.conversation.json_lines import Kind
from psreg.lint.locate import judge
from psreg.protocols.protocol import Options
from psreg.protocols.vpp import VPP

FIELDS = {
    "Version": "v1.4",
    "Tag": "q_1",
    "Sources": "none",
    "Assumptions": "0",
    "Cycle": "1/3",
    "Locus": "research",
}
FOOTER = "[Version=v1.4 | Tag=q_1 | Sources=none | Assumptions=0 | Cycle=1/3 | Locus=research]"


def footer(**changed):
    """The footer with some fields changed."""
    return f"[{' | '.join(f'{name}={value}' for name, value in {**FIELDS, **changed}.items())}]"


def answer(tag="q", body="body", **changed):
    """A whole answer with the tag, and fields of its footer changed."""
    return f"<{tag}>\n{body}\n{footer(**{'Tag': f'{tag}_1', **changed})}"


def conversation(*texts):
    """What user and assistant say in turn; a pair names its role."""
    turns = []
    for index, said in enumerate(texts):
        role, text = said if isinstance(said, tuple) else (("user", "assistant")[index % 2], said)
        turns.append(Turn(index=index, line=index + 1, role=role, content=text))
    return Conversation(kind=Kind.TRANSCRIPT, turns=tuple(turns))


def units(*texts, declared="", mode=Mode.STRICT):
    """The units of a conversation."""
    options = Options(version="1.4", declared=declared, mode=mode)
    return list(VPP.units(conversation(*texts), options))


def judged(*texts, declared="", mode=Mode.STRICT):
    """(turn, code, severity, text of the place) of each finding, in order of turns and codes."""
    found = []
    for unit in units(*texts, declared=declared, mode=mode):
        for rule in VPP.rules:
            level = rule.severity if mode is Mode.STRICT else rule.read
            found += [
                (unit.index, rule.code, level.value, unit.text[f.at.start : f.at.end])
                for f in rule.check(unit)
            ]
    return found


def fixed(*texts):
    """The last text with all of its fixes applied, in order of their places."""
    unit = units(*texts)[-1]
    text = unit.text
    fixes = [c for rule in VPP.rules for f in rule.check(unit) for c in f.fix]
    for change in sorted(fixes, key=lambda c: c.span, reverse=True):
        text = text[: change.span.start] + change.replacement + text[change.span.end :]
    return text


def diagnostics(*texts, declared=""):
    """The diagnostics of the whole conversation."""
    return [
        d
        for unit in units(*texts, declared=declared)
        for d in judge(VPP.rules, unit, unit, "x.jsonl", Mode.STRICT)
    ]
