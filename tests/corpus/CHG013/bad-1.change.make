change(entry(toml=OWNED), {".github/workflows/review.yml": "on: push\n"})
