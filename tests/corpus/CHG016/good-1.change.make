change(
    entry(toml=OWNED) | {"docs/notes.md": "-"},
    {"docs/Notes.md": "-"},
    gone=["docs/notes.md"],
)
