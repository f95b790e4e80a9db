"""psreg: a registry for prompts that lives in Git.

`psreg.load("NAME")` returns an installed prompt; see `psreg.api`, which is imported when it is
first used.
"""

TYPE_CHECKING = False  # of `typing`, whose import would take longer than all the rest

if TYPE_CHECKING:
    from psreg import api
    from psreg.api import Prompt, PsregError, load

__version__ = "0.2.0"
__all__ = ["Prompt", "PsregError", "__version__", "api", "load"]


def __getattr__(name: str) -> object:
    """Return a name of the Python API."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - `import psreg` stays as quick as Python

    module = import_module("psreg.api")
    return module if name == "api" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
