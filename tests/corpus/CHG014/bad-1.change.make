change(entry(toml=OWNED) | entry("goodbye", toml=OWNED), update() | update(name="goodbye"))
