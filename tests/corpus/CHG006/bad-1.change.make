change({}, entry("hello", "3.2.0", toml=OWNED))
