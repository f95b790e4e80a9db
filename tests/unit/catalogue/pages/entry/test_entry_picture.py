"""The picture of an entry where links to it are shown."""

import json
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from psreg.catalogue.pages.entry.entry_page import entry_pages
from psreg.catalogue.pages.entry.entry_picture import picture_file
from psreg.catalogue.pages.frame import PICTURES, Shells, Site
from psreg.catalogue.texts.embeds import embed_files
from psreg.core.errors import UnavailableError
from support.catalogue import opened, tree
from support.paths import ROOT

FOLDER = ROOT / "site/overrides" / PICTURES
SITE = Site(
    name="Reg",
    registry_id="",
    mode="dev",
    root_sha256="",
    base_url="https://e.org/a/",
    class_pictures={file.stem: file.read_bytes() for file in FOLDER.iterdir()},
)
LISTENER = opened(tree())["listener"]
WHITE = (255, 255, 255)


def titled(title):
    files = {**LISTENER.latest.files, "README.md": f"# {title}\n\nText.\n".encode()}
    readme = next(path for path in files if path.endswith("README.md"))
    files[readme] = files.pop("README.md")
    return replace(LISTENER, latest=replace(LISTENER.latest, files=files))


def drawn(title, site=SITE):
    ((path, data),) = picture_file(titled(title), site)
    assert path == "interactive_engine/listener/picture.png"
    with Image.open(BytesIO(data)) as image:
        assert (image.format, image.size) == ("PNG", (1200, 630))
        return image.convert("L").point(lambda value: 255 * (value > 160))


def inked(image, box):
    """Return the bounds of what is white within a part of a picture."""
    return image.crop(box).getbbox()


def test_the_title_stands_below_the_symbol_of_the_class():
    image = drawn("Socratic tutor")
    assert inked(image, (0, 0, 1200, 300)) == (90, 90, 282, 282)
    assert not image.getpixel((150, 222))  # the symbol itself
    assert inked(image, (0, 312, 1200, 540)) is not None
    assert image.tobytes() != drawn("Socratic tutors").tobytes()
    assert image.tobytes() == drawn("Socratic tutor").tobytes()


@pytest.mark.parametrize(
    "title",
    [
        "A",
        "Erklärte Übersetzung für Anfänger",
        "Ж и Ψ",
        "long words and " * 9,
        "W" * 90,
        "gjpqy " * 6,
    ],
)
def test_no_title_leaves_its_place(title):
    image = drawn(title)
    assert inked(image, (1112, 300, 1200, 630)) is None
    assert inked(image, (0, 536, 1200, 548)) is None
    assert inked(image, (0, 548, 1200, 630)) is not None


def test_a_title_that_is_too_long_ends_with_an_ellipsis():
    long = "every good boy does fine and " * 5
    assert drawn(long).tobytes() == drawn(f"{long} indeed").tobytes()


@pytest.mark.parametrize("title", ["日本語", "עברית", "a\u202eb"])
def test_letters_that_the_font_does_not_have(title):
    assert list(picture_file(titled(title), SITE)) == []


def test_the_name_of_a_registry_may_be_in_other_letters():
    other = drawn("Tutor", replace(SITE, name="日本語"))
    assert inked(other, (0, 548, 1200, 630))[2] < inked(drawn("Tutor"), (0, 548, 1200, 630))[2]


def test_pages_and_embedded_links_have_it():
    shell = "<!--psreg:head-->"
    shells = Shells({2: shell, 3: shell}, SITE)
    own = "https://e.org/a/interactive_engine/listener/picture.png"
    pages = [page for page in entry_pages(LISTENER, SITE) if page.of_release]
    for page in pages:
        assert f'<meta property="og:image" content="{own}">' in shells.fill(page)
    files = dict(embed_files(LISTENER, SITE))
    folder = "interactive_engine/listener/"
    assert json.loads(files[f"{folder}oembed.json"])["thumbnail_url"] == own
    assert f"{folder}picture.png" in files


def test_a_class_picture_that_is_none_is_told():
    site = replace(SITE, class_pictures={"interactive_engine": b"GIF89a"})
    with pytest.raises(UnavailableError, match="picture of the class interactive_engine"):
        list(picture_file(LISTENER, site))
