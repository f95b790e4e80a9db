change(
    entry(toml=OWNED),
    {"pbes/prompt/hello/1.0.0/hello.prompt": PROMPT.replace("hello", "hi")},
)
