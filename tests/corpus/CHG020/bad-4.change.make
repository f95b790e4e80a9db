change(
    entry(toml=OWNED),
    {
        "pbes/prompt/hello/entry.toml": """\
threshold = 2
[[owners]]
forge = "github"
id = 1
login = "octocat"
keys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c laptop"]
[[owners]]
forge = "github"
id = 2
login = "another"
keys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU"]
"""
    },
)
