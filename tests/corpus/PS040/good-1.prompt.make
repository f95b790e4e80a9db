"\n".join([
    "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]",
    "AK" "IAIOSFODNN7EXAMPLE and gh" "p_" + "x" * 36,
    "sk-a" "nt-api03-" + "x" * 90,
    "ey" "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    "-----BEGIN RSA PRIV" "ATE KEY-----",
    "(the key stands here)",
    "-----END RSA PRIV" "ATE KEY-----",
    "Asia, the sk-learn package, message sg.example, eyjafjallajokull, Authorization: Bearer {{token}}",
]) + "\n"
