"\ufeff[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nHello\n"
