change(
    entry(toml=OWNED),
    {"pbes/prompt/hello/1.0.0/statement.json": '{"signatures": []}\n'},
)
