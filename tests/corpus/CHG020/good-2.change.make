change(entry(toml=OWNED), {"pbes/prompt/hello/entry.toml": "owners = [\n"})
