change(entry(toml=OWNED), update(**{"evidence/a.md": "# A run\n", "evidence/A.md": "# A run\n"}))
