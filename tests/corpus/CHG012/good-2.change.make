change(
    version(release=RELEASE + 'capabilities = ["network"]\n')
    | {"pbes/prompt/hello/entry.toml": OWNED},
    update(more='capabilities = ["network"]\n'),
)
