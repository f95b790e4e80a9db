change(entry(toml=OWNED), update())
