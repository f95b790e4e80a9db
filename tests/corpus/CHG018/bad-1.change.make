change(entry(toml=OWNED), update(), author=("github", 2))
