change(
    entry(toml=OWNED + '[yanked]\n"1.0.1" = "Removed."\n'),
    update("1.1.0"),
)
