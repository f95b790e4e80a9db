"""What a model reads: a text without its disguises, and where each part of it came from."""
