"\n".join([
    "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]",
    "AK" "IAQ3EGRTZ6KD2LWYXF",
    "gh" "p_9fK2bVxT7qLmN4sRwY8zAcEdGhJkPuXvB1C3",
    "sk-a" "nt-api03-" + "aB3dE5fG7hJ9kL1mN2pQ" * 4 + "-AA",
    "AI" "zaSyD4eF6gH8iJ0kL2mN4oP6qR8sT0uV2wX4y",
    "xo" "xb-482910374655-593820174466-QwErTyUiOpLkJhGfDsAzXcVb",
    "-----BEGIN RSA PRIV" "ATE KEY-----",
    "MIIEowIBAAKCAQEAx3zV9bQ8rT5yU7iO2pLkJhGfDsA1",
    "ey" "JhbGciOiJIUzI1NiJ9.ey" "JzdWIiOiJzb21lYm9keSJ9.qX8wE6rT4yU2iO0pA9sD7fG5hJ3kL1zX8cV6bN4mQ2w",
    "48291037" ":AAH9fK2bVxT7qLmN4sRwY8zAcEdGhJkPuXv",
]) + "\n"
