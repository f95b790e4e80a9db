change(entry(toml=OWNED), {"pbes/prompt/hello/entry.toml": OWNED + "# A note.\n"})
