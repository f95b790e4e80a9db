"""Long texts of many kinds, made of what this repository says itself: ordinary, disguised, random."""

import base64
import codecs
import random
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SUFFIXES = (".md", ".prompt", ".txt")
DATA = ROOT / "tools/psreg/lint/content/data"


@cache
def words():
    """Return the words of the ordinary texts of this repository."""
    folders = (ROOT / "pbes", ROOT / "site/docs")
    paths = sorted(p for each in folders for p in each.rglob("*") if p.suffix in SUFFIXES)
    said = " ".join(p.read_text() for p in paths)
    return said.translate(dict.fromkeys(map(ord, "{}@%"))).split()


@cache
def attack_words():
    return tomllib.loads((DATA / "disguises.toml").read_text())["words"]


@cache
def examples(kind):
    """Return what each row of threats.toml reports ("hostile"), or does not ("benign")."""
    rows = tomllib.loads((DATA / "threats.toml").read_text()).values()
    return [
        " ".join(row[kind].translate(dict.fromkeys(map(ord, "{}@%"))).split())
        for each in rows
        for row in each
        if kind in row
    ]


def sentences(source):
    """Yield parts of texts, in another order each time."""
    known = words()
    while True:
        at = source.randrange(len(known) - 40)
        yield " ".join(known[at : at + source.randrange(8, 40)])


def each(make):
    """Return a maker of sentences that `make` changes."""

    def made(source):
        return (make(said, source) for said in sentences(source))

    return made


def by_word(make):
    """Return a maker of sentences of which `make` changes each word."""
    return each(lambda said, source: " ".join(make(word, source) for word in said.split(" ")))


def picked(known, number, between=" "):
    def made(source):
        while True:
            yield between.join(source.choices(known(), k=number))

    return made


def of_letters(letters, sizes, number=12):
    def made(source):
        while True:
            yield " ".join(
                "".join(source.choices(letters, k=source.randrange(*sizes))) for _ in range(number)
            )

    return made


def sometimes(make, often=0.3):
    return lambda word, source: make(word, source) if source.random() < often else word


ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
LOOKS = str.maketrans("aeopcx", "аеорсх")
LEET = str.maketrans("oieast", "013457")
CAPITALS = str.maketrans("abdegimnoprtu", "ᴀʙᴅᴇɢɪᴍɴᴏᴘʀᴛᴜ")


def typing_error(word, source):
    at = source.randrange(max(1, len(word) - 1))
    return word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :]


def acrostic(said, source):
    return f"{source.choice('ignorealpvustcd')}{said}"


def table_row(said, _source):
    return "| " + " | ".join(said.split(" ")[:8]) + " |"


def link(said, source):
    host = "".join(source.choices("abcdefgh", k=6))
    return f"{said} [{host}.com](https://{host}.com/{source.randrange(999)})"


def code(said, source):
    name = "_".join(w.lower() for w in said.split(" ")[:3] if w.isalpha()) or "x"
    return (
        f"def {name}(value):\n    # {said}\n    return '{said[:30]}' + \"{source.randrange(99)}\""
    )


def b64(said, _source):
    return base64.b64encode(said.encode()).decode()[:59]


def of_examples(kinds, make):
    """Return a maker of what rows of threats.toml report, or do not, that `make` changes."""

    def made(source):
        known = [said for kind in kinds for said in examples(kind)]
        return (make(source.choice(known), source) for _ in iter(int, 1))

    return made


def halves(said, source):
    other = source.choice([*examples("hostile"), *examples("benign")])
    return f"{said[: len(said) // 2]} {other[len(other) // 2 :]}"


ALL = ("hostile", "benign")


SHAPES = {
    "varied prose": sentences,
    "words in any order": picked(words, 14),
    "words of attacks": picked(attack_words, 12),
    "attacks in all languages": picked(lambda: examples("hostile"), 2),
    "ordinary texts in all languages": picked(lambda: examples("benign"), 2),
    "pieces of base64": each(b64),
    "pieces of hexadecimal digits": each(lambda said, _: said.encode().hex()[:60]),
    "random base64": of_letters(ALPHANUMERIC + "+/", (8, 60)),
    "base85": of_letters("".join(set(map(chr, range(33, 127))) - set("{}@%")), (25, 60), 1),
    "ROT13": each(lambda said, _: codecs.encode(said, "rot13")),
    "lines from right to left": each(lambda said, _: said[::-1]),
    "words from right to left": by_word(lambda word, _: word[::-1]),
    "first letters of lines": each(acrostic),
    "digits for letters": by_word(lambda word, _: word.translate(LEET)),
    "digits for some letters": by_word(sometimes(lambda word, _: word.translate(LEET))),
    "emoji": by_word(sometimes(lambda word, source: word + source.choice("😀🚀✅👩‍💻"))),
    "look-alikes": by_word(sometimes(lambda word, _: word.translate(LOOKS))),
    "small capitals": by_word(sometimes(lambda word, _: word.translate(CAPITALS))),
    "tables": each(table_row),
    "links": each(link),
    "code": each(code),
    "random letters": of_letters("abcdefghijklmnopqrstuvwxyz", (3, 9)),
    "random characters": of_letters([chr(n) for n in range(0xA1, 0x2FFF)], (1, 9)),
    "random bytes": of_letters(
        [bytes((n,)).decode("utf-8", "replace") for n in range(32, 256) if chr(n) not in "{}@%"],
        (1, 40),
    ),
    "typing errors": by_word(sometimes(typing_error)),
    "typing errors in words of attacks": lambda source: (
        " ".join(typing_error(word, source) for word in source.choices(attack_words(), k=12))
        for _ in iter(int, 1)
    ),
    "letter by letter": each(lambda said, _: " ".join(said.replace(" ", ""))),
    "entities": by_word(sometimes(lambda word, _: f"&#{ord(word[0])};{word[1:]}")),
    "percent signs": by_word(sometimes(lambda word, _: f"%{ord(word[0]) % 256:02x}{word[1:]}")),
    "emphasis inside words": by_word(sometimes(lambda word, _: f"{word[:2]}**{word[2:]}")),
    "invisible characters": by_word(sometimes(lambda word, _: f"{word[:2]}\u200b{word[2:]}")),
    "accents": by_word(sometimes(lambda word, _: f"{word[:1]}\u0301{word[1:]}")),
    "quoted pieces": by_word(lambda word, _: f'"{word[:3]}" + "{word[3:]}"'),
    "numbers": of_letters("0123456789", (1, 6)),
    "words with digits": of_letters("abcdefgh0123456789", (2, 12)),
    "Morse code": of_letters(".-", (1, 5)),
    "comments": by_word(sometimes(lambda word, _: f"{word[:2]}(% x %){word[2:]}", 0.1)),
    "names of programs": by_word(lambda word, _: word.title()),
    "attacks in reversed order": of_examples(
        ["hostile"], lambda said, _: " ".join(said.split(" ")[::-1])
    ),
    "examples in reversed order": of_examples(ALL, lambda said, _: " ".join(said.split(" ")[::-1])),
    "examples with each word in quotes": of_examples(
        ALL, lambda said, _: " ".join(f'"{word}"' for word in said.split(" "))
    ),
    "examples with a hyphen for each blank": of_examples(
        ALL, lambda said, _: said.replace(" ", "-")
    ),
    "examples, word by word in quoted lines": of_examples(
        ["hostile"], lambda said, _: said.replace(" ", "\n> ")
    ),
    "examples in tables": of_examples(ALL, lambda said, _: f"| {said.replace(' ', ' | ')} |"),
    "examples with digits for letters": of_examples(ALL, lambda said, _: said.translate(LEET)),
    "ordinary examples, a line for each word": of_examples(
        ["benign"], lambda said, _: said.replace(" ", "\n")
    ),
    "halves of attacks and of ordinary texts": of_examples(ALL, halves),
    "HTML": by_word(sometimes(lambda word, _: f"<b class=x>{word}</b>")),
}


def text(shape, size, between="\n"):
    """Return so many bytes of text of a shape, the same each time."""
    return between.join(sentences_of(shape, size, between)).encode()[:size].decode(errors="ignore")


def sentences_of(shape, size, between="\n"):
    """Return sentences of a shape, of so many bytes together."""
    made, parts, done = SHAPES[shape](random.Random(shape)), [], 0
    while done < size:
        parts.append(next(made))
        done += len(f"{parts[-1]}{between}".encode())
    return parts
