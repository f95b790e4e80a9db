change(
    entry("hello", "1.0.0", "1.0.1", toml=OWNED + '[yanked]\n"1.0.0" = "Greets nobody."\n'),
    {"pbes/prompt/hello/entry.toml": OWNED},
)
