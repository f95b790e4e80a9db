change(
    entry(toml=OWNED + 'aliases = ["salute"]\n'),
    {"pbes/prompt/hello/entry.toml": OWNED + 'aliases = ["salute"] # for the army\n'},
)
