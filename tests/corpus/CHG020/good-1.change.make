change(
    entry(toml=OWNED),
    {"pbes/prompt/hello/entry.toml": OWNED.replace("octocat", "octodog")},
)
