"""The targets of `psreg export`: what each writes, where, and what judges such a file.

`exports` is pure: `psreg export` and `psreg sync` place what it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from psreg.client.exports import data_targets, markdown_targets
from psreg.client.exports.exported import Exported


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A kind of file that other programs load.

    `folder` is where they look for it, relative to a project or a home. `loader` is the official
    schema or loader of the format. `shared`: the file has parts of others, and one is a section.
    """

    name: str
    summary: str
    folder: str
    loader: str
    files: Callable[[Exported], Mapping[str, str]]
    shared: bool = False


_CLAUDE = "https://code.claude.com/docs/en/skills"
_CODE = "https://code.visualstudio.com/docs/copilot/customization"

TARGETS: tuple[Target, ...] = (
    Target(
        name="agent-skill",
        summary="a folder with SKILL.md, as agentskills.io defines it",
        folder=".agents/skills",
        loader="skills_ref.validate (PyPI skills-ref)",
        files=markdown_targets.agent_skill,
    ),
    Target(
        name="claude-command",
        summary="a slash command of Claude Code",
        folder=".claude/commands",
        loader=_CLAUDE,
        files=markdown_targets.claude_command,
    ),
    Target(
        name="copilot-prompt",
        summary="a prompt file of GitHub Copilot",
        folder=".github/prompts",
        loader=f"{_CODE}/prompt-files",
        files=markdown_targets.copilot_prompt,
    ),
    Target(
        name="copilot-instructions",
        summary="instructions of GitHub Copilot",
        folder=".github/instructions",
        loader=f"{_CODE}/custom-instructions",
        files=markdown_targets.copilot_instructions,
    ),
    Target(
        name="cursor-rule",
        summary="a rule of Cursor",
        folder=".cursor/rules",
        loader="https://cursor.com/docs/context/rules",
        files=markdown_targets.cursor_rule,
    ),
    Target(
        name="agents-md",
        summary="a section of AGENTS.md",
        folder=".",
        loader="CommonMark (https://agents.md)",
        files=markdown_targets.agents_section,
        shared=True,
    ),
    Target(
        name="openai",
        summary="messages for OpenAI",
        folder="prompts",
        loader="openai.types.chat.ChatCompletionMessageParam (PyPI openai)",
        files=data_targets.openai,
    ),
    Target(
        name="anthropic",
        summary="messages for Anthropic",
        folder="prompts",
        loader="anthropic.types.MessageParam (PyPI anthropic)",
        files=data_targets.anthropic,
    ),
    Target(
        name="langchain",
        summary="a PromptTemplate of LangChain",
        folder="prompts",
        loader="langchain_core.load.loads (PyPI langchain-core)",
        files=data_targets.langchain,
    ),
    Target(
        name="prompty",
        summary="a Prompty file",
        folder="prompts",
        loader="prompty.load (PyPI prompty)",
        files=data_targets.prompty,
    ),
    Target(
        name="dotprompt",
        summary="a .prompt file of Google's Dotprompt",
        folder="prompts",
        loader="dotpromptz.Dotprompt (PyPI dotpromptz)",
        files=data_targets.dotprompt,
    ),
    Target(
        name="open-webui",
        summary="what the workspace of Open WebUI imports",
        folder="prompts",
        loader="https://docs.openwebui.com/features/workspace/prompts",
        files=data_targets.open_webui,
    ),
    Target(
        name="librechat",
        summary="a preset that LibreChat imports",
        folder="prompts",
        loader="https://www.librechat.ai/docs/user_guides/presets",
        files=data_targets.librechat,
    ),
    Target(
        name="text",
        summary="the final text, exactly",
        folder="prompts",
        loader="UTF-8",
        files=data_targets.text,
    ),
)

NAMES = tuple(target.name for target in TARGETS)


def target_of(name: str) -> Target:
    """Return the target with a name, which is one of `NAMES`."""
    return TARGETS[NAMES.index(name)]


def exports(prompt: Exported, target: Target) -> dict[PurePosixPath, bytes]:
    """Return the files that a target makes of a prompt, relative to the folder of the target.

    Raises:
        FindingsError: `CANNOT_EXPORT`: a program would not take the text literally;
            `MISSING_VALUES`: the target has no variables, and one has no value.
    """
    return {PurePosixPath(path): text.encode() for path, text in target.files(prompt).items()}
