"""PB2S exchanges to test with: one that is right, and how to depart from it."""

from psreg.protocols.pb2s import PB2S_RULES
from psreg.protocols.pb2s.units import replies_of

MESSAGE = "At what temperature does water boil?"
REF = "run-20260131-101500-1b4e28ba"
QUESTIONS = "Which of the two holds? At what height was it measured?"


def text(
    draft="Water boils at 100 °C.",
    reflect="- unjustified assumption: the pressure is that at sea level",
    revise="Resolved bullet 1: at sea level, water boils at 100 °C.",
    learned="- Name the conditions of a figure.",
    clarify="",
):
    sections = {"DRAFT": draft, "REFLECT": reflect, "REVISE": revise, "LEARNED": learned}
    sections |= {"CLARIFY": clarify} if clarify else {}
    return "".join(f"{name}\n{body}\n\n" for name, body in sections.items())


def proof(**members):
    return {"decision": "APPROVE", "cycles": 1, "audit_ref": REF, **members}


def exchange(said=None, proven=None, **members):
    return {
        "message": MESSAGE,
        "text": text() if said is None else said,
        "pb2s_proof": proof() if proven is None else proven,
        **members,
    }


def judged(*exchanges, **options):
    """Return the codes that the rules give each exchange."""
    replies = replies_of(enumerate(exchanges), **options)
    return [[rule.code for rule in PB2S_RULES for _ in rule.check(reply)] for reply in replies]


def codes(record, **options):
    """Return the codes that the rules give one exchange."""
    return judged(record, **options)[0]


def reflecting(reflect, **sections):
    """Return the codes of an exchange that reflects so."""
    return codes(exchange(text(reflect=reflect, **sections)))
