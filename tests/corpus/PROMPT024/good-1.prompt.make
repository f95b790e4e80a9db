"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n" + "a" * (262_144 - 53)
