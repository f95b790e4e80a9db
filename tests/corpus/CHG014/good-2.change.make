change(
    entry(toml=OWNED) | entry("goodbye", toml=OWNED),
    update() | update(name="goodbye"),
    policy=POLICY + "[review]\nentries_per_change = 2\n",
)
