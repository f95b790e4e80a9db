change(entry(toml=OWNED) | {"notes/a:b": "-"}, gone=["notes/a:b"])
