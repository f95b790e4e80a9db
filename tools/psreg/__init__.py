"""psreg: a registry for prompts that lives in Git."""

__version__ = "0.2.0"
