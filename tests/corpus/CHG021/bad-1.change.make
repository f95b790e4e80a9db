change(
    entry(toml=OWNED),
    {"pbes/prompt/hello/entry.toml": OWNED.replace("1", "2")},
    author=("github", 2),
)
