change(entry(toml=OWNED), {"registry/policy.toml": POLICY + "# A note.\n"})
