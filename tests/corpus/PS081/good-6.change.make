change(
    entry(toml=OWNED) | entry("helper", toml=OWNED) | entry("other"),
    update("1.1.0", more='[requires]\nhelper = "^1.0"\n'),
)
