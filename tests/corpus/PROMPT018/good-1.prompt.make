"[METADATA]\r\n@dotprompt_format_version 0.0.1\r\n[CONTENT]\r\n\ufeffHello\r\n"
