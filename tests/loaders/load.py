"""Loads exported files with the libraries that own their formats; runs in an environment of its own.

Each line of standard input is `{"target", "folder", "values"}`; each line of standard output is
`{"answer"}`, what a model would be sent or what a file says, or `{"error"}`. For a format of
messages, that is `{"description", "messages"}`, of which each is a role and a text.
"""

import json
import sys
import traceback
from functools import cache
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

    document = json.loads(only(folder).read_bytes())
    adapter(ChatCompletionMessageParam).validate_python(document["messages"])
    return said(document["messages"])


def anthropic(folder, _):
    from anthropic.types import MessageParam

    document = json.loads(only(folder).read_bytes())
    adapter(MessageParam).validate_python(document["messages"])
    system = [{"role": "system", "content": document["system"]}] if "system" in document else []
    return said([*system, *document["messages"]])


@cache
def adapter(row):
    from pydantic import TypeAdapter

    return TypeAdapter(list[row])


def said(rows):
    texts = (row["content"] for row in rows)
    texts = (t if isinstance(t, str) else "".join(part["text"] for part in t) for t in texts)
    return {"messages": [[row["role"], text] for row, text in zip(rows, texts, strict=True)]}


def langchain(folder, values):
    from langchain_core.load import loads

    prompt = loads(only(folder).read_text("utf-8"), allowed_objects="core")
    roles = {"human": "user", "ai": "assistant"}
    messages = prompt.invoke(values).to_messages()
    return {"messages": [[roles.get(each.type, each.type), each.text] for each in messages]}


def prompty(folder, values):
    import prompty as library

    agent = library.load(only(folder))
    messages = [
        [message.role, "".join(part.value for part in message.parts)]
        for message in library.prepare(agent, values)
    ]
    return {"description": agent.description, "messages": messages}


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
    messages = [
        [
            message.role.value.replace("model", "assistant"),
            "".join(getattr(part, "root", part).text for part in message.content),
        ]
        for message in render.messages
    ]
    return {"description": render.description, "messages": messages}


def front_matter(folder, _):
    import frontmatter

    post = frontmatter.load(only(folder))
    return {"metadata": post.metadata, "content": post.content}


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
    "front-matter": front_matter,
    "langchain": langchain,
    "openai": openai,
    "prompty": prompty,
    "spdx": spdx,
}

for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = LOADERS[asked["target"]](Path(asked["folder"]), asked["values"])
        told = {"answer": answer}
    except Exception:  # noqa: BLE001 - whatever a library says is a failure
        told = {"error": traceback.format_exc()}
    print(json.dumps(told, default=str), flush=True)
