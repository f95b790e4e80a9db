change(
    entry(toml=OWNED),
    {"pbes/interactive_engine/hello/entry.toml": OWNED},
    gone=["pbes/prompt/hello/"],
)
