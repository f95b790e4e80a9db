change({}, entry("hello", "0.1.0", toml=OWNED))
