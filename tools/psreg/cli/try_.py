"""`psreg try FILE|NAME --endpoint URL`: hold a conversation with a prompt, and record it."""

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
from psreg.conversations.trial import Session, Talk, held, load, resumed
from psreg.conversations.trial_record import Circumstances
from psreg.conversations.trial_terminal import Trial, script_of, typed
from psreg.core.errors import InterruptError, UsageError
from psreg.core.identity import is_name
from psreg.formats.platforms import PLATFORMS
from psreg.formats.protocols import STUB
from psreg.system import clock
from psreg.system.console import Console, add_output_options
from psreg.system.files import read_named

EXAMPLE = (
    "psreg try socratic_tutor --endpoint http://127.0.0.1:8080 --model qwen3 --record run.jsonl"
)

_HOTTEST = 2.0


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("what", metavar="FILE|NAME[@RANGE]", help="a file, or an installed prompt")
    parser.add_argument(
        "--endpoint", required=True, metavar="URL", help="an OpenAI-compatible endpoint"
    )
    parser.add_argument("--model", default="", help="the model to ask for (the endpoint's own)")
    parser.add_argument(
        "--record", metavar="FILE.jsonl", help="write the transcript there, as it grows"
    )
    parser.add_argument("--platform", default="", metavar="ID", help="the platform, for the row")
    parser.add_argument(
        "--script", metavar="FILE", help="say its lines, or the user's turns of a .jsonl"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a value of a .prompt"
    )
    parser.add_argument("--vars", metavar="FILE.json", help="values of a .prompt, in one object")
    parser.add_argument("--save", metavar="FILE", help="write saves there that are as they must be")
    parser.add_argument("--resume", metavar="FILE", help="go on from a save")
    parser.add_argument(
        "--until", default="", metavar="TEXT", help="complete when this is answered"
    )
    parser.add_argument("--temperature", type=_temperature, metavar="T", help="the setting")
    parser.add_argument("--seed", type=int, metavar="N", help="the setting")
    parser.add_argument(
        "--stream", action=BooleanOptionalAction, default=True, help="show words as they come"
    )
    add_timeout_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Hold the conversation; exit 1 if a save was asked for and is not as it must be."""
    trial = _prepared(args, console)
    resume = _resume(args, trial.session)
    script = Path(args.script) if args.script else None
    turns = script_of(script, console, trial) if script else typed(console, trial)
    trial.open()
    try:
        for exchange in held(trial.session, turns, resume=resume, until=args.until):
            trial.heard(exchange)
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
    """Return the trial, with everything read that could be wrong before anything is said."""
    if args.platform and args.platform not in {*PLATFORMS, STUB}:
        known = ", ".join(PLATFORMS)
        raise UsageError("NO_SUCH_PLATFORM", f"there is no platform {args.platform!r}", known)
    record = Path(args.record) if args.record else None
    if record is not None and record.exists() and record.stat().st_size:
        hint = "name another file, or remove it"
        raise UsageError("EXISTS", f"{record} is there already", hint)
    values = values_of_json(read_named(Path(args.vars)), args.vars) if args.vars else {}
    values |= values_of_assignments(args.set)
    path, data = _read(args.what)
    play = load(data, path=str(path), values=values)
    given = {"temperature": args.temperature, "seed": args.seed}
    endpoint = Endpoint(chat_address(args.endpoint), os.environ, limits_of(args.timeout))
    trial = Trial(
        console=console,
        record=record,
        save=Path(args.save) if args.save else None,
        circumstances=Circumstances(
            platform=args.platform,
            model=args.model,
            day=clock.now().date(),
            settings={key: value for key, value in given.items() if value is not None},
        ),
        session=Session(
            play=play,
            talk=_talk(endpoint, stream=args.stream),
            show=lambda _piece: None,
            settings=ChatRequest(
                messages=(), model=args.model, temperature=args.temperature, seed=args.seed
            ),
        ),
    )
    trial.session.show = trial.show
    for note in play.notes:
        console.warn(f"psreg: warning: {note}")
    return trial


def _read(what: str) -> tuple[Path, bytes]:
    place = Path(what)
    if place.is_file() or not is_name(what.partition("@")[0]):
        return place, read_named(place)
    return installed_artifact(what)


def _resume(args: Namespace, session: Session) -> str:
    """Return the save to go on from, "" for none."""
    if not args.resume:
        return ""
    return resumed(session.play, read_named(Path(args.resume)), args.resume)


def _talk(endpoint: Endpoint, *, stream: bool) -> Talk:
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
