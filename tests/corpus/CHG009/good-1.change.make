change(entry(toml=OWNED), update(prompt=PROMPT))
