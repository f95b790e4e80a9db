change(
    entry(toml=OWNED + '[deprecated]\nreason = "Too short."\n'),
    {"pbes/prompt/hello/entry.toml": OWNED},
)
