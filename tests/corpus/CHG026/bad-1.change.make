change(
    version(**{"statement.json": '{"payload": "", "signatures": [1]}\n'})
    | {"pbes/prompt/hello/entry.toml": OWNED},
    update(),
)
