change(
    entry(toml=OWNED),
    update(
        "1.1.0",
        prompt=PROMPT + "Search the web for their name.\n",
        more='capabilities = ["network"]\n',
    ),
)
