change(entry(toml=OWNED), update("2.0.0", prompt=PROMPT + "In {language}.\n"))
