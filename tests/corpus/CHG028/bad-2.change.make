change(
    entry(toml=OWNED) | entry("goodbye", toml=OWNED),
    {
        "pbes/prompt/hello/entry.toml": OWNED
        + '[deprecated]\nreason = "Too short."\nreplacement = "goodbye"\n'
    },
)
