change(
    entry(toml=OWNED) | entry("helper", toml=OWNED.replace("id = 1", "id = 2")),
    update("1.1.0", more='[requires]\nhelper = "^1.0"\n'),
)
