from psreg.formats import dotprompt


def test_a_flood_of_invalid_lines_is_cut_off():
    prompt = dotprompt.read(b"[METADATA]\n@dotprompt_format_version 0.0.1\n" + b".\n" * 20_000)
    invalid = [issue for issue in prompt.issues if issue.code == "PROMPT008"]
    assert len(invalid) == 500


def test_marks_at_the_beginning_are_deleted_all_at_once():
    prompt = dotprompt.read("\ufeff\ufeff\ufeff[METADATA]".encode())
    (mark,) = [issue for issue in prompt.issues if issue.code == "PROMPT018"]
    ((change,),) = [mark.fix]
    assert (change.span.start, change.span.end, change.replacement) == (0, 3, "")
