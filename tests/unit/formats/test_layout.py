"""Which files of the folder `signatures` are signatures of what."""

from pathlib import PurePosixPath

import pytest

from psreg.formats.layout import is_signature, yank_signature_file

FOLDER = PurePosixPath("pbes/prompt/hello/signatures")


def test_the_signature_of_a_yank():
    found = yank_signature_file(FOLDER / "yank.1.0.0-rc.1.12.3.txt")
    assert found is not None
    release, yank, number = found
    assert (release.name, release.version, yank, number) == ("hello", "1.0.0-rc.1", 12, 3)
    assert is_signature(FOLDER / "yank.1.0.0.1.1.txt")


@pytest.mark.parametrize(
    "path",
    [
        "pbes/prompt/hello/yank.1.0.0.1.1.txt",
        "pbes/prompt/Hello/signatures/yank.1.0.0.1.1.txt",
        "yank.1.0.0.1.1.txt",
        *(
            str(FOLDER / name)
            for name in (
                "yank.1.0.1.1.txt",
                "yank.1.0.0.0.1.txt",
                "yank.1.0.0.1.65.txt",
                "yank.1.0.0.1.1.asc",
                "Yank.1.0.0.1.1.txt",
            )
        ),
    ],
)
def test_other_files_are_none(path):
    assert yank_signature_file(PurePosixPath(path)) is None
    assert not is_signature(PurePosixPath(path))
