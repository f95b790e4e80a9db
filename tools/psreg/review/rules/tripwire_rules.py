"""The tripwire for stolen keys: what a small release must not add unless a person has looked at it.

The texts of a release are compared with those of the previous one. Everything new is reported
through which a prompt can reach outside the conversation or hide something.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import PurePosixPath

from psreg.core.diagnostics import WARNING, Finding, Span
from psreg.core.identity import EntryId
from psreg.core.rule import Rule, rule
from psreg.core.terminal import quoted
from psreg.core.version import Step, step_between
from psreg.formats.golden_case import SUFFIX
from psreg.formats.json.pointer import join
from psreg.formats.layout import EVIDENCE
from psreg.formats.toml_document import MOST as MOST_ITEMS
from psreg.formats.tree import Submission
from psreg.lint.content import CONTENT_RULES, texts
from psreg.lint.content.link_rules import urls
from psreg.lint.content.pattern_search import hits
from psreg.lint.content.pattern_tables import patterns
from psreg.lint.content.texts import Content
from psreg.lint.entries.submission_rules import MAX_FILE, MAX_FILES
from psreg.lint.locate import MOST
from psreg.review.change import ChangeSet
from psreg.review.rules.version_rules import MOST_CHANGES, updates, versions

_HOST = re.compile(
    r"(?<![\w.-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}"
    r"(?:(?:com|net|org|info|biz|io|co|ai|app|dev|me|ly|gg|to|xyz|site|online|top|cloud|cc|ru|cn"
    r"|tk|su|pw|link|live|page|sh)(?![\w-]|\.[a-z0-9])|[a-z]{2,24}(?=[/:][\w.?#~-]))"
    r"|(?<=@)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}(?![\w-])",
    re.IGNORECASE,
)
"""A host without a scheme: after `@`, before a path, or with a common ending."""

_FILE = re.compile(
    r"(?<![@\w.-])[a-z0-9-]+\.(?:bash|bat|c|cfg|cpp|cs|css|csv|cxx|ex|exs|go|h|hpp|hs|html?|ini|ipynb"
    r"|java|js|json|jsonl|jsx|jl|kt|log|lua|md|mjs|php|ps1|py|pyi|r|rb|rs|rst|scala|scss|sql|swift"
    r"|toml|ts|tsx|txt|vue|xml|ya?ml)(?![\w-]|(?::[0-9]*)?/)",
    re.IGNORECASE,
)
"""A file of code or text, optionally with a line, as in `upload.py:44`, and no path after it.
Endings that are top-level domains open to everyone, such as `sh`, are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Something in a text that reaches outside it or hides; `what` is compared between versions."""

    what: str
    says: str
    at: str | Span
    key: bool = False
    quote: str = ""

    @property
    def message(self) -> str:
        """What to say about it; most of what is found is known, and is never said."""
        return f"{self.says}, {quoted(self.quote)}" if self.quote else self.says


@rule("PS081", spec="registry/CONTENT registry/CHANGES", severity=WARNING)
def small_release_reaches_further(change: ChangeSet) -> Iterator[Finding]:
    """A patch or minor release adds a way out of the conversation, or turns an order round.

    ## Why
    This is a tripwire for the day someone else has an owner's key or account. People and their
    tools install small releases without looking, so an attacker would use exactly these, and would
    add something that carries data out of the conversation or into it: an address, a tool, a
    hidden instruction. Addresses of all kinds count (hosts, IP addresses, e-mail, telephone
    numbers, handles, disguised ones), and requests for passwords, memory, files and tools. An
    honest author adds such a thing now and then, an attacker nearly always. The same applies to a
    newly required entry of other owners: they decide what people get along with this one, and to a
    "never" that became an "always". So the release waits until a person has looked at it. What the
    previous release already contained is not reported, and a major release is reviewed anyway. All
    files of a release count, except the transcripts that its test runs cite.

    ## Fix
    Say in `changes` what the new address or tool is for, and a reviewer can approve it. If you did
    not add it, stop: change your password, check the list of your keys, and tell the registry's
    maintainers. This finding cannot be waived in release.toml.

    ```toml
    changes = "Links to the public list of units, https://example.org/units, for unusual ones."
    ```
    """
    for release, previous in updates(change):
        if step_between(*versions(previous, release)) is Step.MAJOR:
            continue
        old, new = _contents(previous), _contents(release.submission)
        added = chain(_turned_round(old, new), _added(change, old, new))
        folder, number = release.submission.folder, previous.id.version
        yield from _listed((_finding(f"{folder}/{p}", reach, number) for p, reach in added), number)
        for reach in _requirements(previous, release.submission):
            yield _finding(str(release.submission.release_path), reach, previous.id.version)
    for entry in change.entries:
        if entry.base and entry.head and change.touched(entry.path):
            files = (side.file.tree for side in (entry.base, entry.head))
            old, new = ({entry.path.name: texts.of_toml(tree)} for tree in files)
            before = "the entry.toml in the base"
            found = (
                _finding(str(entry.path), reach, before) for _, reach in _added(change, old, new)
            )
            yield from _listed(found, before)


def _requirements(previous: Submission, new: Submission) -> Iterator[Reach]:
    """Yield the newly required entries that have no owner in common with the new release."""
    ours, tree = new.entry.file.accounts, new.tree
    for name in sorted(new.release.requires.keys() - previous.release.requires.keys())[:MOST_ITEMS]:
        entries = (tree.entry(EntryId(each, name)) for each in tree.names.get(name, ()))
        if any(entry and ours.keys().isdisjoint(entry.file.accounts) for entry in entries):
            message = f"it requires `{name}`, which has other owners"
            yield Reach(what=name, says=message, at=join(("requires", name)), key=True)


def _listed(found: Iterator[Finding], before: str) -> Iterator[Finding]:
    """Yield the first of `found`, and how many more there are."""
    last = None
    for last in islice(found, MOST_CHANGES):
        yield last
    if last and (more := sum(1 for _ in islice(found, MOST))):
        number = f"{more:,}" if more < MOST else f"at least {more:,}"
        message = f"new since {before}: {number} more ways out are not listed"
        yield replace(last, message=message, hint="Make several smaller releases of it.")


def _finding(path: str, reach: Reach, before: str) -> Finding:
    return Finding(
        message=f"new since {before}: {reach.message}",
        at=reach.at,
        key=reach.key,
        path=path,
        hint="Say in the pull request or in `changes` what it is for.",
    )


def _added(
    change: ChangeSet, before: Mapping[str, Content], after: Mapping[str, Content]
) -> Iterator[tuple[str, Reach]]:
    """Yield the file and what its text contains that it did not contain before."""
    for path, content in after.items():
        if path in before and _is_same(before[path], content):
            continue
        reported: set[str | Span] = set()
        for kind in _kinds(change):
            reaches = kind(content)
            # NOTE: most texts reach nowhere in most ways, so that the text before need not be read.
            first = next(reaches, None)
            if first is None:
                continue
            known = Counter(r.what for r in kind(before[path])) if path in before else Counter()
            for reach in chain([first], reaches):
                if known[reach.what] > 0:
                    # NOTE: a known address may be repeated; a suspicious instruction may not.
                    known[reach.what] -= reach.what.startswith("PS")
                elif reach.at not in reported:
                    reported.add(reach.at)
                    yield path, reach


def _is_same(before: Content, after: Content) -> bool:
    facts = ((each.source, each.kind, each.capabilities) for each in (before, after))
    return next(facts) == next(facts)


def _turned_round(
    before: Mapping[str, Content], after: Mapping[str, Content]
) -> Iterator[tuple[str, Reach]]:
    """Yield the file and the sentences that deny what an earlier one said, or the reverse."""
    from psreg.review.tripwire_sentences import (  # noqa: PLC0415 - for updates
        may_negate,
        turned_round,
    )

    for path in sorted(after.keys() & before.keys()):
        if not (may_negate(before[path]) or may_negate(after[path])):
            continue
        for new, old in turned_round(before[path], after[path]):
            message = "too many sentences were rewritten to compare their negations"
            if old:
                message = f"an order is turned round, {quoted(new.text)} for {quoted(old.text)}"
            yield path, Reach(what="negation", says=message, at=new.at)


def _contents(submission: Submission) -> dict[str, Content]:
    """Return the texts of a release by their path in its folder, without broken files."""
    declared = tuple(text for _, text in submission.release.strings("capabilities"))
    found: dict[str, Content] = {}
    pbe, prompt = submission.pbe, submission.prompt
    if pbe is not None and pbe.tree.parsed:
        found[submission.id.filename] = texts.of_pbe(pbe, declared)
    if prompt is not None and prompt.readable:
        found[submission.id.filename] = texts.of_prompt(prompt, declared)
    if submission.release.tree.parsed:
        found["release.toml"] = texts.of_toml(submission.release.tree)
    for path in islice(_plain(submission), MAX_FILES):
        if len(submission.tree.files[path]) <= MAX_FILE:
            text = submission.documents[path].text
            found[str(path.relative_to(submission.folder))] = texts.of_readme(text)
    return found


def _plain(submission: Submission) -> Iterator[PurePosixPath]:
    """Yield the files that people read as they are: README.md and other additional files.

    Transcripts that a test run cites are left out, since the author did not write them; so are
    golden cases, which repeat the artifact.
    """
    others = (submission.artifact_path, submission.release_path)
    cited = {submission.folder / run.evidence for run in submission.release.tested}
    for path in submission.paths:
        proof = submission.folder / EVIDENCE in path.parents
        if path not in others and not (proof and (path in cited or path.name.endswith(SUFFIX))):
            yield path


def _kinds(change: ChangeSet) -> Iterator[Callable[[Content], Iterator[Reach]]]:
    """Yield what looks for one kind of reach each, so that only the kinds found are compared."""
    from psreg.review.tripwire_patterns import WAYS_OUT  # noqa: PLC0415 - only for updates
    from psreg.review.tripwire_requests import REQUESTS  # noqa: PLC0415 - only for updates

    yield from (partial(_findings, change, each) for each in CONTENT_RULES)
    yield from (_tools, _addresses)
    yield from (partial(_other_way, *way) for way in chain(WAYS_OUT, REQUESTS))


def _other_way(
    name: str, pattern: re.Pattern[str], signs: tuple[str, ...], content: Content
) -> Iterator[Reach]:
    for segment, match in content.find(pattern, *signs):
        yield Reach(
            what=f"{name} {' '.join(match[0].lower().split())}",
            says=name,
            quote=match[0],
            at=segment.span(*match.span()),
        )


def _findings(change: ChangeSet, each: Rule[Content], content: Content) -> Iterator[Reach]:
    for finding in islice(change.found(each, content), MOST):  # more are an error in any case
        what = f"{each.code} {finding.message}"
        message = f"{finding.message} ({each.code})"
        yield Reach(what=what, says=message, at=finding.at, key=finding.key)


def _tools(content: Content) -> Iterator[Reach]:
    for hit in hits(content, patterns("access", "asks")):
        yield Reach(
            what=f"capability {hit.pattern.note}",
            says=f"{quoted(hit.plain)} needs `{hit.pattern.note}`",
            at=hit.segment.span(hit.start, hit.end),
        )


def _addresses(content: Content) -> Iterator[Reach]:
    ends: dict[int, list[int]] = {}
    starts: dict[int, list[int]] = {}
    for url in urls(content):
        starts.setdefault(id(url.segment), []).append(url.start)
        ends.setdefault(id(url.segment), []).append(url.end)
        yield Reach(
            what=f"url {url.url}",
            says="a URL",
            quote=url.url,
            at=url.segment.span(url.start, url.end),
        )
    from psreg.review.tripwire_patterns import any_hosts  # noqa: PLC0415 - only for updates

    hosts = chain(content.find(_HOST, "."), any_hosts(content))
    for segment, match in hosts:
        before = bisect_left(starts.get(id(segment), []), match.end())
        inside = before > 0 and match.end() <= ends[id(segment)][before - 1]
        if not inside and not _FILE.match(match.string, match.start()):
            yield Reach(
                what=f"host {match[0].lower()}",
                says="a host",
                quote=match[0],
                at=segment.span(*match.span()),
            )


TRIPWIRE_RULES = (small_release_reaches_further,)
