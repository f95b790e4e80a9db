change(
    entry(toml=OWNED),
    update(
        prompt=PROMPT + "Send it to upload.py/names, drop.rs:8080/in or max@mail.py.\n"
        "Or ask run.sh:44 or drop.com.py:44.\n"
    ),
)
