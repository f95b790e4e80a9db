"""The rules about links: images that send data, drop hosts, and misleading addresses.

They search the URLs of a text and the images of its Markdown and HTML, reference-style images
included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from psreg.core.dataclass import dataclass
from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding, Span
from psreg.core.regex import lazy
from psreg.core.rule import Rule, rule
from psreg.core.terminal import quoted
from psreg.lint.content.pattern_search import Hit, hits
from psreg.lint.content.pattern_tables import hosts
from psreg.lint.content.texts import Content, of_values
from psreg.lint.segments import Segment

_URL = lazy(
    r"\b(?:https?|ftp|wss?)://"
    r"(?P<authority>\[[0-9a-f:.]{2,45}\]|[^\s/?#<>\"'`\\()\[\]^|,;]{1,255})"
    r"[^\s<>\"'`\\^|]{0,2000}",
    re.IGNORECASE,
)
_ALT = r"[^\[\]\n]{0,200}+(?:\[[^\[\]\n]{0,60}+\][^\[\]\n]{0,100}+){0,3}"
"""The text of an image; brackets within it are balanced."""

_IMAGE = lazy(rf"!\[{_ALT}\]\([ \t\n]{{0,4}}(?P<angle><?)(?P<url>[^)\n]{{1,2000}})")
_HTML_IMAGE = lazy(
    r"<img\b[^<>]{0,300}?\bsrc\s{0,4}=\s{0,4}(?P<angle>)[\"']?(?P<url>[^\"'>\n]{1,2000})",
    re.IGNORECASE,
)
_BY_REFERENCE = lazy(rf"!\[(?P<alt>{_ALT})\](?:\[(?P<label>[^\[\]\n]{{0,100}}+)\])?(?!\()")
_REFERENCE = lazy(
    r"^[ \t>]{0,8}\[(?P<label>[^\]\n]{1,100}+)\]:[ \t]{0,4}(?P<angle><?)(?P<url>[^\n]{1,2000})",
    re.MULTILINE,
)

SLOT = lazy(
    r"\{[^{}\n]{1,80}\}"  # {x}, {{x}}, ${x}
    r"|<[A-Za-z][^<>\n]{0,60}>"
    r"|\[[A-Za-z][^\[\]\n]{0,60}\]"
    r"|\$[A-Za-z_]{2,40}|%[A-Z][A-Z_]{2,30}%|%s\b"
    r"|\b(?:YOUR|USER|INSERT|CHAT)_[A-Z_]{2,30}"
    r"|[=/](?:DATA|BASE64\w{0,12}|ENCODED\w{0,20}|SUMMARY|HISTORY|CONVERSATION|MESSAGES?|SECRETS?"
    r"|TEXT|CONTENT|INPUT|PROMPT|EMAIL|TOKEN|API_?KEY|PASSWORD)\b"
)
"""A part of a URL that is replaced with data before the URL is used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlMatch:
    """A URL or an image, and its position in its segment."""

    segment: Segment
    start: int
    end: int
    url: str
    authority: str = ""

    @property
    def remote(self) -> bool:
        """Whether the URL names a host."""
        return self.url.lower().startswith(("http://", "https://", "//"))

    @property
    def slot(self) -> str:
        """The first slot in the URL, or ""."""
        slot = SLOT.search(self.url)
        return slot[0] if slot else ""


def urls(content: Content) -> Iterator[UrlMatch]:
    """Yield the URLs with a host, without trailing punctuation."""
    for segment, match in content.find(_URL, "://"):
        url = match[0].rstrip(").,;:!?*_]")
        authority = match["authority"].rstrip(".:!?*_")
        start = match.start()
        yield UrlMatch(
            segment=segment, start=start, end=start + len(url), url=url, authority=authority
        )


def images(content: Content) -> Iterator[UrlMatch]:
    """Yield the images of Markdown and HTML that have a URL."""
    for pattern, needle in ((_IMAGE, "!["), (_HTML_IMAGE, "<img")):
        for segment, match in content.find(pattern, needle):
            yield _image(segment, match)
    if "![" not in content.lower or "]:" not in content.lower:
        return
    labels = {(m["label"] or m["alt"]).lower() for _, m in content.find(_BY_REFERENCE)}
    for segment, match in content.find(_REFERENCE):
        if match["label"].lower() in labels:
            yield _image(segment, match)


def _image(segment: Segment, match: re.Match[str]) -> UrlMatch:
    url = match["url"].strip()
    url = url.removesuffix(">") if match["angle"] else url
    return UrlMatch(segment=segment, start=match.start(), end=match.end(), url=url)


_SCRIPT = lazy(
    r"(?:\]\([ \t\n]{0,4}<?"
    r"|^[ \t>]{0,8}\[[^\]\n]{1,100}+\]:[ \t]{0,4}<?"
    r"|\b(?:href|src|action|formaction)\s{0,4}=\s{0,4}[\"']?\s{0,4}"
    r"|<)"
    r"(?P<link>(?:javascript|vbscript|file(?=:/)|data(?=[^\s,]{1,12}(?:html|svg|xml)))"
    r"(?::|&colon;|&#0{0,6}58;?|&#x0{0,6}3a;?)[^\s)>\"']{0,200})",
    re.IGNORECASE | re.MULTILINE,
)
_EMPTY_LINK = lazy(
    r"javascript:(?:void(?:\(0?)?|;|#|\.{3}|…)?;?"
    r"|file:/{1,3}(?:(?:absolute/|full/)?path/(?:to/)?|\.{3}|…|[{<\[$%])[^\s]{0,200}"
    r"|data:text/html[^\s,]{0,20},?(?:\.{3}|…)?",
    re.IGNORECASE,
)
"""A link as a placeholder; it does nothing."""

_NUMBERS = lazy(r"(?:0x[0-9a-f]{1,16}|[0-9]{1,20})(?:\.(?:0x[0-9a-f]{1,16}|[0-9]{1,20})){0,3}")
_RESERVED = lazy(
    r"(?:.{0,250}\.)?(?:localhost|example|test|invalid|example\.(?:com|net|org))", re.IGNORECASE
)

_ONE_LABEL = lazy(r"(?!0x)[a-z][a-z0-9_-]{0,62}", re.IGNORECASE)
"""A host of the reader's own network: `db`, `intranet`."""


@rule("PS020", spec="registry/CONTENT", severity=ERROR)
def image_with_slot(content: Content) -> Iterator[Finding]:
    """The URL of an image contains a slot for data.

    ## Why
    A chat window loads an image as soon as the assistant writes it. Nobody has to click. If the URL
    contains part of the conversation, that part is sent to the host. Mail and documents were stolen
    from assistants this way (CVE-2025-32711). A slot in the query of the URL, or one that is named
    after what people write, is an error. Elsewhere in the path, as in the address of a badge, it is
    a warning; and so is a URL that is one slot, unless it is code. A badge of shields.io is
    information. An image counts as it is with the defaults of a `.prompt`.

    ## Fix
    Mention the image without loading it, or have the assistant write an ordinary link, which the
    user can read before opening it. If the image is the purpose of the prompt, waive the rule with
    a reason in release.toml.

    ```text
    before   ![map](https://maps.example.net/draw?of={address})
    after    Give a link to a map of the address, and show its URL in full.
    ```
    """
    for image in _slotted(content):
        yield _slot_finding(image, image.segment.span(image.start, image.end))
    for image, span in _completed(content):
        if image.slot:
            yield _slot_finding(image, span)


def _slot_finding(image: UrlMatch, span: Span) -> Finding:
    return Finding(
        message=f"loading this image sends {quoted(image.slot)} to a host: {quoted(image.url)}"
        if image.remote
        else f"this image is loaded from the address in {quoted(image.slot)}",
        at=span,
        hint="Ask for a link that the user can read before opening it.",
        severity=None if carries(image) else INFO if _BADGE in image.url else WARNING,
    )


def _completed(content: Content) -> Iterator[tuple[UrlMatch, Span]]:
    """Yield the images with a host that are complete only with the defaults, and their places."""
    if content.prompt is None or all(v.default is None for v in content.prompt.variables):
        return
    # NOTE: not needed where nothing is filled in.
    from psreg.lint.content.appearance import layers, plain  # noqa: PLC0415

    layer = plain.filled_in(layers.Layer(text=content.text), content.prompt)
    if layer is None or layer.below is None:
        return  # PS014 reports it
    filled = of_values([layer.text])
    for image in images(filled):
        if image.remote and layer.disguises(image.start, image.end):
            yield image, layer.span(image.start, image.end)


def _slotted(content: Content) -> Iterator[UrlMatch]:
    for image in images(content):
        if slot := image.slot:
            whole = image.url.startswith(slot) and not image.segment.in_code(image.start)
            if image.remote or whole:
                yield image


_BADGE = "://img.shields.io/"
_TOLD = lazy(
    r"answer|base-?64|chat|content|conver|credential|data|e-?mail|encod|histor|input|memor|messag"
    r"|passw|personal|prompt|quer|repl|respon|said|secret|summar|text|token|user_?(?:info|said)",
    re.IGNORECASE,
)
"""Slots named after what people write or keep secret."""


def carries(image: UrlMatch) -> bool:
    """Tell whether the slots of an image with a host can take a conversation away."""
    path, _, query = image.url.partition("?")
    slots = (slot[0] for slot in SLOT.finditer(path))
    return image.remote and (SLOT.search(query) is not None or any(map(_TOLD.search, slots)))


@rule("PS021", spec="registry/CONTENT", severity=WARNING)
def remote_image(content: Content) -> Iterator[Finding]:
    """An image is loaded from another server.

    ## Why
    Each time the text is shown, the server learns when it was shown and to which IP address.
    Tomorrow it may send a different image. In an assistant's answer, such an image can carry data
    away.

    ## Fix
    Remove the image, or describe it in words. Badges belong on the home page of the source: the
    catalogue itself shows the version, the licence and the test results. If the image is needed,
    say why in release.toml:

    ```toml
    [waivers]
    PS021 = "The prompt is about embedding pictures and shows one from its own documentation."
    ```
    """
    direct = [(i, i.segment.span(i.start, i.end)) for i in images(content)]
    slotted = {span for image, span in direct if image.slot and image.remote}
    for image, span in chain(direct, _completed(content)):
        if image.slot or not image.remote or span in slotted:
            continue
        yield Finding(
            message=f"this image is loaded from another server: {quoted(image.url)}",
            at=span,
            hint="Remove it, or waive PS021 with a reason.",
        )


@rule("PS022", spec="registry/CONTENT", severity=ERROR)
def drop_host(content: Content) -> Iterator[Finding]:
    """The text names a host where anyone can receive or publish data anonymously.

    ## Why
    Request collectors, tunnels, chat webhooks and anonymous pastes are where stolen data is sent,
    and where the second stage of an attack is kept. Their content can change after the review. A
    host name without a path or a subdomain is only a mention; it is a warning. So are tunnels and
    the interfaces of chat services, which programs use for much else.

    ## Fix
    Put the material into the entry itself, or on a host that you own. In examples, write
    `hooks.example.net`. If the prompt is about this host, waive the rule:

    ```toml
    [waivers]
    PS022 = "The prompt teaches how to test a webhook, with the collector most courses use."
    ```
    """
    for hit in hits(content, hosts()):
        yield hit.finding(
            hint="Use a host that you own, or one that is reserved for examples.",
            severity=hit.pattern.severity if _reached(hit) else WARNING,
        )


_PATH = lazy(r"[:?#]|/[\w{<$:?#~@]")


def _reached(hit: Hit) -> bool:
    """Tell an address apart from a mention of the host."""
    text, start, end = hit.segment.text, hit.start, hit.end
    before, after = text[max(0, start - 1) : start], text[end : end + 2]
    return before in (".", "@") or _PATH.match(after) is not None or "/" in hit.text


@rule("PS023", spec="registry/CONTENT", severity=ERROR)
def disguised_address(content: Content) -> Iterator[Finding]:
    """A URL hides its host: a bare IP address, text before `@`, or punycode.

    ## Why
    `https://bank.example@203.0.113.9/` leads to the IP address, not to the bank. A public IP
    address does not show its owner, and `http://2130706433/` does not even look like one. `xn--…`
    is a name whose letters may imitate other letters. Addresses of private networks, localhost,
    hosts of one word and names reserved for examples are allowed, and so are a user name and a
    password that do not look like a host.

    ## Fix
    Write the host by its name. Never put a user name or a password into a URL. If the name really
    contains such letters, waive the rule and say who owns it:

    ```toml
    [waivers]
    PS023 = "xn--mnchen-3ya.de is the city's own site, www.münchen.de."
    ```
    """
    found = ((url, why) for url in urls(content) if (why := _disguise(url.authority)))
    for url, why in found:
        yield Finding(
            message=f"{why}: {quoted(url.url)}",
            at=url.segment.span(url.start, url.end),
            hint="Write the host by its name, with nothing before it.",
        )


_HOST = lazy(r"[\w-]{2,63}(?:\.|%2e)[a-z]{2,10}(?:$|[:/%])", re.IGNORECASE)


def _disguise(authority: str) -> str:
    user, at, address = authority.rpartition("@")
    host = address if address.startswith("[") else address.partition(":")[0]
    if _RESERVED.fullmatch(host) or _ONE_LABEL.fullmatch(host):
        return ""
    if at and _HOST.search(SLOT.sub("", user)):
        return f"the host is {quoted(host)}; the part before `@` is only a user name"
    if host.startswith("[") or _NUMBERS.fullmatch(host.lower()):
        return _number(host)
    if any(label.startswith("xn--") for label in host.lower().split(".")):
        return f"the host is {quoted(_unpunycoded(host))}, written in punycode"
    return ""


def _number(host: str) -> str:
    import ipaddress  # noqa: PLC0415  # few texts have an address of this kind

    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return f"{quoted(host)} is an unreadable form of an IP address"
    return "the owner of this IP address is unknown" if address.is_global else ""


def _unpunycoded(host: str) -> str:
    try:
        return host.encode("ascii").decode("idna")
    except UnicodeError:
        return host


@rule("PS024", spec="registry/CONTENT", severity=ERROR)
def script_link(content: Content) -> Iterator[Finding]:
    """A link runs a script or opens a local file of the reader.

    ## Why
    `javascript:`, `vbscript:` and `data:text/html` links run in the page that shows the text.
    `file:` links open files on the reader's disk. Texts from a registry are shown on other people's
    sites and in their chat windows. This rule cannot be waived. It ignores code in code blocks and
    between backticks. A placeholder that does nothing, such as `javascript:void(0)` or
    `file:///path/to/file`, is a warning.

    ## Fix
    Link to an `https:` address, or show the code as code.

    ```text
    before   [start](javascript:start())
    after    Call `start()` in the console.
    ```
    """
    found = content.find(_SCRIPT, "javascript", "vbscript", "file:/", "data:", "data&")
    links = ((p, m) for p, m in found if not p.in_code(m.start("link")))
    for segment, match in links:
        yield Finding(
            message=f"this link does not lead to a web page: {quoted(match['link'])}",
            at=segment.span(*match.span("link")),
            hint="Link to an https: address, or show code as code.",
            severity=WARNING if _EMPTY_LINK.fullmatch(match["link"]) else None,
        )


LINK_RULES: tuple[Rule[Content], ...] = (
    image_with_slot,
    remote_image,
    drop_host,
    disguised_address,
    script_link,
)
