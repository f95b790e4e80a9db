{
    'pbes/prompt/hello/entry.toml': 'owners = []\n',
    'pbes/prompt/hello/1.0.0/hello.prompt': '[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\nSay hello.\n',
    'pbes/prompt/hello/1.0.0/release.toml': 'summary = "Says hello, and nothing else."\nlicense = "MIT"\ntags = ["greeting"]\nlanguages = ["en"]\nuse_case = "To greet somebody."\n',
    'pbes/prompt/hello/1.0.0/README.md': '# Hello\n\n## Use case\n\nTo greet somebody.\n\n## Example\n\n*Illustrative.* Hello, you!\n',
    'registry/policy.toml': '[[waiver]]\ncode = "REG011"\nnames = ["*"]\nreason = "Nothing here is ever run."\n',
    'irregular': {
        'pbes/prompt/hello/1.0.0/README.md': 'an executable file',
        'pbes/prompt/hello/1.0.0/evidence/run.jsonl': 'a symbolic link',
        'pbes/prompt/hello/2.0.0': 'a submodule',
        'pbes/prompt/pipe': 'neither a file nor a folder',
    },
}
