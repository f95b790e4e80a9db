{
    'pbes/prompt/hello/entry.toml': 'owners = []\n',
    'pbes/prompt/hello/1.0.0/hello.prompt': '[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\nSay hello.\n',
    'pbes/prompt/hello/1.0.0/release.toml': 'summary = "Says hello, and nothing else."\nlicense = "MIT"\ntags = ["greeting"]\nlanguages = ["en"]\nuse_case = "To greet somebody."\n',
    'pbes/prompt/hello/1.0.0/README.md': '# Hello\n\n## Use case\n\nTo greet somebody.\n\n## Example\n\n*Illustrative.* Hello, you!\n',
    'registry/policy.toml': '[[waiver]]\ncode = "REG011"\nnames = ["*"]\nreason = "Nothing here is ever run."\n',
    'pbes/prompt/hello/1.0.0/evidence/run.txt': 'x' * 262_144,
}
