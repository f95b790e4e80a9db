"""A rule is one function, defined once; everything else about the rule derives from it.

```python
@rule("PBE004", spec="pbe-1.0/PBE-04", severity=ERROR, read=WARNING)
def name_not_snake_case(pbe: Pbe) -> Iterator[Finding]:
    '''`pbe_name` is not `lowercase_with_underscores`.

    ## Why
    ...

    ## Fix
    ...
    '''
```
The letters of the code name the family, a code never changes its meaning, the slug is the name of
the function, and the type of its parameter is what it checks. `spec` is
`<specification>/<rule id>`; spaces separate several. `since` is the version of psreg that has the
rule first: a rule that is younger than a release only warns about it.

A `RuleTable` is used by everything that checks, lists or explains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Generic, Self, TypeVar

from psreg.core.dataclass import dataclass
from psreg.core.diagnostics import Finding, Severity
from psreg.core.version import FIRST_PSREG

T_contra = TypeVar("T_contra", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Generic[T_contra]):
    """One rule about subjects of type `T_contra`, whose name is `subject`.

    `severity` applies in strict mode, `read` in read mode; `worst` is the highest severity that a
    finding states itself; `since` is a version of psreg.
    """

    code: str
    slug: str
    subject: str
    spec: str
    severity: Severity
    read: Severity
    worst: Severity
    check: Callable[[T_contra], Iterator[Finding]]
    docstring: str
    since: str = FIRST_PSREG

    @property
    def family(self) -> str:
        """The letters of the code."""
        return self.code.rstrip("0123456789")

    @property
    def doc(self) -> str:
        """The docstring without its indentation."""
        return _dedent(self.docstring)

    @property
    def summary(self) -> str:
        """The first sentence of the docstring: what is wrong."""
        return self.doc.partition("\n\n")[0].replace("\n", " ").strip()

    @property
    def body(self) -> str:
        """The docstring after its summary: Markdown with `## Why` and `## Fix`."""
        return self.doc.partition("\n\n")[2].strip()

    @property
    def page(self) -> str:
        """Path of the rule's page below the root of the site."""
        return f"rules/{self.code}/"


def rule(
    code: str,
    *,
    spec: str,
    severity: Severity,
    read: Severity | None = None,
    worst: Severity | None = None,
    since: str = FIRST_PSREG,
) -> Callable[[Callable[[T_contra], Iterator[Finding]]], Rule[T_contra]]:
    """Turn a function into a rule; `read` is the severity in read mode if it differs.

    `worst` is the severity of its worst findings if some are worse than `severity`.
    """

    def define(check: Callable[[T_contra], Iterator[Finding]]) -> Rule[T_contra]:
        return Rule(
            code=code,
            slug=check.__name__.replace("_", "-"),
            subject=next(iter(check.__annotations__.values()), ""),
            spec=spec,
            severity=severity,
            read=read or severity,
            worst=worst or severity,
            check=check,
            docstring=check.__doc__ or "",
            since=since,
        )

    return define


def _dedent(doc: str) -> str:
    """Remove the indentation of a docstring (PEP 257) without importing `inspect`."""
    head, _, tail = doc.expandtabs().partition("\n")
    lines = tail.split("\n")
    margin = min((len(x) - len(x.lstrip()) for x in lines if x.strip()), default=0)
    return "\n".join([head.strip(), *(x[margin:].rstrip() for x in lines)]).strip()


T = TypeVar("T")


class RuleTable(tuple[Rule[Any], ...]):  # noqa: SLOT001 - it caches what it computes
    """Rules in the order of listings, and by what they check.

    `everything` loads the table of all rules if these are only some: a waiver may name any.
    """

    _everything: Callable[[], RuleTable] | None

    def __new__(
        cls, rules: Iterable[Rule[Any]], everything: Callable[[], RuleTable] | None = None
    ) -> Self:
        """Return the table of `rules`."""
        table = super().__new__(cls, tuple(rules))
        table._everything = everything
        return table

    def knows(self, code: str) -> bool:
        """Return whether any rule has this code, in this table or not."""
        return code in self._own_codes or code in self.codes

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes of all rules, in this table or not."""
        return self._everything().codes if self._everything else self._own_codes

    @cached_property
    def _own_codes(self) -> frozenset[str]:
        return frozenset(each.code for each in self)

    def about(self, subject: T) -> tuple[Rule[T], ...]:
        """Return the rules that check values of the type of `subject`."""
        kinds = (kind.__name__ for kind in type(subject).__mro__)
        return next((rules for kind in kinds if (rules := self._by_subject.get(kind))), ())

    @cached_property
    def _by_subject(self) -> Mapping[str, tuple[Rule[Any], ...]]:
        found: dict[str, list[Rule[Any]]] = {}
        for each in self:
            found.setdefault(each.subject, []).append(each)
        return {subject: tuple(rules) for subject, rules in found.items()}
