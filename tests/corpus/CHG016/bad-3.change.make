change(entry(toml=OWNED) | {"docs/notes.md": "-"}, {"docs/Notes.md": "-", "Docs/more.md": "-"})
