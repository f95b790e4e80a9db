change(
    entry("hello", toml=OWNED),
    {"registry/actions/0001-revoke.json": '{"schema": "psreg.action/1"}\n'},
)
