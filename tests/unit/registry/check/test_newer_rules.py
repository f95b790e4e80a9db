"""A rule that psreg gained later does not turn the check of released versions red for good."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from psreg.core.diagnostics import ERROR, WARNING, Diagnostic, Finding, Mode, Report
from psreg.core.rule import RuleTable, rule
from psreg.formats.tree import Entry, Submission
from psreg.lint.reports.json import report_document
from psreg.lint.reports.text import report_text
from psreg.registry.check.folders import check_folder
from psreg.registry.publish import publish
from support.publishing import CLEAN, NOW, entry, ports

FILES = ("alpha.prompt", "README.md", "evidence/late.jsonl")


@rule("PS999", spec="registry/TEST", severity=ERROR, since="0.2.0")
def found_in_each_file(submission: Submission) -> Iterator[Finding]:
    """Reports three files of a release."""
    for name in FILES:
        yield Finding(message="it is dangerous", path=f"{submission.folder}/{name}")


@rule("REG998", spec="registry/TEST", severity=ERROR, since="0.2.0")
def not_about_a_version(item: Entry) -> Iterator[Finding]:
    """Reports each entry."""
    yield Finding(message="it is not tidy", path=str(item.path))


@rule("REG997", spec="registry/TEST", severity=ERROR)
def stricter_since(submission: Submission) -> Iterator[Finding]:
    """Has one check from the beginning, and one that it gained later."""
    yield Finding(message="old", path=str(submission.release_path))
    yield Finding(message="new", path=str(submission.release_path), since="0.3.0")


class World:
    """A checkout with the entry `alpha`, and its registry."""

    def __init__(self, root: Path) -> None:
        self.root = root / "checkout"
        self._ports = ports(root / "home", self.root / "registry")

    def write(self, *versions: str, **files: bytes) -> None:
        for path, data in {**entry("alpha", *versions), **files}.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)

    def release(self, psreg: str, *versions: str) -> None:
        self.write(*versions)
        publish(entry("alpha", *versions), CLEAN, NOW, self._ports, psreg=psreg)

    def check(self, *rules: object) -> dict[tuple[str, str], Diagnostic]:
        """Return the findings by rule or message and file, as `psreg check pbes` reports them."""
        table = RuleTable(rules or (found_in_each_file,))
        _, found = check_folder(self.root / "pbes", Mode.STRICT, lambda: table)
        return {(d.message.partition(";")[0], d.path): d for d in found}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


FOLDER = "pbes/prompt/alpha"


def severities(found: dict[tuple[str, str], Diagnostic]) -> dict[str, str]:
    return {d.path.removeprefix(f"{FOLDER}/"): d.severity for d in found.values()}


def test_a_newer_rule_warns_about_an_old_release(world: World) -> None:
    world.release("0.1.0", "1.0.0")
    found = world.check()
    assert set(severities(found).values()) == {WARNING}
    one = found["it is dangerous", f"{FOLDER}/1.0.0/alpha.prompt"]
    assert one.newer
    assert one.message == "it is dangerous; PS999 is newer than this release"
    assert one.hint == "Yank or revoke alpha 1.0.0 if this is dangerous."
    report = Report.of(1, found.values())
    assert not report.failed()
    text = report_text(report)
    assert (
        "yank or revoke these releases if the findings are right:\n  alpha 1.0.0: PS999\n" in text
    )
    assert report_document(report)["dangerous_releases"] == [
        {"name": "alpha", "version": "1.0.0", "codes": ["PS999"]}
    ]


def test_it_is_an_error_in_what_is_not_released_yet(world: World) -> None:
    world.write("1.0.0")
    assert set(severities(world.check()).values()) == {ERROR}


def test_only_the_released_version_is_spared(world: World) -> None:
    world.release("0.1.0", "1.0.0")
    world.write("1.0.0", "1.1.0")
    levels = severities(world.check())
    assert levels["1.0.0/alpha.prompt"] == WARNING
    assert levels["1.1.0/alpha.prompt"] == ERROR


def test_a_release_that_the_rule_could_judge_is_not_spared(world: World) -> None:
    world.release("0.1.0", "1.0.0")
    world.release("0.2.0", "1.0.0", "1.1.0")
    levels = severities(world.check())
    assert levels["1.0.0/alpha.prompt"] == WARNING
    assert levels["1.1.0/alpha.prompt"] == ERROR


def test_a_file_that_was_not_signed_is_not_spared(world: World) -> None:
    world.release("0.1.0", "1.0.0")
    world.write("1.0.0", **{f"{FOLDER}/1.0.0/evidence/late.jsonl": b"{}\n"})
    levels = severities(world.check())
    assert levels["1.0.0/evidence/late.jsonl"] == ERROR
    assert levels["1.0.0/README.md"] == WARNING  # missing, as it was when this was signed


def test_what_may_still_change_is_not_spared(world: World) -> None:
    world.release("0.1.0", "1.0.0")
    found = world.check(found_in_each_file, not_about_a_version)
    assert found["it is not tidy", f"{FOLDER}/entry.toml"].severity is ERROR


def test_a_check_that_an_old_rule_gained_says_since_when(world: World) -> None:
    world.release("0.2.0", "1.0.0")
    found = world.check(stricter_since)
    path = f"{FOLDER}/1.0.0/release.toml"
    assert found["old", path].severity is ERROR
    assert found["new", path].severity is WARNING
    assert found["new", path].hint == (
        "A released version never changes; follow the rule in the next one."
    )
    assert Report.of(1, found.values()).dangerous_releases() == {}


def test_a_damaged_registry_spares_nothing(world: World) -> None:
    world.release("0.1.0", "1.0.0")
    timestamp = world.root / "registry/metadata/timestamp.json"
    timestamp.write_bytes(timestamp.read_bytes().replace(b"0", b"1"))
    assert set(severities(world.check()).values()) == {ERROR}


def test_without_a_newer_finding_about_a_version_nothing_is_read(world: World) -> None:
    """A registry that cannot be read does not matter to findings of old rules."""
    world.release("0.1.0", "1.0.0")
    (world.root / "registry/metadata/1.root.json").write_text("damaged")
    found = world.check(old_rule, not_about_a_version)
    assert {d.severity for d in found.values()} == {ERROR}


@rule("REG996", spec="registry/TEST", severity=ERROR)
def old_rule(submission: Submission) -> Iterator[Finding]:
    """Has been there from the beginning."""
    yield Finding(message="old", path=str(submission.release_path))
