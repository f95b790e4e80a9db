change(
    entry(toml=OWNED) | {"pbes/prompt/hello/1.0.0/statement.json": '{"payload": "YQ==", "signatures": [{"sig": "YQ=="}]}\n'},
    {"pbes/prompt/hello/1.0.0/statement.json": "[]\n"},
)
