change({}, entry(toml=OWNED))
