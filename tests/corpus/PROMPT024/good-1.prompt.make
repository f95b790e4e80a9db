"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n" + "a" * (1_048_576 - 53)
