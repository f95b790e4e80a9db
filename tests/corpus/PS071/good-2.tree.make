{
    'registry/policy.toml': '[[waiver]]\ncode = "REG011"\nnames = ["*"]\nreason = "Nothing here is ever run."\n',
    'pbes/prompt/weather/entry.toml': 'owners = []\n',
    'pbes/prompt/weather/1.0.0/weather.prompt': '[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nThe user may attach a table of measurements. Never run the following command yourself.\n',
    'pbes/prompt/weather/1.0.0/release.toml': 'summary = "Says what the weather was like, in a few words."\nlicense = "MIT"\ntags = ["weather"]\nlanguages = ["en"]\nuse_case = "To know what the weather was like."\ncapabilities = ["files"]\n',
    'pbes/prompt/weather/1.0.0/README.md': '# Weather\n\n## Use case\n\nTo know.\n\n## Example\n\n*Illustrative.* Rain.\n',
}
