'[METADATA]\n@dotprompt_format_version 0.0.1\n' + "[CONTENT]\nDecode:\n" + __import__("base64").encodebytes(bytes(range(256))).decode()
