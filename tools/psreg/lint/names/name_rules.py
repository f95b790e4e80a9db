"""The rules about names that are similar to other names, reserved or retired.

Every finding points to the entry.toml of its name, so both of two similar names have one. The
maintainers of a registry decide cases by a waiver in registry/policy.toml; authors cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.identity import is_device
from psreg.core.rule import Rule, rule
from psreg.lint.names.all_names import ENOUGH, Name, Names
from psreg.lint.names.similarity import folds, skeletons

_LISTED = 3
"""Names that a message lists before it counts the rest."""

_ASK = "Choose another name, or ask the maintainers for a waiver in registry/policy.toml."


def _finding(name: Name, message: str) -> Finding:
    return Finding(message=message, at=name.pointer, path=name.path, hint=_ASK)


def _listed(texts: Iterable[str]) -> str:
    found = list(dict.fromkeys(texts))
    shown = ", ".join(f"`{text}`" for text in found[:_LISTED])
    return f"{shown} and {len(found) - _LISTED} more" if len(found) > _LISTED else shown


@rule("NAME001", spec="registry/NAMES pbe-1.0/PBE-05", severity=ERROR)
def same_but_for_separators(names: Names) -> Iterator[Finding]:
    """Two names differ only in underscores, or in digits that look like letters.

    ## Why
    People who say a name aloud, type it from memory or see it in a small font cannot tell
    `code_review`, `codereview` and `c0de_review` apart. The second entry would receive what is
    meant for the first. The owners do not matter: people confuse the names all the same.

    ## Fix
    Choose a name that differs in a word. The maintainers of the registry can allow both names by
    waiving the finding for both.

    ```text
    before   codereview             beside code_review
    after    code_review_security   beside code_review
    ```
    """
    for name, others in _sharing_form(names, folds):
        yield _finding(name, f"`{name.text}` is written like {_listed(others)}")


@rule("NAME002", spec="registry/NAMES", severity=ERROR)
def looks_like_another_name(names: Names) -> Iterator[Finding]:
    """Two names look the same at a glance.

    ## Why
    In most fonts `rn` looks like `m`, and `vv` looks like `w`. With a name that can be read as
    another, a copy passes for the original. As with confusable characters in Unicode, the rule
    compares the skeletons of names, in which everything that looks alike is written alike.

    ## Fix
    Choose a name that cannot be read as the other name.

    ```text
    before   sumrnary_writer    beside summary_writer
    after    abstract_writer    beside summary_writer
    ```
    """
    for name, others in _sharing_form(names, skeletons):
        if unlike := [text for text in others if folds(text).isdisjoint(folds(name.text))]:
            yield _finding(name, f"`{name.text}` looks like {_listed(unlike)}")


def _sharing_form(
    names: Names, forms: Callable[[str], frozenset[str]]
) -> Iterator[tuple[Name, list[str]]]:
    """Yield names that share a form with names of other entries, with these other names."""
    groups: dict[str, list[str]] = {}
    for text in names.by_text:
        for form in forms(text):
            groups.setdefault(form, []).append(text)

    def like(name: Name) -> Iterator[str]:
        for text in (text for form in forms(name.text) for text in groups[form]):
            # NOTE: names that are equal letter by letter are reported by REG005 and REG024.
            if text != name.text and any(o.entry != name.entry for o in names.by_text[text]):
                yield text

    found = ((name, list(islice(like(name), ENOUGH))) for name in names)
    yield from ((name, others) for name, others in found if others)


@rule("NAME003", spec="registry/NAMES", severity=ERROR)
def one_edit_from_another_name(names: Names) -> Iterator[Finding]:
    """A name is one keystroke away from the name of another owner's entry.

    ## Why
    A letter that is left out, doubled, replaced or swapped with its neighbour is a typical typing
    error, and some names are made to profit from such errors. Names with fewer than five letters
    are not compared, because there are too few of them. Two names of the same owner may be similar;
    so may two names that the registry's maintainers own (`owners = []`).

    ## Fix
    Choose a name that differs in a word. If both names are legitimate, the maintainers of the
    registry can waive the finding for both:

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
    """A name is two keystrokes away from the name of another owner's entry.

    ## Why
    Two keystrokes separate legitimate names (`story_coach` and `study_coach`) as well as
    imitations, and no program can tell which is which. A person must decide. As for one keystroke,
    only names with five letters or more and with different owners are compared.

    ## Fix
    If the names are unrelated, tell the reviewer, who can waive the finding for both in
    registry/policy.toml. Otherwise choose a name that differs in a word.

    ```text
    before   study_coahc        beside study_coach
    after    exam_preparation   beside study_coach
    ```
    """
    for name in names:
        if others := _at_distance(names, name, 2):
            yield _finding(name, f"`{name.text}` is two keystrokes from {_listed(others)}")


def _at_distance(names: Names, name: Name, edits: int) -> list[str]:
    # NOTE: names that look the same are already an error.
    look = skeletons(name.text)
    near = names.at_distance(name, edits)
    return [text for text in near if look.isdisjoint(skeletons(text))]


@rule("NAME005", spec="registry/NAMES", severity=WARNING)
def another_name_with_an_affix(names: Names) -> Iterator[Finding]:
    """A name is the name of another owner's entry with a word such as `official` or `core`.

    ## Why
    `quiz_master_official` suggests that it comes from the author of `quiz_master`. If it does not,
    people are misled. The list of such words started with that of crates.io; it is in the data file
    `names.toml`. Names with fewer than five letters before the word is added are not compared.

    ## Fix
    Choose a name that says what is different, not how it is related, or ask the owner of the other
    entry to become an owner of yours.

    ```text
    before   quiz_master_official   beside quiz_master
    after    pub_quiz_host          beside quiz_master
    ```
    """
    for name in names:
        if others := names.extended(name):
            yield _finding(name, f"`{name.text}` seems to be related to {_listed(others)}")


@rule("NAME008", spec="registry/NAMES", severity=WARNING, since="0.2.0")
def same_words_as_another_name(names: Names) -> Iterator[Finding]:
    """A name consists of the same words as the name of another owner's entry.

    ## Why
    `tutor_socratic`, `socratic_tutors` and `the_best_socratic_tutor` are what people type or choose
    when they look for `socratic_tutor`. The order of the words, a plural, and words such as `the`,
    `of`, `best` or `pro` do not tell two entries apart. A person must decide whether the name is
    meant to be mistaken for the other.

    ## Fix
    Choose a name with a word that says what is different, or explain to the reviewer why the two
    names cannot be confused.

    ```text
    before   the_email_replies    beside email_reply
    after    refund_email_reply   beside email_reply
    ```
    """
    for name in names:
        if others := names.of_the_same_words(name):
            yield _finding(name, f"`{name.text}` has the same words as {_listed(others)}")


@rule("NAME006", spec="registry/NAMES registry/POLICY", severity=ERROR)
def reserved_name(names: Names) -> Iterator[Finding]:
    """A name is reserved.

    ## Why
    Names of commands, classes and folders would be ambiguous on a command line and in addresses.
    Names such as `official` or `security` would seem to speak for the registry. A registry reserves
    more names with `reserved` in registry/policy.toml.

    ## Fix
    Choose a name that says what the prompt does. Combined with another word, a reserved word is
    allowed:

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
    """A name is retired: it belonged to an entry that no longer exists.

    ## Why
    Lock files, links and habits outlive an entry. A new owner of the name would receive everyone
    who still asks for the old entry. Therefore a name is given away only once, as on all registries
    that learned this the hard way. The list is `retired` in registry/policy.toml.

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
    same_words_as_another_name,
)
"""The rules about names, checked once per tree."""
