{
    "registry/policy.toml": '[[waiver]]\ncode = "REG011"\nnames = ["*"]\nreason = "Nothing here is ever run."\n',
    "pbes/prompt/hello/entry.toml": "owners = []\n",
    "pbes/prompt/hello/1.0.0/release.toml": 'summary = "Says hello, and nothing else."\nlicense = "MIT"\ntags = ["greeting"]\nlanguages = ["en"]\nuse_case = "To greet somebody."\n',
    "pbes/prompt/hello/1.0.0/README.md": "# Hello\n\n## Use case\n\nTo greet.\n\n## Example\n\n*Illustrative.* Hello, you!\n",
    "pbes/prompt/hello/1.0.0/hello.prompt": "[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\n" + "{name}\n" * 19_000,
    "pbes/prompt/hello/1.0.0/evidence/long.render.toml": "text = 'x'\n[values]\nname = '" + "x" * 240_000 + "'\n",
}
