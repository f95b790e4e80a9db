change(
    version(release=RELEASE + 'limitations = ["Greets one person only."]\n')
    | {"pbes/prompt/hello/entry.toml": OWNED},
    update(more='limitations = ["Greets one person."]\n'),
)
