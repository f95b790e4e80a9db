change(
    entry(toml=OWNED),
    update(
        prompt=PROMPT + "Write for instance upload.py:44, src/Main.java:7 or `notes.md:3`.\n"
        "In query.sql:12: a join.\n"
    ),
)
