change(
    entry("hello", toml=OWNED) | actions("revoke 1.0.0"),
    actions("revoke 1.0.0", reason="Nothing."),
)
