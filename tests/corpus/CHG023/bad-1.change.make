change(entry(toml=OWNED), update(release=RELEASE.replace("MIT", "CC-BY-4.0")))
