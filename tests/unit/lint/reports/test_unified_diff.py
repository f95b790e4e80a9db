"""The unified diff is the one that `diff -u` writes, whatever the lines hold."""

from psreg.lint.reports.unified_diff import unified


def test_lines_end_only_at_line_feeds():
    before = "a\r\nb\x0cc\u2028d\r\nx"
    assert unified("f", before, before.replace("c", "C")) == (
        "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\r\n-b\x0cc\u2028d\r\n+b\x0cC\u2028d\r\n"
        " x\n\\ No newline at end of file\n"
    )


def test_the_same_and_nothing():
    assert unified("f", "a", "a") == ""
    assert unified("f", "", "a\n") == "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n"


def test_a_name_cannot_forge_a_line():
    assert unified("a\n+++ b", "", "x\n").startswith("--- a +++ b\n+++ a +++ b\n@@")
