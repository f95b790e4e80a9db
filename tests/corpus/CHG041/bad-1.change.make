change(
    entry("hello", toml=OWNED),
    actions("revoke 1.0.0", start=2),
)
