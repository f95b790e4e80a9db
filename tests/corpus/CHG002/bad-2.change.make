change(
    entry("hello", "1.0.0", "1.0.1", toml=OWNED),
    actions("purge 1.0.0"),
    gone=["pbes/prompt/hello/1.0.0/"],
)
