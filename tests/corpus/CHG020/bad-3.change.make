change(entry(), {"pbes/prompt/hello/entry.toml": OWNED}, author=("github", 2))
