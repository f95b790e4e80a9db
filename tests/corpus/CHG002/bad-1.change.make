change(
    entry("hello", "1.0.0", "1.0.1", toml=OWNED), gone=["pbes/prompt/hello/1.0.0/"]
)
