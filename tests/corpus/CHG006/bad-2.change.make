change({}, entry("hello", "1.0.0-alpha", toml=OWNED))
