change(entry(toml=OWNED), update("1.0.1") | update("1.0.2"))
