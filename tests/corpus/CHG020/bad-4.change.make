change(
    entry(toml=OWNED),
    {
        "pbes/prompt/hello/entry.toml": """\
threshold = 2
[[owners]]
forge = "github"
id = 1
login = "octocat"
keys = ["ssh-ed25519 AAAA laptop"]
[[owners]]
forge = "github"
id = 2
login = "another"
"""
    },
)
