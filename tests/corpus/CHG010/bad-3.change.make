change(entry("hello", "1.0.0-rc.1", toml=OWNED), update("0.1.0"))
