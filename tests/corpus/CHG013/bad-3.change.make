change(entry(toml=OWNED) | {"pbes/notes.md": "# Notes\n"}, gone=["pbes/notes.md"])
