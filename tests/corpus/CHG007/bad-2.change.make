change(entry(toml=OWNED), update("1.0.0-rc.1"))
