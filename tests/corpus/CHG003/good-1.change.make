change(
    entry(toml=OWNED),
    {
        "pbes/prompt/hello/entry.toml": OWNED
        + '[deprecated]\nreason = "Nobody says hello any more."\n'
    },
)
