change(entry("hello", "0.1.0", toml=OWNED), update("0.1.1"))
