change(entry(toml=OWNED), update(), author=None)
