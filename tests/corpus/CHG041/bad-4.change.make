change(
    entry("hello", toml=OWNED),
    {"registry/actions/more/0001-revoke.json": "{}\n"},
)
