change({}, entry("hello", "1.0.0-rc.1", toml=OWNED))
