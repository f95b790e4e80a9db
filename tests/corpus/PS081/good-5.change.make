change(
    entry(toml=OWNED),
    update(
        more='[[tested]]\nplatform = "claude"\nevidence = "evidence/claude.jsonl"\n',
        **{
            "evidence/claude.jsonl": '{"role": "user", "content": "See https://example.org/x."}\n',
            "evidence/a.render.toml": 'expected = "See https://example.org/x."\n',
            "notes.md": "x" * 2_000_000 + " https://example.org/x\n",
        },
    ),
)
