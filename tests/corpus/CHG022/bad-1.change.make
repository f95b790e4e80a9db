change({}, entry(toml=OWNED), author=("github", 2))
