change(
    entry(toml=OWNED),
    update(**{"notes.md": "See https://example.org/more.\n", "evidence/notes.txt": "See https://example.org/x.\n"}),
)
