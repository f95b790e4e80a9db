change(
    version(
        release=RELEASE
        + '[[tested]]\nplatform = "claude"\nmodel = "m"\ndate = 2026-01-01\nresult = "pass"\n'
    )
    | {"pbes/prompt/hello/entry.toml": OWNED},
    update(),
)
