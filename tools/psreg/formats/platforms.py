"""The platforms on which prompts are run, by the identifiers that release.toml uses."""

from __future__ import annotations

from collections.abc import Mapping

PLATFORMS: Mapping[str, str] = {
    "chatgpt": "ChatGPT",
    "claude": "Claude",
    "copilot": "Microsoft Copilot",
    "deepseek": "DeepSeek",
    "gemini": "Gemini",
    "github-copilot": "GitHub Copilot",
    "grok": "Grok",
    "huggingchat": "HuggingChat",
    "jan": "Jan",
    "kimi": "Kimi",
    "le-chat": "Le Chat",
    "llama-cpp": "llama.cpp",
    "lm-studio": "LM Studio",
    "meta-ai": "Meta AI",
    "ollama": "Ollama",
    "open-webui": "Open WebUI",
    "perplexity": "Perplexity",
    "poe": "Poe",
    "qwen-chat": "Qwen Chat",
}
"""What a person calls each platform. An assistant and the program around it count as one."""
