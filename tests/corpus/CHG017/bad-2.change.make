change({}, {"notes.md": "-"}, author=None)
