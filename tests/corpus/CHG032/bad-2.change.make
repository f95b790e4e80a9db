change(
    entry("hello", "1.0.0", toml=OWNED) | actions("purge 1.0.1"),
    update(),
)
