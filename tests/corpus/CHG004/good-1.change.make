change(entry(toml=OWNED), entry("evening_quiz", toml=OWNED))
