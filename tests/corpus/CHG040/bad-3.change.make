change(
    entry("hello", toml=OWNED) | actions("revoke 1.0.0", signed=True),
    actions("revoke 1.0.0"),
)
