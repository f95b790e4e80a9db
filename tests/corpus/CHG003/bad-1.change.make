change(entry(toml=OWNED), gone=["pbes/prompt/hello/"])
