change(
    entry(toml=OWNED),
    {"site/docs": "/etc"},
    irregular={"site/docs": "a symbolic link"},
)
