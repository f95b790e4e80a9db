change(entry(toml=OWNED), update(**{"evidence/" + "a" * 200 + ".md": "# A run\n"}))
