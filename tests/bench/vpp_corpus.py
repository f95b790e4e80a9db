"""What the rules of VPP say of real sessions: `python tests/bench/vpp_corpus.py DIR`.

DIR holds sessions in the form of the VPP authors' corpus, one JSON file each, whose `meta` names
the condition. Prints, for each condition, how many answers there are, how many are clean, how many
broke a rule, and which rules spoke how often, errors in capitals. It reports and expects nothing:
what a model wrote is not a fault of the rules. Exit code 2 without sessions.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

from psreg.core.diagnostics import INFO, Severity
from psreg.formats.conversation.reader import read_conversation
from psreg.lint.transcript import check_transcript


def sessions(folder):
    """(condition, data) of each session in `folder`."""
    for path in sorted(folder.rglob("*.json")):
        data = path.read_bytes()
        document = json.loads(data)
        if isinstance(document, dict) and "turns" in document:
            yield document["meta"]["condition"], data


def judged(data):
    """The answers of a session as the rules see them."""
    found = check_transcript(read_conversation(data, "session.json"), "vpp")
    return [message for message in found.messages if message.role == "assistant"]


def clean(answer):
    """Whether no rule has more than a remark."""
    return all(d.severity is INFO for d in answer.diagnostics)


def codes(answers):
    """The rules that spoke, by the number of answers."""
    found = Counter((d.code, d.severity) for a in answers for d in set(a.diagnostics))
    return "  ".join(
        f"{code if level is Severity.ERROR else code.lower()} {number}"
        for (code, level), number in sorted(found.items())
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    conditions, read_ = defaultdict(list), 0
    for condition, data in sessions(args.folder):
        conditions[condition] += judged(data)
        read_ += 1
    if not read_:
        print(f"{args.folder} has no sessions", file=sys.stderr)
        return 2
    print(f"{'condition':32} answers  clean  sound  broken  rules")
    for condition, answers in sorted(conditions.items()):
        sound = sum(answer.sound for answer in answers)
        print(
            f"{condition:32} {len(answers):7}  {sum(map(clean, answers)):5}  {sound:5}"
            f"  {len(answers) - sound:6}  {codes(answers)}"
        )
    print(f"sessions read: {read_}, answers: {sum(map(len, conditions.values()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
