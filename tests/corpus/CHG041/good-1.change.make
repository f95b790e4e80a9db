change(
    entry("hello", "1.0.0", "1.0.1", toml=OWNED) | actions("revoke 1.0.0"),
    actions("revoke 1.0.0", "quarantine 1.0.1"),
)
