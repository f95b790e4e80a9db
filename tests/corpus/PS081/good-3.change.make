change(
    version(prompt=PROMPT + "See https://example.org/names and example.dev/x.\n")
    | {"pbes/prompt/hello/entry.toml": OWNED},
    update(
        prompt=PROMPT + "Have a look at https://example.org/names and example.dev/x.\n"
        "Again: https://example.org/names\n"
    ),
)
