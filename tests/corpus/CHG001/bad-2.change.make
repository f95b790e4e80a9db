change(
    entry(toml=OWNED) | version(**{"evidence/a.md": "# One run\n"}),
    {"pbes/prompt/hello/1.0.0/evidence/b.md": "# Another run\n"},
    gone=["pbes/prompt/hello/1.0.0/evidence/a.md"],
)
