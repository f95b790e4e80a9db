"""The command line as a table: who a command is for, its name, what it does.

The command `x` lives in the module `psreg.cli.x`, and in `x_` if `x` is a word of Python. Plain
tuples and no imports, so that `psreg --help` costs no more than starting Python.
"""

COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("for everyone", "search", "search the registry for prompts"),
    ("for everyone", "info", "show everything about a prompt"),
    ("for everyone", "install", "fetch, verify and install prompts"),
    ("for everyone", "show", "show a prompt in readable form"),
    ("for everyone", "copy", "put a prompt into the clipboard"),
    ("for everyone", "render", "fill in a .prompt and print the text"),
    ("for everyone", "export", "write prompts as other programs load them"),
    ("for everyone", "list", "list installed prompts"),
    ("for everyone", "uninstall", "remove installed prompts"),
    ("for everyone", "verify", "check installed prompts against what was signed"),
    ("for everyone", "path", "print where an installed prompt is"),
    ("for everyone", "open", "open the page of a prompt in the catalogue"),
    ("for everyone", "registry", "add, list and remove registries"),
    ("for everyone", "mcp", "offer installed prompts to assistants, over MCP"),
    ("for everyone", "completion", "let your shell complete commands and names"),
    ("for everyone", "man", "print or write the manual pages"),
    ("for everyone", "mirror", "copy a registry, so that others install without it"),
    ("for projects", "add", "use prompts in this project"),
    ("for projects", "remove", "no longer use prompts in this project"),
    ("for projects", "lock", "write psreg.lock: exactly which releases the project uses"),
    ("for projects", "sync", "bring psreg.lock and the files of the project up to date"),
    ("for projects", "outdated", "show which locked or installed releases have newer ones"),
    ("for projects", "update", "lock newer releases, after showing what they change"),
    ("for projects", "why", "show why a release is locked"),
    ("for projects", "tree", "show the prompts of this project, and what they require"),
    ("for projects", "cache", "show, check or delete the cache"),
    ("for authors", "new", "start a new entry, from answers or an existing file"),
    ("for authors", "import", "make entries of prompts that exist elsewhere"),
    ("for authors", "check", "check files or a whole registry"),
    ("for authors", "explain", "explain a rule or an error"),
    ("for authors", "diff", "compare two versions, and show which version step they require"),
    ("for authors", "bump", "start the next version of an entry"),
    ("for authors", "sign", "sign a release as one of its owners"),
    ("for authors", "submit", "commit an entry to a branch and open a pull request"),
    ("for authors", "yank", "stop offering a release, with a reason"),
    ("for maintainers", "init", "create a registry, with pipelines and issue forms"),
    ("for maintainers", "review", "review a pull request: accept, needs a human, or reject"),
    ("for maintainers", "publish", "sign and publish new releases"),
    ("for maintainers", "keys", "sign who owns a name, and give keys to several people"),
    ("for maintainers", "doctor", "check the keys, signatures, pipelines and host of a registry"),
    ("for maintainers", "revoke", "withdraw a release, so that nobody installs it"),
    ("for maintainers", "purge", "remove the bytes of a release for good"),
    ("for maintainers", "audit", "compare the log, the records and the files of every release"),
    ("for maintainers", "site", "build the static catalogue"),
    ("for maintainers", "deploy", "put the catalogue into a bucket or a folder"),
    ("for maintainers", "serve", "build and serve the catalogue on this machine"),
    ("for experiments", "try", "try a prompt in a conversation, and record it"),
    ("for experiments", "transcript", "check a conversation against the rules of a protocol"),
    ("for experiments", "conform", "test whether an endpoint conforms to a protocol"),
    ("for experiments", "plsp", "run a PLSP loop, or show a trace of one"),
    ("for experiments", "gateway", "let a model answer in PB2S"),
)

_SHORT = ("for everyone", "for projects")


def is_short(name: str) -> bool:
    """Return whether a command takes so little time that its start is most of it."""
    return any(name == command for group, command, _ in COMMANDS if group in _SHORT)


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
