change(
    entry("hello", "1.0.0", "2.0.0", toml=OWNED)
    | version("caller", release=RELEASE + '[requires]\nhello = "1.0.0"\n')
    | {"pbes/prompt/caller/entry.toml": OWNED},
    gone=["pbes/prompt/hello/1.0.0/"],
)
