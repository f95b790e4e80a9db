change(
    entry(toml=OWNED)
    | version("caller", release=RELEASE + '[requires]\nhello = "^1"\n')
    | {"pbes/prompt/caller/entry.toml": OWNED},
    {"pbes/prompt/hello/entry.toml": OWNED + '[yanked]\n"1.0.0" = "Greets nobody."\n'},
)
