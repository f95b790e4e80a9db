"""Whatever a pull request says, the comment about it holds nothing but our own markup."""

import re
from dataclasses import replace
from pathlib import PurePosixPath

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from psreg.core.diagnostics import Report, Severity
from psreg.core.version import Step
from psreg.review.comment import LIMIT, MARKER, Part, fitted, review_markdown
from psreg.review.comment_code import REMARK, remarks
from psreg.review.verdict import Verdict
from support.reports import SITE, diagnostic
from support.reviews import (
    ACCEPTED,
    REJECTED,
    SAMPLES,
    WAITING,
    diff,
    difference,
    first_release,
    reason,
    release,
    review,
    suggestion,
)

RUN = "https://forge.example/team/prompts/actions/runs/7"
MARKDOWN = MarkdownIt("commonmark").enable("table")

HOSTILE = """\
` ``` ```` ~~~ | ]( [x](https://e.example) @octocat #1 GH-1 !7 <!-- --> <img <b </details> \\ &#64;
&amp; https://e.example www.e.example /merge \u202e \u200b \0 --- >"""
pieces = st.sampled_from(
    [
        *HOSTILE.split(),
        "\n",
        "\r",
        "\n\n",
        "\t",
        "  ",
        "# h",
        "- i",
        "> q",
        "1. n",
        MARKER,
        "x" * 300,
    ]
)
texts = st.lists(pieces | st.text(max_size=8), max_size=6).map("".join)
findings = st.builds(
    diagnostic,
    severity=st.sampled_from(Severity),
    message=texts,
    path=texts,
    hint=texts,
    waived=st.none() | texts,
)
differences = st.builds(
    difference,
    st.sampled_from([Step.PATCH, Step.MINOR, Step.MAJOR]),
    message=texts,
    reason=texts,
    pointer=texts,
    before=texts,
    after=texts,
)
data = texts.map(lambda text: text.encode("utf-8", "replace"))
releases = st.one_of(
    st.builds(
        release,
        diff=st.lists(differences, max_size=3).map(lambda found: diff(*found)),
        missing=texts.map(lambda text: {PurePosixPath("a/README.md"): text}),
        capabilities_added=st.lists(texts, max_size=2).map(tuple),
        before=data,
        after=data,
    ),
    st.builds(first_release, similar_names=st.lists(texts, max_size=2).map(tuple)),
)
reviews = st.builds(
    review,
    st.sampled_from(Verdict),
    reasons=st.lists(st.builds(reason, message=texts, path=texts), max_size=3).map(tuple),
    would_change_verdict=st.lists(texts, max_size=3).map(tuple),
    releases=st.lists(releases, max_size=3).map(tuple),
    suggestions=st.lists(
        st.builds(suggestion, texts, path=texts, titles=texts.map(lambda text: (text,))), max_size=3
    ).map(tuple),
    report=st.builds(
        Report.of, st.just(1), st.lists(findings, max_size=4), st.sampled_from(["", SITE])
    ),
)
some = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def tokens(text):
    """Yield all tokens of a text as Markdown, those within others, too."""
    for token in MARKDOWN.parse(text):
        yield token
        yield from token.children or ()


def acting(text):
    """Return what of a comment would act on a reader or a bot: tags, links, headings, mentions."""
    found = []
    for token in tokens(text.removeprefix(MARKER)):
        if token.type in ("html_block", "html_inline"):
            ours = re.sub(r"</?(code|details|summary)>|<br>", "", token.content)
            found += re.findall(r"<.*|@\w", ours)
        elif token.type == "text":
            found += re.findall(r"@\w+|(?<!&)#\d+|\bGH-\d+|!\d+|<!--", token.content)
        elif token.type == "link_open":
            found += [h for h in [token.attrs["href"]] if not h.startswith((SITE, RUN))]
        elif token.type in ("image", "blockquote_open", "ordered_list_open", "code_block"):
            found.append(token.type)
        elif token.type == "heading_open" and token.tag not in ("h3", "h4"):
            found.append(token.tag)
        elif token.type == "fence" and token.info not in INFOS:
            found.append(token.info)
    return found


INFOS = ("suggestion", "diff", "markdown", "toml", "text")


def quoted(text):
    """Return the texts of the code blocks."""
    return [token.content for token in tokens(text) if token.type == "fence"]


@some
@given(reviews)
@example(review(Verdict.ACCEPT, would_change_verdict=("1. n",)))
def test_a_comment_holds_nothing_but_its_own_markup(made):
    text = review_markdown(made, RUN)
    assert text.startswith(f"{MARKER}\n### psreg: ")
    assert text.count(MARKER) == 1
    assert acting(text) == []
    assert len(text) <= LIMIT
    for code in quoted(text):
        assert not re.search(r"^\s*/[a-z]", code, re.MULTILINE)


@some
@given(reviews)
def test_every_section_is_there_to_the_end(made):
    text = review_markdown(made, RUN)
    opened = [token.content for token in tokens(text) if token.type == "html_block"]
    inside = 0
    for block in opened:
        inside += block.count("<details>") - block.count("</details>")
        assert inside in (0, 1)
    assert inside == 0
    assert text.endswith(f" [Full report]({RUN}).\n")
    assert text.count("\n**What happens next**\n") == 1


def test_suggestions_are_exact():
    text = review_markdown(REJECTED)
    exact = [s.after for s in REJECTED.suggestions[:3]]
    found = [t.content for t in tokens(text) if t.type == "fence" and t.info == "suggestion"]
    assert found == [after.replace("\r\n", "\n") for after in exact]
    assert exact[0] in text
    assert "\r\n" in exact[0]


def test_what_cannot_be_taken_over_as_it_is_has_no_block():
    text = review_markdown(REJECTED)
    assert text.count("`psreg check --fix` applies it.") == len(REJECTED.suggestions) - 3
    assert "/merge" not in text


@pytest.mark.parametrize("name", SAMPLES)
def test_a_link_to_the_whole_report_only_where_there_is_one(name):
    assert f"[Full report]({RUN})" in review_markdown(SAMPLES[name], RUN)
    for nowhere in ("", "javascript:alert(1)", "https://e.example/) [x](y"):
        assert "whole report" not in review_markdown(SAMPLES[name], nowhere)


def test_the_verdict_comes_first_and_says_what_happens_next():
    for made, line in (
        (ACCEPTED, "Ready to merge"),
        (WAITING, "Needs a maintainer"),
        (REJECTED, "Changes required"),
    ):
        assert review_markdown(made).splitlines()[1] == f"### psreg: {line}"
    assert "Merging signs and releases it" in review_markdown(ACCEPTED)
    assert "Merging signs and releases them" in review_markdown(
        replace(ACCEPTED, releases=ACCEPTED.releases * 2)
    )
    assert "Merging" not in review_markdown(replace(ACCEPTED, releases=()))
    assert "Merging" not in review_markdown(REJECTED)


def flooded():
    """Return a review with much too much of everything."""
    many = tuple(
        release(
            f"1.0.{n}",
            diff=diff(*(difference(message=f"{'|' * 300} {n}") for n in range(60))),
            after=(f"{'#' * 80}\n" * 1900).encode(),
            missing={PurePosixPath(f"{n}/README.md"): "# x\n" * 1500},
        )
        for n in range(40)
    )
    found = [diagnostic(message="|" * 399, hint="#" * 399, path="_" * 4000) for _ in range(300)]
    waived = [diagnostic(message="|" * 399, waived="_" * 399) for _ in range(100)]
    return review(
        reasons=tuple(reason(message="_" * 399, path="_" * 400) for _ in range(500)),
        would_change_verdict=tuple("`_" * 300 for _ in range(100)),
        releases=many,
        suggestions=tuple(suggestion("x " * 1900 + "\n", first=n, last=n) for n in range(90)),
        report=Report.of(1, [*found, *waived], SITE),
    )


def test_of_a_flood_the_most_important_survives():
    text = review_markdown(flooded(), RUN)
    assert LIMIT - 5_000 < len(text) <= LIMIT
    assert acting(text) == []
    for needed in (
        "**Why**",
        "**What would change this**",
        "| Release | Step | Score |",
        "#### What changed in",
        "#### Findings",
        "```suggestion",
        "**What happens next**",
        f"[Full report]({RUN})",
    ):
        assert needed in text
    for counted in (
        "findings",
        "more changes",
        "what changed in 30 more releases",
        "applies them all",
    ):
        assert re.search(rf"…and .*{counted}", text)


def test_a_text_of_many_lines_is_cropped():
    before = b"".join(b"line %d\n" % n for n in range(1_900))
    made = review(
        releases=(release(before=before, after=b"x" * 30 + before.replace(b"\n", b".\n")),)
    )
    text = review_markdown(made)
    assert re.search(r"^…and \d+ more lines$", text, re.MULTILINE)


@pytest.mark.parametrize("after", [b"x\n" * 3_000, b"x" * 300_000])
def test_a_text_too_long_is_not_compared(after):
    assert "Too long to compare here." in review_markdown(review(releases=(release(after=after),)))


def test_texts_that_are_the_same_are_not_shown():
    same = release(after=release().before)
    assert "as text" not in review_markdown(review(releases=(same,)))
    assert "as text" not in review_markdown(review(releases=(release(after=None),)))


# Remarks at lines


@some
@given(reviews)
def test_a_remark_holds_exactly_what_is_taken_over(made):
    for forge in ("github", "gitlab"):
        for one, text in remarks(made.suggestions, forge):
            hidden, _, shown = text.partition("\n")
            assert re.fullmatch(rf"{REMARK}[0-9a-f]{{32}} -->", hidden)
            assert "<!--" not in shown
            (block,) = (token for token in tokens(shown) if token.type == "fence")
            above = f":-{one.last - one.first}+0" if forge == "gitlab" else ""
            assert block.info == f"suggestion{above}"
            assert block.content.removesuffix("\n") == one.after.removesuffix("\n")
            assert acting(shown.replace(block.info, "suggestion", 1)) == []


def test_what_cannot_be_taken_over_as_it_is_is_no_remark():
    assert [one for one, _ in remarks(REJECTED.suggestions, "github")] == [
        *REJECTED.suggestions[:3]
    ]
    for path in ("a\udcff.md", "a\u202eb.md"):
        assert remarks([suggestion("x\n", path=path)], "github") == ()
    assert remarks([suggestion("/merge\n"), suggestion("<!-- x\n")], "gitlab") == ()


def test_another_place_or_text_is_another_remark():
    one = suggestion("x\n")
    moved = replace(one, first=one.first + 1, last=one.last + 1)
    others = [one, moved, replace(one, before="y\n"), replace(one, path="a/README.md")]
    texts = [text for _, text in remarks([*others, one], "github")]
    assert len(set(texts)) == len(others)
    assert texts[0] == texts[-1]


def test_too_many_remarks_are_counted():
    assert "stand at their lines" not in review_markdown(REJECTED)
    text = review_markdown(REJECTED, unplaced=80)
    assert "\nThe first 20 are also comments on their lines, where you can" in text
    assert "; 80 more will follow when those are fixed.\n" in text


def part(*blocks, weight=1, share=10, **rest):
    return Part(blocks=blocks, weight=weight, share=share, more="+{}", **rest)


def test_everything_fits():
    assert fitted([part("a", "b", before="<", after=">"), part("c")], 100) == "<ab>c"


def test_a_part_without_blocks_is_not_there():
    assert fitted([part(before="<", after=">"), part("c")], 100) == "c"


def test_what_does_not_fit_is_counted():
    assert fitted([part("aaaa", "bbbb", "cccc", before="<", after=">")], 13) == "<aaaabbbb+1>"
    assert fitted([part("aaaa", "bbbb", before="<")], 3) == "+2"


def test_nobody_loses_a_share_to_the_heavier():
    parts = [part(*"a" * 50, weight=9, share=10), part(*"b" * 50, weight=1, share=10)]
    text = fitted(parts, 40)
    assert text.count("b") >= 7
    assert text.count("a") > text.count("b")
    assert len(text) <= 40


def test_what_is_left_goes_to_the_heavier_wherever_it_stands():
    parts = [part(*"a" * 50, share=5, weight=1), part(*"b" * 50, share=5, weight=2)]
    text = fitted(parts, 60)
    assert "b" * 50 in text
    assert "+" in text.partition("b")[0]


words = st.text(max_size=9)
parts = st.builds(
    Part,
    blocks=st.lists(words, max_size=20).map(tuple),
    weight=st.integers(0, 3),
    share=st.integers(10, 30),
    before=words,
    after=words,
    more=st.just("…{}"),
)


@given(st.lists(parts, max_size=5), st.integers(0, 200))
def test_the_limit_holds_and_more_room_never_shows_less(found, room):
    limit = 40 * len(found) + room
    text = fitted(found, limit)
    assert len(text) <= limit
    assert len(fitted(found, limit + 50)) >= len(text) - 4 * len(found)
