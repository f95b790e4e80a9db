change(entry(toml=OWNED), update(prompt=PROMPT + "In {language}.\n"))
