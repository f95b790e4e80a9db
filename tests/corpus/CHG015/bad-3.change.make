change(
    entry(toml=OWNED),
    {
        "notes/two\nlines.md": "-",
        "notes/a:b.md": "-",
        "notes/../x.md": "-",
        "notes/.GIT/config": "-",
        "notes/aux.md": "-",
        "notes/end.": "-",
        "notes/\udcff.md": "-",
        "notes/cafe\u0301.md": "-",
        "notes/" + "long" * 40: "-",
        "notes/" + "deep/" * 60: "-",
    },
)
