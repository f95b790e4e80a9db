change(entry(toml=OWNED), {"pbes/README.md": "# The prompts\n"})
