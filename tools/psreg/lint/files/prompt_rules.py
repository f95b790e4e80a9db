"""The rules of family PROMPT: what the `.prompt` format 0.0.1 asks of a file."""

from __future__ import annotations

from psreg.core.rule import Rule
from psreg.formats.dotprompt import Prompt
from psreg.lint.files import prompt_content_rules, prompt_entry_rules, prompt_file_rules

PROMPT_RULES: tuple[Rule[Prompt], ...] = (
    prompt_file_rules.not_utf8,
    prompt_file_rules.section_order,
    prompt_file_rules.missing_section,
    prompt_content_rules.unclosed_comment,
    prompt_entry_rules.duplicate_key,
    prompt_entry_rules.invalid_line,
    prompt_entry_rules.missing_format_version,
    prompt_entry_rules.unsupported_format_version,
    prompt_content_rules.literal_spans_lines,
    prompt_content_rules.literal_is_variable,
    prompt_content_rules.undefined_variable,
    prompt_file_rules.header_spelling,
    prompt_entry_rules.two_spaces_after_key,
    prompt_content_rules.empty_content,
    prompt_file_rules.byte_order_mark,
    prompt_file_rules.foreign_format,
    prompt_file_rules.file_too_large,
)
