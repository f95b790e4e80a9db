change(
    entry(toml=OWNED),
    entry("greeting", toml=OWNED),
    gone=["pbes/prompt/hello/"],
)
