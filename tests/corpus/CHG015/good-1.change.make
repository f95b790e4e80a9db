change(entry(toml=OWNED), {"notes/what-a-mess_2.md": "-", "notes/naïve.md": "-"})
