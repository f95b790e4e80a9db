"""The conversation protocols psreg can judge, by name and version."""
