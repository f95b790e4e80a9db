change(
    entry(toml=OWNED) | {"pbes/prompt/hello/1.0.0/statement.json": '{"payload": "YQ==", "signatures": [1]}\n'},
    {"pbes/prompt/hello/1.0.0/statement.json": '{"payload": "YQ==", "signatures": [1, 2]}\n'},
)
