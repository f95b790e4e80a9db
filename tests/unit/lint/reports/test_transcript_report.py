"""A checked conversation as lines and as a document: message by message, in full or in short."""

import json

import pytest

from psreg.formats.conversation.reader import read_conversation
from psreg.formats.protocol_versions import latest_version
from psreg.lint.reports.transcript_report import transcript_document, transcript_lines
from psreg.lint.transcript import check_transcript, stats_of

LATEST = latest_version("vpp")
FOOTER = f"[Version=v{LATEST} | Tag=g_1 | Sources=none | Assumptions=0 | Cycle=1/3 | Locus=]"
GOOD = f"User: !<g>\nHello?\n\nAssistant: <g>\nHello!\n{FOOTER}\n"
BAD = GOOD + "\nUser: and?\nAssistant: !<q>\nSo.\n"


def heard(text, protocol="vpp"):
    data = text if isinstance(text, bytes) else text.encode()
    name = "x.jsonl" if protocol == "plsp" else "x.txt"
    return check_transcript(read_conversation(data, name, protocol), protocol, path=name)


def test_a_clean_conversation():
    found = heard(GOOD)
    assert list(transcript_lines(found)) == [
        "turn 1 (user): clean",
        "turn 2 (assistant): clean",
        f"vpp {LATEST}, 2 turns: 2 sound",
    ]
    assert list(transcript_lines(found, quiet=True)) == []


def test_findings_stand_below_their_message():
    lines = list(transcript_lines(heard(BAD)))
    head = next(i for i, line in enumerate(lines) if line.startswith("turn 4 (assistant): "))
    assert "error" in lines[head]
    assert any("VPP" in line for line in lines[head + 1 : -1])
    assert lines[-1].startswith(f"vpp {LATEST}, 4 turns: ")
    quiet = list(transcript_lines(heard(BAD), quiet=True))
    assert not [line for line in quiet if line.endswith(": clean")]
    assert quiet[-1] == lines[-1]


def test_one_message_is_no_number_of_messages():
    assert (
        list(transcript_lines(heard("User: !<g>\nHello?\n")))[-1]
        == f"vpp {LATEST}, 1 turn: 1 sound"
    )


def test_the_numbers_of_a_trace_stand_in_columns():
    data = b'{"next": "S{$a:1.0;}S"}\n{"next": "S{$a:1;"}\n'
    numbers = stats_of(heard(data, "plsp"))
    lines = list(transcript_lines(heard(data, "plsp"), numbers))
    first = next(i for i, line in enumerate(lines) if line.lstrip().startswith("cycle  "))
    table = lines[first : first + len(numbers) + 1]
    assert lines[first - 1] == ""
    assert table[0].split()[:3] == ["cycle", "statements", "variables"]
    assert len({len(row) for row in table}) == 1
    assert [row.split()[0] for row in table[1:]] == ["1", "2"]
    assert "-" in table[2].split()
    assert lines[first + len(table)].startswith("tokens are estimated")
    document = transcript_document(heard(data, "plsp"), numbers)
    assert len(document["stats"]["cycles"]) == len(numbers)


@pytest.mark.parametrize("text", [GOOD, BAD])
def test_the_document_counts_what_the_lines_say(text):
    found = heard(text)
    document = transcript_document(found)
    assert [message["index"] for message in document["messages"]] == list(
        range(text.count("er: ") + text.count("ant: "))
    )
    assert all(message["sound"] for message in document["messages"]) == (text == GOOD)
    assert "stats" not in document


def test_what_was_understood_is_listed_as_far_as_there_is_room():
    record = {"role": "user", "content": "!<g> --minor"}
    long = {"role": "assistant", "content": f"<g>\nx\n{FOOTER.replace('none', 'a ' * 200_000)}"}
    lines = "".join(f"{json.dumps(each)}\n" for each in (record, long, record))
    document = transcript_document(heard(lines.encode(), "vpp"))
    assert [message["parsed"] for message in document["messages"]] == [1, 1, 1]
    assert (len(document["parsed"]), document["parsed_omitted"]) == (1, 2)
    many = "".join(f"{json.dumps(record)}\n" for _ in range(1_000))
    document = transcript_document(heard((many + many).encode(), "vpp"))
    assert document["parsed_omitted"] == 0 < len(document["parsed"])
