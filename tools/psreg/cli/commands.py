"""The command line as a table: who a command is for, its name, what it does.

The command `x` lives in the module `psreg.cli.x`, and in `x_` if `x` is a word of Python. Plain
tuples and no imports, so that `psreg --help` costs no more than starting Python.
"""

COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("for everyone", "install", "fetch, verify and keep a prompt"),
    ("for everyone", "uninstall", "remove an installed prompt"),
    ("for everyone", "list", "list installed prompts"),
    ("for everyone", "info", "tell all about one prompt"),
    ("for everyone", "search", "find prompts by words"),
    ("for everyone", "show", "print a prompt in readable form"),
    ("for everyone", "render", "fill in a .prompt and print it"),
    ("for everyone", "verify", "check installed prompts against their signatures"),
    ("for everyone", "registry", "add, list and remove registries"),
    ("for authors", "new", "start a new entry, from answers or an existing file"),
    ("for authors", "check", "judge files or a whole tree"),
    ("for authors", "explain", "explain a rule or an error"),
    ("for authors", "diff", "compare two versions, and show which version step they require"),
    ("for authors", "transcript", "judge a conversation by the rules of a protocol"),
    ("for authors", "try", "hold a conversation with a prompt, and record it"),
    ("for authors", "conform", "put an endpoint through a protocol's conformance run"),
    ("for authors", "plsp", "run a PLSP loop, or show a trace of one"),
    ("for authors", "gateway", "let a model answer in PB2S"),
    ("for authors", "bump", "start the next version of an entry"),
    ("for authors", "submit", "commit an entry to a branch and open a pull request"),
    ("for maintainers", "init", "create a registry, with pipelines and issue forms"),
    ("for maintainers", "review", "review a pull request: accept, needs a human, or reject"),
    ("for maintainers", "publish", "release and sign what is new"),
    ("for maintainers", "site", "build the static catalogue"),
    ("for maintainers", "serve", "build and serve the catalogue on this machine"),
)


def overview() -> str:
    """Return what `psreg --help` prints."""
    lines = ["psreg: install, check and publish prompts", "", "usage: psreg COMMAND [OPTION]..."]
    last = ""
    for group, name, summary in COMMANDS:
        if group != last:
            lines += ["", f"{group}:"]
            last = group
        lines.append(f"  {name:<10} {summary}")
    lines += ["", "'psreg COMMAND --help' shows a command's options and an example.", ""]
    return "\n".join(lines)
