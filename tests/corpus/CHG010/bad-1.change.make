change(entry(toml=OWNED), update("2.0.0"))
