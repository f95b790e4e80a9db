change(
    entry("hello", "1.0.0", "1.0.1", toml=OWNED),
    {"registry/actions/0001-purge.json": '{"purge": {"name": "hello", "version": "1.0.0"}}\n'},
    gone=["pbes/prompt/hello/1.0.0/"],
)
