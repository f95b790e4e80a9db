"""A page frame with placeholders, and the pages that fill it.

mkdocs builds a page with placeholders of the form `<!--psreg:NAME-->`. `Template` splits it once
and then only joins strings, so that the frame costs nothing per entry. Placeholders in filled-in
text are ignored.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from psreg.catalogue.pages.class_texts import class_text
from psreg.catalogue.pages.feed_links import entry_feed_links
from psreg.catalogue.pages.html import link, tag, text
from psreg.registry.records import PackageRecord

_MARK = re.compile(r"<!--psreg:([a-z-]+)-->")
_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The registry that the pages belong to.

    `base_url` ends with a slash, or is "" if the address is not known; then there are no canonical
    links and no sitemap. `mode` is `dev` or `production`. `picks` are the names of entries to begin
    with, `text` is what its home page says first; "" for what psreg says.
    """

    name: str
    registry_id: str
    mode: str
    root_sha256: str
    base_url: str = ""
    picks: tuple[str, ...] = ()
    text: str = ""
    report: str = ""
    """The address at which a prompt is reported, before its name and version; "" if not known."""

    platforms: tuple[str, ...] = ()
    """The ids of platforms that the policy adds to those that psreg knows."""

    class_pictures: Mapping[str, bytes] = field(default_factory=dict)
    """The picture of each class, a PNG, for those of its entries; empty if entries have none."""

    @property
    def add_command(self) -> str:
        """The command that adds this registry to a client, pinned to its root."""
        where = self.base_url or "URL_OF_THIS_SITE"
        return f"psreg registry add {where} --root-sha256 {self.root_sha256}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The content of one page; `path` is its folder below the root, ending with a slash.

    `canonical` is the folder that search engines should prefer. `body` is HTML whose links contain
    `ROOT` for the relative path to the site's root. `of_release` is whether the page is about a
    release: such a page has a Markdown text beside the canonical one, and its entry has a feed.
    `linked_data` is the element that describes it for search engines.
    """

    path: str
    title: str
    description: str
    body: str
    canonical: str = ""
    of_release: bool = False
    linked_data: str = ""
    picture: str = ""
    """Where its picture is, below the root of the site; "" if that of the class stands for it."""

    @property
    def file(self) -> str:
        """The path of its file below the root of the site."""
        return f"{self.path}index.html"


MARKDOWN = "index.md"
"""The name of the Markdown text beside the page of an entry."""

PICTURES = "assets/psreg/pictures"
"""The folder of the pictures of classes, and of the home page."""

OEMBED = "oembed.json"
"""The name of what an entry's page looks like when it is embedded."""

_OF_NAME = 2
"""The depth of the page of a name."""

ROOT = "<root>"
"""The placeholder for `../../` and the like in a body, so that pages of two depths share it.

No foreign text can contain it, because `html.text` escapes `<` as `&lt;`.
"""


def address(path: str) -> str:
    """Return the address of `path` below the root of the site, ready for an attribute."""
    return ROOT + quote(path)


class Template:
    """The parts of a page between its placeholders."""

    __slots__ = ("_names", "_parts")

    def __init__(self, html: str) -> None:
        split = _MARK.split(html)
        self._parts = split[::2]
        self._names = split[1::2]

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the page; a placeholder without a value stays empty."""
        out = [self._parts[0]]
        for name, part in zip(self._names, self._parts[1:], strict=True):
            out += (values.get(name, ""), part)
        return "".join(out)

    @property
    def policy(self) -> str:
        """The Content-Security-Policy element for this page.

        It allows styles, scripts and connections from and to the site's own origin, and the theme's
        inline scripts by digest.
        """
        return self._policy()

    @property
    def policy_of_run(self) -> str:
        """The policy of the page that connects to what a person names; nothing else differs."""
        return self._policy("connect-src http: https:; ")

    def _policy(self, connections: str = "") -> str:
        scripts = "".join(
            f" 'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
            for code in dict.fromkeys(_INLINE_SCRIPT.findall("".join(self._parts)))
        )
        rules = (
            f"default-src 'self'; script-src 'self'{scripts}; style-src 'self'; {connections}"
            "img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'"
        )
        return f'<meta http-equiv="Content-Security-Policy" content="{rules}">'


SHELLS: Mapping[int, str] = {
    2: "shell/2/index.html",
    3: "shell/3/3/index.html",
    4: "shell/4/4/4/index.html",
}
"""The frame of the pages that psreg fills itself, by their depth below the root."""


def shells_of(frames: Mapping[str, str]) -> dict[int, str]:
    """Return the shell for each depth among frames by path."""
    return {depth: frames[path] for depth, path in SHELLS.items()}


class Shells:
    """The templates of the pages that psreg fills itself: one for each depth below the root."""

    def __init__(self, frames: Mapping[int, str], site: Site) -> None:
        self.site = site
        self._shells = {depth: Template(html) for depth, html in frames.items()}
        self._policies = {depth: shell.policy for depth, shell in self._shells.items()}

    def fill(self, page: Page) -> str:
        """Return the complete HTML of `page`."""
        depth = page.path.count("/")
        values = {
            "policy": self._policies[depth],
            "title": f"{text(page.title)} · {text(self.site.name)}",
            "head": _head(page, self.site),
            "body": page.body.replace(ROOT, "../" * depth),
        }
        return self._shells[depth].fill(values)


def _head(page: Page, site: Site) -> str:
    description = text(page.description)
    meta = [
        f'<meta name="description" content="{description}">',
        f'<meta property="og:title" content="{text(page.title)}">',
        f'<meta property="og:description" content="{description}">',
        '<meta property="og:type" content="article">',
        f'<meta property="og:site_name" content="{text(site.name)}">',
    ]
    if page.of_release:
        where = "../" * page.path.count("/") + quote(f"{page.canonical or page.path}{MARKDOWN}")
        meta.append(f'<link rel="alternate" type="text/markdown" href="{where}">')
    if site.base_url:
        meta.append(_release_links(page, site) if page.of_release else "")
        address = text(site.base_url + (page.canonical or page.path))
        meta.append(f'<meta property="og:url" content="{address}">')
        meta.append(f'<link rel="canonical" href="{address}">')
    return "".join((*meta, page.linked_data))


def _release_links(page: Page, site: Site) -> str:
    """Return the feeds and the picture of the page of a release; of the latest one, the oEmbed."""
    slug = page.path.partition("/")[0]
    links = entry_feed_links(page.path)
    links += _picture_element(picture_address(page.picture, slug, site))
    home = page.canonical or page.path
    if home.count("/") == _OF_NAME:
        where = text(f"{site.base_url}{home}{OEMBED}")
        links += f'<link rel="alternate" type="application/json+oembed" href="{where}">'
    return links


def picture_link(name: str, site: Site) -> str:
    """Return the element with the picture of a class or of `home`, for where links are shown."""
    return _picture_element(picture_address("", name, site))


def picture_address(own: str, name: str, site: Site) -> str:
    """Return the address of a picture, 1200 by 630 pixels; `site` has an address.

    `own` is the path of the entry's; if that is "", it is the picture of the class, or of `home`.
    """
    return f"{site.base_url}{own or f'{PICTURES}/{name}.png'}"


def _picture_element(where: str) -> str:
    return f'<meta property="og:image" content="{text(where)}">'


def entry_folder(record: PackageRecord) -> str:
    """Return the folder of the page of a name, below the root of the site."""
    return f"{record.entry_class}/{record.name}/"


def by_name(name: str) -> str:
    """Return a link to the entry `name`, whose class is not known: a search finds it first."""
    return link(f"{ROOT}?q={quote(name)}", f"<code>{text(name)}</code>")


def entry_crumbs(entry_class: str, name: str, *below: tuple[str, str]) -> str:
    """Return the breadcrumbs of the page of an entry, or of one with more steps `below` it."""
    home = ("Prompts", ""), (class_text(entry_class).title, f"{entry_class}/")
    return crumbs([*home, (name, f"{entry_class}/{name}/"), *below])


def crumbs(steps: list[tuple[str, str]]) -> str:
    """Return the breadcrumbs of a page; the last step is the page itself."""
    *before, (last, _) = steps
    items = "".join(f'<li><a href="{ROOT}{href}">{text(label)}</a></li>' for label, href in before)
    here = f'<li aria-current="page">{text(last)}</li>'
    return tag("nav", f"<ol>{items}{here}</ol>", class_="ps-crumbs", aria_label="Breadcrumb")
