"""Loads exported files with the libraries that own their formats; runs in an environment of its own.

Each line of standard input is `{"target", "folder", "values"}`; each line of standard output is
`{"text"}`, what a model would be sent, or `{"error"}`.
"""

import json
import sys
import traceback
from pathlib import Path


def agent_skill(folder, _):
    from skills_ref import read_properties, validate

    (skill,) = (path for path in folder.iterdir() if path.is_dir())
    assert validate(skill) == []
    assert read_properties(skill).description
    assert "`prompt.txt`" in (skill / "SKILL.md").read_text("utf-8")
    return (skill / "prompt.txt").read_bytes().decode()


def openai(folder, _):
    from openai.types.chat import ChatCompletionMessageParam
    from pydantic import TypeAdapter

    document = json.loads(only(folder).read_bytes())
    checked = TypeAdapter(list[ChatCompletionMessageParam]).validate_python(document["messages"])
    return checked[0]["content"]


def anthropic(folder, _):
    from anthropic.types import MessageParam
    from pydantic import TypeAdapter

    document = json.loads(only(folder).read_bytes())
    (message,) = TypeAdapter(list[MessageParam]).validate_python(document["messages"])
    return message["content"]


def langchain(folder, values):
    from langchain_core.load import loads

    prompt = loads(only(folder).read_text("utf-8"), allowed_objects="core")
    return prompt.invoke(values).to_string()


def prompty(folder, values):
    import prompty as library

    (message,) = library.prepare(library.load(only(folder)), values)
    assert message.role == "user"
    (part,) = message.parts
    return part.value


def dotprompt(folder, values):
    from dotpromptz.dotprompt import Dotprompt
    from dotpromptz.typing import DataArgument

    source = only(folder).read_bytes().decode()
    render = Dotprompt().render(source, DataArgument(input=values))
    if hasattr(render, "__await__"):
        import anyio

        async def waited():
            return await render

        render = anyio.run(waited)
    (message,) = render.messages
    assert message.role == "user"
    (part,) = message.content
    return getattr(part, "root", part).text


def cyclonedx(folder, _):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    text = only(folder).read_text("utf-8")
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert problem is None, problem
    return text


def spdx(folder, _):
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

    place = only(folder)
    problems = validate_full_spdx_document(parse_file(str(place)))
    assert problems == [], problems
    return place.read_text("utf-8")


def only(folder):
    (path,) = (path for path in folder.iterdir() if not path.name.startswith("."))
    return path


LOADERS = {
    "agent-skill": agent_skill,
    "anthropic": anthropic,
    "cyclonedx": cyclonedx,
    "dotprompt": dotprompt,
    "langchain": langchain,
    "openai": openai,
    "prompty": prompty,
    "spdx": spdx,
}

for line in sys.stdin:
    asked = json.loads(line)
    try:
        text = LOADERS[asked["target"]](Path(asked["folder"]), asked["values"])
        answer = {"text": text}
    except Exception:  # noqa: BLE001 - whatever a library says is a failure
        answer = {"error": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
