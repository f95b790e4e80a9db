"""READMEs as HTML: what is understood, what is refused, and that no text is slow or dangerous."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.catalogue.pages.markdown_html import inline_html, title_and_rest, to_html
from support.walks import sampled

TAGS = {
    *(
        [
            "p",
            "br",
            "hr",
            "em",
            "strong",
            "code",
            "pre",
            "a",
            "blockquote",
            "ul",
            "ol",
            "li",
            "h3",
            "h4",
            "h5",
            "h6",
        ]
    ),
    *(["div", "table", "thead", "tbody", "tr", "th", "td"]),
}
ATTRIBUTES = {"href", "rel", "class", "scope", "tabindex"}


def html(source):
    return to_html(source, lambda target: f"/at/{target}" if target == "README.md" else None)


class Outline(HTMLParser):
    """Collects start tags with attributes; what else a browser would act on is a mistake."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_comment(self, data):
        raise AssertionError(f"comment {data!r}")

    handle_decl = handle_pi = unknown_decl = handle_comment


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("plain", "<p>plain</p>"),
        ("# One\n## Two ##\n####### no", "<h3>One</h3><h4>Two</h4><p>####### no</p>"),
        ("##### Deep", "<h6>Deep</h6>"),
        ("a\nb", "<p>a\nb</p>"),
        ("a  \nb\\\nc", "<p>a<br>b<br>c</p>"),
        ("a\r\n\r\nb", "<p>a</p><p>b</p>"),
        (
            "*a* _b_ **c** __d__",
            "<p><em>a</em> <em>b</em> <strong>c</strong> <strong>d</strong></p>",
        ),
        ("**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>"),
        ("snake_case_name 2 * 3 * 4", "<p>snake_case_name 2 * 3 * 4</p>"),
        ("`a<b` and ``c ` d``", "<p><code>a&lt;b</code> and <code>c ` d</code></p>"),
        (r"\*not\* \_em\_ \x", r"<p>*not* _em_ \x</p>"),
        ("---\n***\n_ _ _", "<hr><hr><hr>"),
        ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
        ("* a\n  more\n* b\nlazy", "<ul><li>a\nmore</li><li>b\nlazy</li></ul>"),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("007) a", '<ol start="7"><li>a</li></ol>'),
        ("on 1 and\n2. May", "<p>on 1 and\n2. May</p>"),
        ("- on\n  2. May", "<ul><li>on\n2. May</li></ul>"),
        ("a\n1) b", "<p>a</p><ol><li>b</li></ol>"),
        ("a\n+ b", "<p>a</p><ul><li>b</li></ul>"),
        ("a\n+", "<p>a\n+</p>"),
        ("- a\n1. b", "<ul><li>a</li></ul><ol><li>b</li></ol>"),
        ("- a\n---", "<ul><li>a</li></ul><hr>"),
        ("- a\n- - -", "<ul><li>a</li></ul><hr>"),
        ("- a\n\n  b\n\n- c", "<ul><li><p>a</p><p>b</p></li><li>c</li></ul>"),
        ("- a\n  - b", "<ul><li>a<ul><li>b</li></ul></li></ul>"),
        ("- a\n\nb", "<ul><li>a</li></ul><p>b</p>"),
        ("-\n", "<ul><li></li></ul>"),
        ("> a\n> > b", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>"),
        ("a\n> b", "<p>a</p><blockquote><p>b</p></blockquote>"),
        ("a\n# b", "<p>a</p><h3>b</h3>"),
        ("a\n-b", "<p>a\n-b</p>"),
        ("```json\n<x>\n```", '<pre><code class="language-json">&lt;x&gt;\n</code></pre>'),
        ("~~~\na\n```\n~~~", "<pre><code>a\n```\n</code></pre>"),
        ("```\nopen", "<pre><code>open\n</code></pre>"),
        ('``` "x\na\n```', "<pre><code>a\n</code></pre>"),
        ("    a\n\n    b\nc", "<pre><code>a\n\nb\n</code></pre><p>c</p>"),
        ("\ta", "<pre><code>a\n</code></pre>"),
        ("a | b", "<p>a | b</p>"),
        ("a\n---|", "<p>a\n---|</p>"),
    ],
)
def test_blocks_and_spans(source, expected):
    assert html(source) == expected


def test_a_table_has_as_many_cells_as_its_head():
    out = html("| a | `b` |\n|:--|--:|\n| 1 | x \\| y | z |\n| 2 |\n\nafter")
    assert '<th scope="col">a</th><th scope="col"><code>b</code></th>' in out
    assert "<tr><td>1</td><td>x | y</td></tr><tr><td>2</td><td></td></tr>" in out
    assert out.endswith("<p>after</p>")


def test_a_table_row_may_lack_its_outer_bars():
    assert "<tr><td>1</td><td>2</td></tr>" in html("a | b\n--|--\n1 | 2\n")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "[a](https://example.org/x?y=1&z)",
            '<p><a href="https://example.org/x?y=1&amp;z" rel="noopener noreferrer nofollow">a</a></p>',
        ),
        (
            '[*a*](https://example.org "title")',
            '<p><a href="https://example.org" rel="noopener noreferrer nofollow"><em>a</em></a></p>',
        ),
        (
            "<https://example.org>",
            '<p><a href="https://example.org" rel="noopener noreferrer nofollow">https://example.org</a></p>',
        ),
        (
            "![a](https://example.org/i.png)",
            '<p><a href="https://example.org/i.png" rel="noopener noreferrer nofollow">a</a></p>',
        ),
        ("[a](README.md)", '<p><a href="/at/README.md">a</a></p>'),
        ("[a](gone.md)", "<p>a</p>"),
        ("[a](http://example.org)", "<p>a</p>"),
        ("[a](//example.org)", "<p>a</p>"),
        ("[a](mailto:a@example.org)", "<p>a</p>"),
        ("[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>"),
        ("[a](data:text/html,x)", "<p>a</p>"),
        ("[a](https://user:secret@example.org)", "<p>a</p>"),
        ("[a](https://é.example)", "<p>a</p>"),
    ],
)
def test_links_lead_to_https_or_a_known_file(source, expected):
    assert html(source) == expected


def test_nesting_ends():
    assert html("> " * 50 + "x").count("<blockquote>") == 6
    assert html("- " * 50 + "x").count("<ul>") == 6
    assert html("**a **b** c**").count("<strong>") == 1
    assert html("[**a __b *c _d_*__**](README.md)").count("<") == 12


@pytest.mark.parametrize(
    "piece",
    sampled(
        [
            *("*a ", "**a ", "***a", "_a_", "__a", "[a", "[a](b", "`a ", "<https://", "\\"),
            *("> ", "> \n", "- ", "- - - ", "- a\n\n", "1. ", "#", " #", "~", "|", "  ", "\t- "),
        ],
        8,
    ),
)
def test_a_text_made_to_be_slow_comes_to_an_end(piece):
    # With a pattern that backtracks without bound this would take hours.
    for start in ("", "# a", "```"):
        assert html(start + piece * (60_000 // len(piece)) + "x")


ALPHABET = st.sampled_from(
    [
        *"<>\"'&`*_[]()!|#->~\\ \n\t:=/aà\u202e\x00",
        *("https://a.b", "javascript:", "README.md", "](", "```", "\n\n", "    "),
        *("<script>", "</p>", "<!--", "-->", "<img src=x onerror=1>"),
    ]
)


@given(st.lists(ALPHABET, max_size=60).map("".join))
def test_no_markup_of_a_readme_reaches_the_page(source):
    for tag, attributes in Outline(html(source)).tags:
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES
        assert attributes.get("href", "https://").startswith(("https://", "/at/README.md"))


@pytest.mark.parametrize(
    ("source", "title", "rest"),
    [
        ("# A `b` *c*\ntext", "A b c", "text"),
        ("\n\ufeff# A", "A", ""),
        ("text\n# A", "", "text\n# A"),
        ("## A", "", "## A"),
    ],
)
def test_the_title_is_the_first_heading(source, title, rest):
    assert title_and_rest(source) == (title, rest)


def test_a_line_of_text_keeps_its_code():
    assert inline_html("`a` is [not](https://b.c) <d>") == (
        '<code>a</code> is <a href="https://b.c" rel="noopener noreferrer nofollow">not</a> &lt;d&gt;'
    )
