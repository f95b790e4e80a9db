"""The licence of a prompt is that of the nearest file that grants one, and is never guessed."""

from pathlib import PurePosixPath

import pytest

from psreg.authoring.importing.formats import prompts_in
from psreg.authoring.importing.found import SourceFile
from psreg.authoring.importing.licence_files import LicenceFiles, granted
from support.paths import ROOT

LICENSE = PurePosixPath("LICENSE")
MIT = (ROOT / "LICENSE").read_text()
MIT_0 = MIT.replace("notice and this permission notice", "")
BSD = """Redistributions of source code must retain the
above copyright notice, this list of conditions and the following disclaimer."""
CC = "Creative Commons Attribution{} 4.0 International Public License"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (MIT, "MIT"),
        (MIT.upper(), "MIT"),
        (MIT_0, "MIT-0"),
        ("Apache License\n   Version 2.0, January 2004\n", "Apache-2.0"),
        (BSD, "BSD-2-Clause"),
        (f"{BSD} Neither the name of", "BSD-3-Clause"),
        ("CC0 1.0 Universal\n\nStatement of Purpose", "CC0-1.0"),
        (CC.format(""), "CC-BY-4.0"),
        (CC.format("-ShareAlike"), "CC-BY-SA-4.0"),
        (CC.format("-NonCommercial"), ""),
        ("Mozilla Public License Version 2.0", "MPL-2.0"),
        ("SPDX-License-Identifier: GPL-3.0-only\n\nGNU GENERAL PUBLIC LICENSE", "GPL-3.0-only"),
        ("SPDX-License-Identifier: Mine", ""),
        ("GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007", ""),
        (f"{MIT}\n\nOr: CC0 1.0 Universal", ""),
        ("All rights reserved. MIT License", ""),
        ("", ""),
    ],
)
def test_a_licence_is_told_by_its_words(text, name):
    assert granted(SourceFile(path=LICENSE, files={LICENSE: text.encode()})) == name


def test_what_is_no_text_grants_nothing():
    assert granted(SourceFile(path=LICENSE, files={LICENSE: b"\xff\xff"})) == ""


def test_the_nearest_file_counts():
    texts = {
        "LICENSE": MIT,
        "a/LICENCE.md": "CC0 1.0 Universal",
        "b/COPYING": "All rights reserved.",
        "c/LICENSE.txt": MIT,
        "c/UNLICENSE": "This is free and unencumbered software released into the public domain.",
        "license.py": "CC0 1.0 Universal",
    }
    files = LicenceFiles({PurePosixPath(path): text.encode() for path, text in texts.items()})
    found = {
        path: files.of(PurePosixPath(path)) for path in ("x.md", "a/b/x.md", "b/x.md", "c/x.md")
    }
    assert found == {
        "x.md": ("MIT", "LICENSE"),
        "a/b/x.md": ("CC0-1.0", "a/LICENCE.md"),
        "b/x.md": ("", ""),
        "c/x.md": ("", ""),
    }
    assert LicenceFiles({}).of(PurePosixPath("x.md")) == ("", "")


def test_what_a_prompt_itself_states_comes_first():
    files = {
        "LICENSE": MIT,
        "p.csv": "act,prompt\nA,Say it.\n",
        "x.md": "---\nlicense: CC0-1.0\n---\nText.\n",
        "y.md": "---\nlicense: see LICENSE\n---\nText.\n",
        "z/COPYING": "Mine.",
        "z/z.md": "---\nlicense: see COPYING\n---\nText.\n",
    }
    made = {PurePosixPath(path): text.encode() for path, text in files.items()}
    found = list(prompts_in(made, {}, lambda _: True, is_alone=False))
    assert [(each.path, each.license, each.license_in) for each in found] == [
        ("p.csv#A", "MIT", "LICENSE"),
        ("x.md", "CC0-1.0", ""),
        ("y.md", "MIT", "LICENSE"),
        ("z/z.md", "see COPYING", ""),
    ]
