change(entry(toml=OWNED), update(), author=("gitlab", 1))
