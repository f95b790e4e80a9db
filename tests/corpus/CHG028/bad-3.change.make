change(
    entry("hello", toml=OWNED + '[deprecated]\nreason = "Short."\nreplacement = "goodbye"\n')
    | entry("goodbye", toml=OWNED),
    {"pbes/prompt/hello/entry.toml": OWNED + '[deprecated]\nreason = "Short."\n'},
)
