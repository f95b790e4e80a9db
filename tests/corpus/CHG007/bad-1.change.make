change(entry(toml=OWNED), update("1.2.0"))
