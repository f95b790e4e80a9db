change(entry("hello", "1.0.0", "1.1.0", toml=OWNED), update("1.0.1"))
