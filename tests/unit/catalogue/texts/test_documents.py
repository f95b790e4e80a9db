"""What the search of a site finds in its documentation."""

import json

from psreg.catalogue.texts.documents import documents_file


def read(html, path="guide/x/"):
    [found] = json.loads(documents_file([(path, html)]))
    return found


PAGE = """
<nav><h1>Not this</h1><p>Nor this.</p></nav>
<article class="md-typeset">
<h1 id="keys">Keys &amp; locks<a class="headerlink" href="#keys">#</a></h1>
<p class="admonition-title">Note</p>
<p>A <code>key</code> opens
one lock.</p><p>Another sentence.</p>
<button type="button">Copy</button>
<h2 id="make">Make a key<a class="headerlink" href="#make">#</a></h2>
<p>A locksmith files the blank. A locksmith is patient.</p><pre>chisel chisel chisel</pre>
<section id="lose"><h2><a href="#lose">Lose it</a></h2><p>Ask a locksmith.</p></section>
<section><h3>Nowhere</h3></section>
</article>
<p>locksmith outside</p>
"""


def test_a_page_is_its_title_its_headings_and_its_first_sentence():
    found = read(PAGE)
    assert found["title"] == "Keys & locks"
    assert found["path"] == "guide/x/"
    assert found["headings"] == [["make", "Make a key"], ["lose", "Lose it"]]
    assert found["summary"] == "A key opens one lock."


def test_the_most_telling_words_of_the_article_count():
    words = read(PAGE)["words"].split()
    assert "locksmith" in words
    assert not {"chisel", "copy", "outside", "key", "lock"} & set(words)


def test_much_text_is_cut():
    text = " ".join(f"word{letter}{other}" for letter in "abcdefghij" for other in "klmnopqrst")
    found = read(f"<article><h1>T</h1><p>{text}</p></article>")
    assert len(found["summary"]) == 160
    assert len(found["words"].split()) == 20


def test_a_page_without_an_article_has_nothing():
    assert read("<h1>T</h1><p>x</p>") == {
        "title": "", "path": "guide/x/", "headings": [], "summary": "", "words": "",
    }  # fmt: skip
