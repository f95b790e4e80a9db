"""What the stub answers when it behaves: PB2S, a step of it, VPP, PLSP, a saved game, plain words.

Written without psreg, by the specifications, so that what is judged and what judges differ.
"""

import itertools
import json
import re
import time

COMMAND = re.compile(r"!<(g|q|o|c|o_f|e|e_o)>((?:[ \t]+--\S+)*)[ \t]*")
VERSION = re.compile(r"\[Version=v([0-9.]+) \|")
BRANCH = re.compile(r"--<(g|q|o|c|o_f)>")
ASSUMPTIONS = re.compile(r'--assumptions="?(\d+)"?')
BLOCK = re.compile(r'S\{(?:"[^"]*"|[^"}]|\}(?!S))*\}S')
ASSIGNMENT = re.compile(r'\$([a-zA-Z0-9]{1,2}):("[^"]*"|[0-9.]+|\$[a-zA-Z0-9]{1,2});?')
DIRECTIVE = re.compile(
    r'@(set|upd):\$([a-zA-Z0-9]{1,2})=("[^"]*"|[0-9.]+|\$[a-zA-Z0-9]{1,2}(?:\+[0-9.]+)?);?'
)
CHOICE = re.compile(r"@if:\$([a-zA-Z])>([0-9.]+)\?([^:;]*:[^:;]*)(?::([^;]*))?;")
SIGNAL = re.compile(r'@sig:(![A-Za-z_][A-Za-z0-9_-]*(?:,(?:"[^"]*"|[^;,"]+))*);?')
STEP = re.compile(r"Next step: (DRAFT|REFLECT|REVISE|LEARNED|CLARIFY)\. ")
COUNTER = itertools.count(1)

DRAFT = "Inertia is the tendency of a body to keep its state of motion."
BULLETS = (
    "- unjustified assumption: DRAFT takes for granted that no force acts.",
    "- missing evidence: DRAFT gives no example.",
    "- contradiction: none of the sentences says what 'state of motion' excludes, yet DRAFT uses it.",
)
REVISE = (
    "Without a net force, a body at rest stays at rest and a moving one keeps its velocity;\n"
    "a puck on ice shows it. Resolved: bullets 1, 2 and 3."
)
LEARNED = "- Forces change motion; they do not keep it up."
QUESTIONS = ("Which frame of reference is meant?", "Is friction to be neglected?")


def sections(bullets=BULLETS, questions=()):
    """Return the text of a PB2S reply with these bullets, and a CLARIFY of these questions."""
    parts = ["DRAFT", DRAFT, "", "REFLECT", *bullets, "", "REVISE", REVISE, "", "LEARNED", LEARNED]
    return "\n".join([*parts, "", "CLARIFY", *questions] if questions else parts)


def proof(decision="APPROVE", cycles=1):
    """Return a proof object of its own."""
    now = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    return {"decision": decision, "cycles": cycles, "audit_ref": f"run-{now}-{next(COUNTER):08x}"}


def pb2s(_message):
    """Return the reply that `/chat` gives."""
    return {"text": sections(), "pb2s_proof": proof()}


def clarify(questions=QUESTIONS, cycles=2):
    """Return a reply that asks back."""
    return {"text": sections(questions=questions), "pb2s_proof": proof("CLARIFY", cycles)}


def step(messages):
    """Return one step of a PB2S answer, as the gateway asks for them; "" if none is asked for."""
    asked = [STEP.match(m["content"]) for m in messages if m["role"] == "user"] or [None]
    if not asked[-1]:
        return ""
    again = sum(bool(found) and found[1] == "REVISE" for found in asked) > 0
    says = {
        "DRAFT": DRAFT,
        "REFLECT": "Nothing is left." if again else "\n".join(BULLETS),
        "REVISE": REVISE,
        "LEARNED": LEARNED,
        "CLARIFY": "\n".join(QUESTIONS),
    }
    return says[asked[-1][1]]


def chat(messages):
    """Return what the assistant says next in a chat, by the protocol that the chat is in."""
    if said := step(messages):
        return said
    protocol = protocol_of(messages)
    if protocol == "vpp":
        return vpp(messages)
    said = messages[-1]["content"]
    if protocol == "plsp":
        return plsp(said)
    return saved(messages) or f"You said: {' '.join(said.split())[:80]}"


def protocol_of(messages):
    """Return the name of the protocol that a chat is in, "" for none."""
    asked = [m["content"] for m in messages if m["role"] == "user"] or [""]
    if STEP.match(asked[-1]):
        return ""
    if any("!<" in text for text in asked):
        return "vpp"
    return "plsp" if "S{" in asked[-1] else ""


def vpp(messages):
    """Return a reply in VPP: the tag, a body, the footer with the version that is asked for."""
    asked = messages[-1]["content"]
    tag, assumptions, body = "e", "0", "The command line is not one of VPP: `!<tag> [--modifier]`."
    found = COMMAND.fullmatch(asked.split("\n")[0])
    if found:
        body = "This is what you asked for, kept short."
        branch = BRANCH.search(found[2])
        tag = {"e": branch[1] if branch else "e", "e_o": "o"}.get(found[1], found[1])
        count = ASSUMPTIONS.search(found[2])
        assumptions = count[1] if count else "0"
        if tag == "e":
            body = "Noted: the last turn was in error. Please go on with <g> or <q>."
    said = [m["content"] for m in messages if m["role"] == "assistant"]
    number = 1 + sum(text.startswith(f"<{tag}>\n") for text in said)
    cycle = min(3, number)  # a stage that is asked for again begins another round
    asked_for = VERSION.search(messages[0]["content"]) if messages[0]["role"] == "system" else None
    footer = (
        f"[Version=v{asked_for[1] if asked_for else '1.4'} | Tag={tag}_{number} | Sources=none | Assumptions={assumptions} | "
        f"Cycle={cycle}/3 | Locus=assistant]"
    )
    return f"<{tag}>\n{body}\n{footer}"


def plsp(asked):
    """Return the next block: the whole state, after the directives that the stub understands."""
    previous = BLOCK.findall(asked)[-1:] or ["S{}S"]
    state = dict(ASSIGNMENT.findall(previous[0][2:-2]))
    instructions = CHOICE.sub(
        lambda m: m[3] if float(state.get(m[1], "0")) > float(m[2]) else m[4] or "",
        asked.replace(previous[0], ""),
    )
    for _, name, value in DIRECTIVE.findall(instructions):
        other, plus, number = value.partition("+")
        if not value.startswith("$"):
            state[name] = value
        elif plus:
            total = float(state.get(other[1:], "0")) + float(number)
            state[name] = f"{total:g}"
        else:
            state[name] = state.get(value[1:], '""')
    statements = [f"${name}:{value};" for name, value in state.items()]
    statements += [f"{signal};" for signal in SIGNAL.findall(instructions)]
    return f"S{{{''.join(statements)}}}S"


def saved(messages):
    """Return a save in a fence, if the chat is with a PBE that is asked for one; else ""."""
    pbe = next((value for m in messages if (value := _object(m["content"]))), {})
    system = pbe.get("save_system", {})
    said = messages[-1]["content"].lower()
    if any(phrase.lower() in said for phrase in system.get("trigger_phrases", ())):
        return f"Here it is:\n\n```json\n{json.dumps(system['save_template'], indent=2)}\n```"
    return ""


def _object(text):
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) and "save_system" in value else {}
