change(
    {},
    {"registry/policy.toml": POLICY + '[names]\nretired = ["old_quiz"]\n'},
    policy=POLICY + '[names]\nretired = ["old_quiz", "old_greeting"]\n',
)
