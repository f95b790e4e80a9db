"""The rules of family PROMPT: what the `.prompt` format 0.0.1 asks of a file."""

from __future__ import annotations

from psreg.formats.dotprompt import Prompt
from psreg.rule import Rule
from psreg.rules import prompt_content, prompt_entries, prompt_file

PROMPT_RULES: tuple[Rule[Prompt], ...] = (
    prompt_file.not_utf8,
    prompt_file.section_order,
    prompt_file.missing_section,
    prompt_content.unclosed_comment,
    prompt_entries.duplicate_key,
    prompt_entries.invalid_line,
    prompt_entries.missing_format_version,
    prompt_entries.unsupported_format_version,
    prompt_content.literal_spans_lines,
    prompt_content.literal_is_variable,
    prompt_content.undefined_variable,
    prompt_file.header_spelling,
    prompt_entries.two_spaces_after_key,
    prompt_content.empty_content,
    prompt_file.byte_order_mark,
    prompt_file.foreign_format,
    prompt_file.file_too_large,
)
