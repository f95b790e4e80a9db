"""Which release a request means."""

from __future__ import annotations

import json

import pytest

from psreg.client.resolve import (
    check_record,
    check_yanks,
    choose,
    parse_request,
    parse_requests,
    pick,
    similar,
    unknown_name,
)
from psreg.core.errors import TrustError, UnavailableError, UsageError
from psreg.registry.owners.claim import Claim
from psreg.registry.owners.yank import YankState
from psreg.registry.records import read_record
from simulator import Simulator, encode


def record(*versions, **changes):
    """A record of quiz_master with these versions; a pair is a version and what its row says."""
    simulator = Simulator()
    for version in versions:
        text, row = version if isinstance(version, tuple) else (version, {})
        simulator.release("quiz_master", text, **row)
    value = simulator.records["quiz_master"] | changes if versions else EMPTY | changes
    return read_record(encode(value), "quiz_master")


EMPTY = {
    "schema": "psreg.package/1", "name": "quiz_master", "class": "prompt", "serial": 1, "owners": [],
    "threshold": 1, "aliases": [], "deprecated": None, "releases": [],
}  # fmt: skip


def chosen(request, *versions, **changes):
    return choose(record(*versions, **changes), parse_request(request)).release.version


@pytest.mark.parametrize("text", ["quiz_master", "quiz_master@^1.2", "q@1.0.0", "q@>=1, <2"])
def test_a_request_is_told_the_way_it_was_typed(text):
    assert str(parse_request(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "../x", "a/b", "a" * 65, "q\n", "@1", "quïz", "https://x", "q\x00"],
)
def test_a_bad_name_is_a_usage_error(text):
    with pytest.raises(UsageError) as caught:
        parse_request(text)
    assert caught.value.code == "BAD_NAME"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a_b==1.0.0", "Write `a_b@1.0.0`."),
        ("a_b==v1.0.0", "Write `a_b@1.0.0`."),
        ("a_b=1.0", "Write `a_b@^1.0`."),
        ("a_b~=1.2", "Write `a_b@~1.2`."),
        ("a-b-1.0.0", "Write `a_b@1.0.0`."),
        ("a_b/1.0.0", "Write `a_b@1.0.0`."),
        ("A_b v1.0.0", "Write `a_b@1.0.0`."),
        ("a_b@v1.0.0", "Write `a_b@1.0.0`."),
        ("a_b@9", "Write `a_b@^9`."),
        ("a_b@latest", "Write `a_b`: without a range you get the newest version."),
        ("Some Name", "Write `some_name`."),
        (
            "https://a.example/prompt/a_b/",
            "Write `a_b`, after `psreg registry add https://a.example`.",
        ),
        (
            "https://a.example:8/x/prompt/a_b/1.0.0/#fill",
            "Write `a_b@1.0.0`, after `psreg registry add https://a.example:8/x`.",
        ),
        (
            "https://a.example/prompt/a_b/evidence",
            "Write `a_b`, after `psreg registry add https://a.example`.",
        ),
        ("./a_b", "A file needs no installation: `psreg show ./a_b`, `psreg copy ./a_b`."),
        (
            "a_b.prompt",
            "A file needs no installation: `psreg show a_b.prompt`, `psreg copy a_b.prompt`.",
        ),
        (r"c:\a_b", r"A file needs no installation: `psreg show c:\a_b`, `psreg copy c:\a_b`."),
        ("a_b==1.0.0.0.0", ""),
        ("a_b@^", ""),
    ],
)
def test_a_request_as_others_write_it_is_answered_with_ours(text, hint):
    with pytest.raises(UsageError) as caught:
        parse_request(text)
    assert caught.value.hint == hint or (not hint and not caught.value.hint.startswith("Write `a_"))


@pytest.mark.parametrize("version", ["1.0.0", "^1.2", ">=1.0"])
def test_a_version_after_a_name_belongs_to_it(version):
    with pytest.raises(UsageError) as caught:
        parse_requests(["other@1.0.0", "a-b", version])
    assert (caught.value.code, caught.value.hint) == ("BAD_NAME", f"Write `a-b@{version}`.")
    for alone in ([version], ["a_b@^1", version]):
        with pytest.raises(UsageError) as caught:
            parse_requests(alone)
        assert "a_b" not in caught.value.hint.replace("quiz_master", "")


@pytest.mark.parametrize("text", ["q@", "q@1.2", "q@^", "q@latest", "q@1.0.0\n2", "q@../1.0.0"])
def test_a_bad_range_is_a_usage_error(text):
    with pytest.raises(UsageError) as caught:
        parse_request(text)
    assert caught.value.code == "BAD_RANGE"


@pytest.mark.parametrize("text", ["quiz-master", "Quiz_Master", "QUIZ-MASTER"])
def test_a_name_may_be_typed_as_people_spell_it(text):
    assert parse_request(text) == parse_request("quiz_master")
    assert str(parse_request(f"{text}@1.0.0")) == "quiz_master@1.0.0"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("q==1.0.0", "q@1.0.0"),
        ("q===1.0.0", "q@1.0.0"),
        ("q = 1.0.0", "q@1.0.0"),
        ("q:1.0.0", "q@1.0.0"),
        ("My-Quiz~=1.2", "my_quiz@~1.2"),
        ("q^=1", "q@^1"),
        ("q^1", "q@^1"),
        ("q>=1.0", "q@>=1.0"),
        ("q<2", "q@<2"),
    ],
)
def test_a_range_as_others_spell_it_is_corrected(text, meant):
    with pytest.raises(UsageError) as caught:
        parse_request(text)
    assert caught.value.hint == f"Write `{meant}`."
    parse_request(meant)


@pytest.mark.parametrize("text", ["q__x==1.0.0", "q==", "q==x", "q!=1", "-=1"])
def test_what_is_no_range_either_gets_the_form_of_a_name(text):
    with pytest.raises(UsageError) as caught:
        parse_request(text)
    assert caught.value.hint.startswith("Write lower-case letters")


def test_requests_keep_their_order():
    assert [r.name for r in parse_requests(["b", "a@*"])] == ["b", "a"]


def test_one_name_is_asked_for_once():
    with pytest.raises(UsageError, match="named twice"):
        parse_requests(["a", "a@1.0.0"])


@pytest.mark.parametrize(
    ("request_", "versions", "expected"),
    [
        ("quiz_master", ["1.0.0", "1.10.0", "1.9.0"], "1.10.0"),
        ("quiz_master@^1.0", ["1.0.0", "1.2.0", "2.0.0"], "1.2.0"),
        ("quiz_master@1.0.0", ["1.0.0", "1.2.0"], "1.0.0"),
        ("quiz_master", ["1.0.0", "2.0.0-rc.1"], "1.0.0"),
        ("quiz_master@>=2.0.0-rc.1", ["1.0.0", "2.0.0-rc.1"], "2.0.0-rc.1"),
        ("quiz_master@2.0.0-rc.1", ["1.0.0", "2.0.0-rc.1"], "2.0.0-rc.1"),
        ("quiz_master", ["1.0.0", ("1.1.0", {"yanked": "broken"})], "1.0.0"),
        ("quiz_master@1.1.0", ["1.0.0", ("1.1.0", {"yanked": "broken"})], "1.1.0"),
        ("quiz_master", ["1.0.0+a", "1.0.0+b"], "1.0.0+b"),
    ],
)
def test_the_highest_offered_version_that_matches(request_, versions, expected):
    assert chosen(request_, *versions) == expected


def test_a_yanked_version_named_exactly_comes_with_a_warning():
    row = ("1.1.0", {"yanked": "broken"})
    choice = choose(record("1.0.0", row), parse_request("quiz_master@1.1.0"))
    assert choice.warnings == ("quiz_master 1.1.0 was yanked: broken",)


@pytest.mark.parametrize(
    ("deprecated", "warning"),
    [
        ({"reason": "old"}, "quiz_master is deprecated: old"),
        (
            {"reason": "old", "replacement": "quiz"},
            "quiz_master is deprecated: old; use quiz instead",
        ),
    ],
)
def test_a_deprecated_name_comes_with_a_warning(deprecated, warning):
    choice = choose(record("1.0.0", deprecated=deprecated), parse_request("quiz_master"))
    assert choice.warnings == (warning,)


@pytest.mark.parametrize(
    ("request_", "versions", "message", "hint"),
    [
        (
            "quiz_master@^3",
            ["1.0.0", "2.0.0"],
            "no version of quiz_master matches",
            "1.0.0, 2.0.0",
        ),
        ("quiz_master", ["1.0.0-rc.1"], "no version", "its pre-releases: `quiz_master@1.0.0-rc.1`"),
        ("quiz_master", [("1.0.0", {"yanked": "bad"})], "yanked; 1.0.0: bad", "@1.0.0"),
        ("quiz_master", [], "no version", "versions: none"),
    ],
)
def test_no_version_matches(request_, versions, message, hint):
    with pytest.raises(UnavailableError) as caught:
        pick(record(*versions), parse_request(request_))
    assert caught.value.code == "NO_MATCHING_VERSION"
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_rows_of_a_newer_schema_are_passed_over():
    newer = {"v": 2, "version": "2.0.0", "anything": []}
    rows = Simulator().release().records["quiz_master"]["releases"]
    assert chosen("quiz_master", "1.0.0", releases=[*rows, newer]) == "1.0.0"
    with pytest.raises(UnavailableError) as caught:
        chosen("quiz_master@^2", "1.0.0", releases=[newer])
    assert caught.value.code == "NEWER_FORMAT"


def test_what_a_release_requires_does_not_change_which_one_is_chosen():
    row = ("1.0.0", {"release": {"requires": {"glossary": "^1", "atlas": "*"}}})
    assert chosen("quiz_master", row) == "1.0.0"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../../.ssh/authorized_keys",
        "pbes/interactive_engine/quiz_master/1.0.0/../../other/1.0.0/other.pbe.txt",
        "pbes/interactive_engine/other/1.0.0/other.pbe.txt",
        "pbes\\interactive_engine\\quiz_master\\1.0.0\\quiz_master.pbe.txt",
        "",
    ],
)
def test_a_path_that_does_not_follow_from_the_identity_is_refused(path):
    with pytest.raises(TrustError) as caught:
        chosen("quiz_master", ("1.0.0", {"path": path}))
    assert caught.value.code == "TRUST_METADATA"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "not plain JSON"),
        (b"[]", "not an object"),
        (b'{"schema":"psreg.package/1"}', "missing"),
        (b'{"schema":1}', "not a string"),
        (b'{"schema":"psreg.package/1","schema":"psreg.package/1"}', "twice"),
        (b'{"schema":"psreg.package/1","serial":1.5}', "not an integer"),
        (b"[" * 10_000 + b"]" * 10_000, "plain JSON"),
        (encode(EMPTY | {"name": "other"}), "record of 'other'"),
        (encode(EMPTY | {"releases": [{"v": 1, "version": "../.."}]}), "malformed"),
    ],
)
def test_a_malformed_record_is_refused(data, message):
    with pytest.raises(TrustError, match=message) as caught:
        read_record(data, "quiz_master")
    assert caught.value.code == "TRUST_METADATA"


@pytest.mark.parametrize("change", [{"schema": "psreg.package/2"}, {"class": "swarm"}])
def test_a_newer_record_asks_for_a_newer_psreg(change):
    with pytest.raises(UnavailableError) as caught:
        read_record(encode(EMPTY | change), "quiz_master")
    assert caught.value.code == "NEWER_FORMAT"


@pytest.mark.parametrize("value", ["x", [1], 1, True])
def test_requirements_of_the_wrong_type_are_refused(value):
    with pytest.raises(TrustError) as caught:
        chosen("quiz_master", ("1.0.0", {"release": {"requires": value}}))
    assert caught.value.code == "TRUST_METADATA"


def test_a_name_that_is_no_longer_listed_is_hidden():
    check_record("quiz_master", None, None)
    with pytest.raises(TrustError) as caught:
        check_record("quiz_master", encode(_records()), None)
    assert caught.value.code == "TRUST_NAME_MISSING"
    assert unknown_name("quiz_master", ["quiz_master"]).code == "TRUST_NAME_MISSING"
    assert unknown_name("quiz_master", ["quiz_maker"]).code == "UNKNOWN_NAME"


@pytest.mark.parametrize("change", [{"sha256": "A" * 64}, {"sha256": ""}, {"version": "x"}])
def test_a_malformed_record_is_judged_before_it_is_kept(change):
    record = _records()
    record["releases"][0] |= change
    with pytest.raises(TrustError) as caught:
        check_record("quiz_master", None, encode(record))
    assert caught.value.code == "TRUST_METADATA"
    check_record("quiz_master", encode(record), encode(_records()))  # protects nothing


def _records():
    simulator = Simulator().release().release("quiz_master", "1.1.0")
    return simulator.records["quiz_master"]


def test_a_lower_serial_after_the_keys_were_replaced():
    check_record(
        "quiz_master", encode(_records()), encode(_records() | {"serial": 1}), lambda: True
    )
    one = {"serial": 1, "releases": _records()["releases"][:1]}
    with pytest.raises(TrustError) as caught:
        check_record("quiz_master", encode(_records()), encode(_records() | one), lambda: True)
    assert caught.value.code == "TRUST_ROLLBACK"


def test_a_record_may_grow():
    older = _records()
    newer = json.loads(encode(older)) | {"serial": 9, "releases": [*older["releases"]]}
    newer["releases"] = [*newer["releases"], {"v": 2, "version": "2.0.0"}]
    check_record("quiz_master", encode(older), encode(newer))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"serial": 1}, "TRUST_ROLLBACK"),
        ({"releases": _records()["releases"][:1]}, "TRUST_ROLLBACK"),
        (
            {"releases": [_records()["releases"][0] | {"v": 9}, _records()["releases"][1]]},
            "TRUST_ROLLBACK",
        ),
        (
            {
                "releases": [
                    _records()["releases"][0] | {"sha256": "0" * 64},
                    _records()["releases"][1],
                ]
            },
            "TRUST_REWRITTEN",
        ),
    ],
)
def test_a_record_never_takes_back_what_was_seen(change, code):
    with pytest.raises(TrustError) as caught:
        check_record("quiz_master", encode(_records()), encode(_records() | change))
    assert caught.value.code == code


def test_a_signed_yank_stays():
    def yanked(number, **changes):
        found = _records()
        yank = {"yank": {"number": number, "statement": None}} if number else {}
        found["releases"][0] |= yank | changes
        return read_record(encode(found), "quiz_master")

    def check(before, now, said=2):
        claim = Claim("quiz_master", (), 1, 0, "", yanks={"1.0.0": YankState(number=said)})
        check_yanks(before, now, claim, "0" * 32)

    check(yanked(0), yanked(1))
    check(yanked(2), yanked(2))
    check(yanked(2), yanked(3))
    for number in (0, 1):
        with pytest.raises(TrustError, match="no longer has what the owners") as caught:
            check(yanked(2), yanked(number))
        assert caught.value.code == "TRUST_ROLLBACK"
        check(yanked(2), yanked(number), said=1)  # nobody signed the second
    gone = {"v": 2, "revoked": {"kind": "purge", "reason": "x", "date": "x", "action": 1}}
    check(yanked(2), yanked(0, **gone))
    check(yanked(2), yanked(0, v=7))


def test_a_damaged_kept_record_protects_nothing():
    check_record("quiz_master", b"\x00garbage", encode(_records()))


def test_a_slip_of_the_keys_is_recognised():
    names = ["quiz_master", "glossary", "meeting_minutes"]
    assert similar("quiz_mastr", names) == ("quiz_master",)
    assert unknown_name("quiz_mastr", names).hint == "Did you mean `quiz_master`?"
    assert unknown_name("zzz", names).hint == "Run `psreg search zzz`."


def revoked(kind="revoke"):
    """What the row of a withdrawn release says."""
    said = {"kind": kind, "reason": "Bad.", "date": "2026-11-25T20:00:00Z", "action": 1}
    return {"v": 2, "revoked": said}


def test_a_revoked_version_is_never_chosen():
    versions = ("1.0.0", ("1.1.0", revoked()), ("1.2.0", revoked("purge")))
    assert chosen("quiz_master", *versions) == "1.0.0"
    for request, error, code in (
        ("quiz_master@1.1.0", TrustError, "TRUST_REVOKED"),
        ("quiz_master@~1.1", TrustError, "TRUST_REVOKED"),
        ("quiz_master@1.2.0", UnavailableError, "PURGED"),
        ("quiz_master@^1.1", UnavailableError, "PURGED"),
    ):
        with pytest.raises(error, match=r"on 2026-11-25: Bad\.") as refused:
            chosen(request, *versions)
        assert refused.value.code == code
    shown = pick(record(*versions), parse_request("quiz_master@1.1.0"), revoked=True)
    assert shown.version == "1.1.0"


def test_a_yanked_version_beside_a_revoked_one():
    versions = (("1.0.0", {"yanked": "Old."}), ("1.1.0", revoked()))
    with pytest.raises(UnavailableError, match=r"1\.0\.0: Old") as refused:
        chosen("quiz_master", *versions)
    assert refused.value.code == "NO_MATCHING_VERSION"
    assert chosen("quiz_master@1.0.0", *versions) == "1.0.0"


@pytest.mark.parametrize("name", ["con", "NUL", "com1", "aux@1.0.0"])
def test_a_device_of_windows_is_not_a_name(name):
    with pytest.raises(UsageError) as caught:
        parse_request(name)
    assert caught.value.code == "BAD_NAME"
    assert caught.value.message == f"`{name}` names a device of Windows, and no prompt"
