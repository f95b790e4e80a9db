"""`psreg try FILE|NAME --endpoint URL`: try a prompt in a conversation and record it."""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable
from pathlib import Path

from psreg.cli.options.endpoint import add_timeout_option, limits_of
from psreg.client.library import installed_artifact
from psreg.client.render import values_of_assignments, values_of_json
from psreg.conversations.endpoint.address import chat_address
from psreg.conversations.endpoint.chat import Endpoint
from psreg.conversations.model import ChatReply, ChatRequest, EndpointError
from psreg.conversations.trial import (
    AskStreaming,
    Session,
    TrialMetadata,
    converse,
    load,
    save_to_resume,
)
from psreg.conversations.trial_terminal import Trial, script_turns, typed_turns
from psreg.core.errors import InterruptError, UsageError
from psreg.core.identity import is_name
from psreg.formats.platforms import PLATFORMS
from psreg.formats.protocol_versions import STUB
from psreg.system import clock
from psreg.system.console import Console, add_output_options
from psreg.system.files import read_named, refuse_existing

EXAMPLE = (
    "psreg try socratic_tutor --endpoint http://127.0.0.1:8080 --model qwen3 --record run.jsonl"
)

_HOTTEST = 2.0


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("what", metavar="FILE|NAME[@RANGE]", help="a file or an installed prompt")
    parser.add_argument(
        "--endpoint", required=True, metavar="URL", help="an OpenAI-compatible endpoint"
    )
    parser.add_argument("--model", default="", help="model to request (default: the endpoint's)")
    parser.add_argument("--record", metavar="FILE.jsonl", help="write the transcript to this file")
    parser.add_argument("--platform", default="", metavar="ID", help="platform id for the test row")
    parser.add_argument(
        "--script", metavar="FILE", help="send the lines of FILE, or the user turns of a .jsonl"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="value of a variable in a .prompt",
    )
    parser.add_argument(
        "--vars", metavar="FILE.json", help="values of a .prompt, as one JSON object"
    )
    parser.add_argument("--save", metavar="FILE", help="write each valid save to FILE")
    parser.add_argument("--resume", metavar="FILE", help="continue from a save")
    parser.add_argument(
        "--until", default="", metavar="TEXT", help="end when an answer contains TEXT"
    )
    parser.add_argument(
        "--temperature", type=_temperature, metavar="T", help="sampling temperature"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="sampling seed")
    parser.add_argument(
        "--stream", action=BooleanOptionalAction, default=True, help="show answers as they arrive"
    )
    add_timeout_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Hold the conversation; exit 1 if --save is given and the last save is invalid."""
    trial = _prepared(args, console)
    resume = _resume(args, trial.session)
    script = Path(args.script) if args.script else None
    turns = script_turns(script, console, trial) if script else typed_turns(console, trial)
    trial.open()
    try:
        for exchange in converse(trial.session, turns, resume=resume, until=args.until):
            trial.keep(exchange)
    except EndpointError as error:
        trial.session.ended = error.code
        raise
    except KeyboardInterrupt:
        trial.session.interrupt()
        code = InterruptError.exit_code
    else:
        code = 1 if trial.faults and args.save else 0
    finally:
        trial.close()
    trial.report()
    return code


def _prepared(args: Namespace, console: Console) -> Trial:
    """Return the trial; read and check every input before anything is sent."""
    if args.platform and args.platform not in {*PLATFORMS, STUB}:
        hint = f"Use one of {', '.join(PLATFORMS)}."
        raise UsageError("NO_SUCH_PLATFORM", f"unknown platform `{args.platform}`", hint)
    record = Path(args.record) if args.record else None
    if record is not None:
        refuse_existing(record)
    values = values_of_json(read_named(Path(args.vars)), args.vars) if args.vars else {}
    values |= values_of_assignments(args.set)
    path, data = _read(args.what)
    prompt = load(data, path=str(path), values=values)
    given = {"temperature": args.temperature, "seed": args.seed}
    endpoint = Endpoint(chat_address(args.endpoint), os.environ, limits_of(args.timeout))
    trial = Trial(
        console=console,
        record=record,
        save=Path(args.save) if args.save else None,
        metadata=TrialMetadata(
            platform=args.platform,
            model=args.model,
            day=clock.now().date(),
            settings={key: value for key, value in given.items() if value is not None},
        ),
        session=Session(
            prompt=prompt,
            ask=_ask(endpoint, stream=args.stream),
            show=lambda _piece: None,
            settings=ChatRequest(
                messages=(), model=args.model, temperature=args.temperature, seed=args.seed
            ),
        ),
    )
    trial.session.show = trial.show
    for note in prompt.notes:
        console.warn(f"psreg: warning: {note}")
    return trial


def _read(what: str) -> tuple[Path, bytes]:
    place = Path(what)
    if place.is_file() or not is_name(what.partition("@")[0]):
        return place, read_named(place)
    return installed_artifact(what)


def _resume(args: Namespace, session: Session) -> str:
    """Return the save to continue from, "" for none."""
    if not args.resume:
        return ""
    return save_to_resume(session.prompt, read_named(Path(args.resume)), args.resume)


def _ask(endpoint: Endpoint, *, stream: bool) -> AskStreaming:
    if stream:
        return endpoint.stream

    def whole(request: ChatRequest, heard: Callable[[str], None]) -> ChatReply:
        reply = endpoint.ask(request)
        heard(reply.text)
        return reply

    return whole


def _temperature(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= _HOTTEST:
        raise ArgumentTypeError(f"{text!r} is not a temperature from 0 to {_HOTTEST:g}")
    return value
