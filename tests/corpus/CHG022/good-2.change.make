change({}, entry(), author=("github", 2))
