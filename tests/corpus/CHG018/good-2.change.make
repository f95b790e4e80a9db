change(entry(), update())
