"""The rules about names among other names: what looks alike, and what nobody may have.

Every finding stands at the entry.toml of its name, so both of two similar names have one. The
keepers of a registry decide cases by a waiver in registry/policy.toml; authors cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import Rule, rule
from psreg.formats.layout import is_device
from psreg.lint.names.all_names import ENOUGH, Name, Names
from psreg.lint.names.likeness import folds, skeletons

_LISTED = 3
"""Names that a message lists before it counts the rest."""

_ASK = "Choose another name, or ask the registry's keepers for a waiver in registry/policy.toml."


def _finding(name: Name, message: str) -> Finding:
    return Finding(message=message, at=name.pointer, path=name.path, hint=_ASK)


def _listed(texts: Iterable[str]) -> str:
    found = list(dict.fromkeys(texts))
    shown = ", ".join(f"`{text}`" for text in found[:_LISTED])
    return f"{shown} and {len(found) - _LISTED} more" if len(found) > _LISTED else shown


@rule("NAME001", spec="registry/NAMES pbe-1.0/PBE-05", severity=ERROR)
def same_but_for_separators(names: Names) -> Iterator[Finding]:
    """Two names are the same but for underscores, or digits that look like letters.

    ## Why
    `code_review`, `codereview` and `c0de_review` are one name to everybody who says it aloud,
    types it from memory or sees it in a small font. The second to arrive would get what is meant
    for the first. Who owns the two does not matter: people mix them up all the same.

    ## Fix
    Choose a name that differs in a word. The keepers of the registry can let two names stand by
    waiving the finding for both.

    ```text
    before   codereview             beside code_review
    after    code_review_security   beside code_review
    ```
    """
    for name, others in _alike(names, folds):
        yield _finding(name, f"`{name.text}` is written like {_listed(others)}")


@rule("NAME002", spec="registry/NAMES", severity=ERROR)
def looks_like_another_name(names: Names) -> Iterator[Finding]:
    """Two names look the same at a glance.

    ## Why
    In most fonts `rn` looks like `m` and `vv` like `w`. A name that can be read as another one is
    how a copy passes for the original. As with confusable characters in Unicode, what counts is
    the skeleton: what is left when everything that looks alike is written alike.

    ## Fix
    Choose a name that cannot be read as the other one.

    ```text
    before   sumrnary_writer    beside summary_writer
    after    abstract_writer    beside summary_writer
    ```
    """
    for name, others in _alike(names, skeletons):
        if unlike := [text for text in others if folds(text).isdisjoint(folds(name.text))]:
            yield _finding(name, f"`{name.text}` looks like {_listed(unlike)}")


def _alike(
    names: Names, forms: Callable[[str], frozenset[str]]
) -> Iterator[tuple[Name, list[str]]]:
    """Yield names that have a form in common with other entries' names, with these others."""
    groups: dict[str, list[str]] = {}
    for text in names.by_text:
        for form in forms(text):
            groups.setdefault(form, []).append(text)

    def like(name: Name) -> Iterator[str]:
        for text in (text for form in forms(name.text) for text in groups[form]):
            # NOTE: that two are equal letter by letter is said by REG005 and REG024.
            if text != name.text and any(o.entry != name.entry for o in names.by_text[text]):
                yield text

    found = ((name, list(islice(like(name), ENOUGH))) for name in names)
    yield from ((name, others) for name, others in found if others)


@rule("NAME003", spec="registry/NAMES", severity=ERROR)
def one_edit_from_another_name(names: Names) -> Iterator[Finding]:
    """A name is one keystroke from the name of another owner's entry.

    ## Why
    A letter left out, doubled, replaced or exchanged with its neighbour: that is how names are
    mistyped, and how names are made that live on being mistyped. Names with fewer than five
    letters are not compared, because there are not enough of them. Two names of the same owner
    may be close; two that the registry's keepers look after (`owners = []`) count as such.

    ## Fix
    Choose a name that differs in a word. If both names are honest, the keepers of the registry
    can waive the finding for both:

    ```toml
    [[waiver]]
    code = "NAME003"
    names = ["word_count", "world_count"]
    reason = "Different words; both entries are well known."
    ```
    """
    for name in names:
        if others := _at_distance(names, name, 1):
            yield _finding(name, f"`{name.text}` is one keystroke from {_listed(others)}")


@rule("NAME004", spec="registry/NAMES", severity=WARNING)
def two_edits_from_another_name(names: Names) -> Iterator[Finding]:
    """A name is two keystrokes from the name of another owner's entry.

    ## Why
    At distance two there are honest neighbours (`story_coach` and `study_coach`) as well as
    imitations, and no program can tell which is which. A person has to look. Letters count as
    for distance one: only names with five or more of them, and only those of different owners.

    ## Fix
    If the names have nothing to do with each other, tell the reviewer so, who may waive the
    finding for both in registry/policy.toml. Otherwise choose a name that differs in a word.

    ```text
    before   study_coahc        beside study_coach
    after    exam_preparation   beside study_coach
    ```
    """
    for name in names:
        if others := _at_distance(names, name, 2):
            yield _finding(name, f"`{name.text}` is two keystrokes from {_listed(others)}")


def _at_distance(names: Names, name: Name, edits: int) -> list[str]:
    # NOTE: what looks alike is an error already.
    look = skeletons(name.text)
    near = names.at_distance(name, edits)
    return [text for text in near if look.isdisjoint(skeletons(text))]


@rule("NAME005", spec="registry/NAMES", severity=WARNING)
def another_name_with_an_affix(names: Names) -> Iterator[Finding]:
    """A name is the name of another owner's entry with a word such as `official` or `core`.

    ## Why
    `quiz_master_official` says that it comes from whoever made `quiz_master`. If it does not,
    people are misled. The list of such words began with the one of crates.io; it is the data file
    `names.toml` beside the rules. Bases with fewer than five letters are not compared.

    ## Fix
    Say with the name what is different, not how it is related; or ask the owner of the other
    entry to become an owner of yours.

    ```text
    before   quiz_master_official   beside quiz_master
    after    pub_quiz_host          beside quiz_master
    ```
    """
    for name in names:
        if others := names.extended(name):
            yield _finding(name, f"`{name.text}` seems to belong to {_listed(others)}")


@rule("NAME006", spec="registry/NAMES registry/POLICY", severity=ERROR)
def reserved_name(names: Names) -> Iterator[Finding]:
    """A name is reserved.

    ## Why
    Names of commands, classes and folders would be ambiguous on a command line and in addresses;
    names such as `official` or `security` would speak for the registry. A registry reserves
    further ones with `reserved` in registry/policy.toml.

    ## Fix
    Choose a name that says what the prompt does. With another word it is free:

    ```text
    before   review
    after    contract_review
    ```
    """
    for name in names:
        text = next(
            (names.reserved[fold] for fold in folds(name.text) if fold in names.reserved), ""
        )
        if text and not is_device(name.text):
            same = f" (as `{text}`)" if text != name.text else ""
            yield _finding(name, f"`{name.text}` is reserved{same}")


@rule("NAME007", spec="registry/NAMES registry/POLICY", severity=ERROR)
def retired_name(names: Names) -> Iterator[Finding]:
    """A name is retired: an entry that is gone had it.

    ## Why
    Lock files, links and habits outlive an entry. Whoever got the name again would get everybody
    who still asks for the old entry. So a name is given away once, as on all registries that
    learned this the hard way. The list is `retired` in registry/policy.toml.

    ## Fix
    Choose another name.

    ```toml
    # registry/policy.toml
    [names]
    retired = ["quiz_master"]
    ```
    """
    for name in names:
        text = next((names.retired[fold] for fold in folds(name.text) if fold in names.retired), "")
        if text:
            same = f" (as `{text}`)" if text != name.text else ""
            yield _finding(name, f"`{name.text}` is retired{same}")


NAME_RULES: tuple[Rule[Names], ...] = (
    same_but_for_separators,
    looks_like_another_name,
    one_edit_from_another_name,
    two_edits_from_another_name,
    another_name_with_an_affix,
    reserved_name,
    retired_name,
)
"""The rules about names, judged once per tree."""
