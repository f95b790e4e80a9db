"""`psreg try FILE|NAME --endpoint URL`: try a prompt in a conversation and record it."""

from __future__ import annotations

import os
import signal
from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from psreg.cli.named_prompt import kept_prompt
from psreg.cli.options import (
    add_endpoint_options,
    add_sampling_options,
    add_timeout_option,
    endpoint_of,
)
from psreg.client.render import values_of_assignments, values_of_json
from psreg.conversations.endpoint.chat import Endpoint
from psreg.conversations.model import ChatReply, ChatRequest
from psreg.conversations.trial import (
    AskStreaming,
    EndReason,
    LoadedPrompt,
    Platform,
    Session,
    converse,
    known_platform,
    load,
    platforms_of,
    save_to_resume,
)
from psreg.conversations.trial_record import TrialMetadata
from psreg.conversations.trial_terminal import (
    Trial,
    cited_path,
    script_of,
    script_turns,
    typed_turns,
)
from psreg.core.errors import InterruptError, PsregError, UsageError
from psreg.core.identity import is_name, normal_name
from psreg.formats import policy
from psreg.formats.tree import POLICY
from psreg.registry.checkout import find_checkout
from psreg.system import clock
from psreg.system.console import Console, add_output_options
from psreg.system.files import read_file, read_named, refuse_existing

EXAMPLE = (
    "psreg try socratic_tutor --endpoint http://127.0.0.1:8080 --model qwen3 --record run.jsonl"
)


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "what", nargs="?", metavar="FILE|NAME[@RANGE]", help="a file or an installed prompt"
    )
    add_endpoint_options(parser)
    parser.add_argument("--model", default="", help="model to request (default: the endpoint's)")
    parser.add_argument(
        "--list-models", action="store_true", help="list the models of the endpoint and exit"
    )
    parser.add_argument("--platform", default="", metavar="ID", help="platform id for the test row")
    parser.add_argument(
        "--platforms",
        metavar="FILE.toml",
        help="try every [[platform]] of FILE with the same script; --record is then a folder",
    )
    _add_prompt_options(parser)
    _add_record_options(parser)
    add_sampling_options(parser)
    parser.add_argument(
        "--max-tokens", type=_count, metavar="N", help="maximum number of tokens in one answer"
    )
    parser.add_argument(
        "--stream", action=BooleanOptionalAction, default=True, help="show answers as they arrive"
    )
    add_timeout_option(parser)
    add_output_options(parser)


def _add_prompt_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--script",
        metavar="FILE",
        help="send the lines of FILE, or the user turns of a .jsonl; - is standard input",
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
    parser.add_argument(
        "--placement",
        choices=("system", "user"),
        default="",
        help="role that says the prompt (system for a PBE, user for a .prompt)",
    )
    parser.add_argument("--resume", metavar="FILE", help="continue from a save")
    parser.add_argument(
        "--until", default="", metavar="TEXT", help="end when an answer contains TEXT"
    )


def _add_record_options(parser: ArgumentParser) -> None:
    parser.add_argument("--record", metavar="FILE.jsonl", help="write the transcript to this file")
    parser.add_argument("--save", metavar="FILE", help="write each valid save to FILE")
    parser.add_argument(
        "--release", metavar="FILE.toml", help="add the [[tested]] row to this release.toml"
    )
    parser.add_argument(
        "--result", choices=("pass", "partial", "fail"), default="", help="your result for the row"
    )
    parser.add_argument("--notes", default="", help="what did not work, for the row")


def run(args: Namespace, console: Console) -> int:
    """Hold the conversations; exit 1 if --save is given and the last save is invalid."""
    if args.list_models:
        return _list_models(args, console)
    if args.what is None:
        raise UsageError("USAGE", "there is no prompt", "Name a file or an installed prompt.")
    for name in ("SIGTERM", "SIGHUP"):  # Windows has no terminal that hangs up
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _interrupt)
    if args.platforms:
        return _run_platforms(args, console)
    inputs = _inputs(args, console)
    trial = _prepared(inputs, args, console, Path(args.record) if args.record else None)
    code, _ = _run(trial, inputs, args, console)
    trial.report()
    if console.machine:
        console.json(trial.document())
    return code


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _list_models(args: Namespace, console: Console) -> int:
    models = endpoint_of(args).models()
    if console.machine:
        console.json({"schema": "psreg.models/1", "models": list(models)})
    for model in () if console.machine else models:
        console.line(model)
    return 0


def _run_platforms(args: Namespace, console: Console) -> int:
    """Try one platform after the other; exit with the code of the first that failed."""
    platforms = platforms_of(read_named(Path(args.platforms)), args.platforms, _extra_platforms())
    if args.endpoint or args.model or args.platform or args.save:
        message = "--platforms replaces --endpoint, --model, --platform and --save"
        raise UsageError("USAGE", message, "Leave them out.")
    if not args.script:
        message, hint = "--platforms needs --script", "Pass the turns that every platform gets."
        raise UsageError("USAGE", message, hint)
    inputs, folder = _inputs(args, console), Path(args.record) if args.record else None
    day = clock.now().date().isoformat()
    trials = [
        _prepared(
            inputs, args, console, folder and folder / f"{each.id}-{day}.jsonl", platform=each
        )
        for each in platforms
    ]
    codes = []
    for trial in trials:
        console.note(f"psreg: {trial.metadata.platform}")
        code, error = _run(trial, inputs, args, console, stop=False)
        if error is None:
            trial.report()
        elif not console.machine:
            console.fail(error)
        codes.append(code)
        if code == InterruptError.exit_code:
            break
    if console.machine:
        done = [trial.document() for trial, _ in zip(trials, codes, strict=False)]
        console.json({"schema": "psreg.try-platforms/1", "runs": done})
    return next((code for code in codes if code), 0)


def _run(
    trial: Trial, inputs: _Inputs, args: Namespace, console: Console, *, stop: bool = True
) -> tuple[int, PsregError | None]:
    """Hold one conversation; return the exit code, and the error that ended it unless `stop`."""
    scripted = inputs.script
    turns = script_turns(scripted, console, trial) if scripted else typed_turns(console, trial)
    resume = _resume(args, trial.session)
    trial.open()
    try:
        for exchange in converse(trial.session, turns, resume=resume, until=args.until):
            trial.keep(exchange)
    except PsregError as error:
        trial.session.stop(error.code)
        if stop:
            raise
        return error.exit_code, error
    except KeyboardInterrupt:
        trial.session.stop(EndReason.INTERRUPTED)
        return InterruptError.exit_code, None
    except BaseException:
        trial.session.stop(EndReason.INTERRUPTED)
        raise
    finally:
        trial.close()
    return (1 if trial.faults and args.save else 0), None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Inputs:
    """The prompt, the release.toml that gets its row, and the script, () for none."""

    prompt: LoadedPrompt
    release: Path | None
    script: tuple[str, ...]


def _inputs(args: Namespace, console: Console) -> _Inputs:
    """Read and check what every platform gets, before anything is sent."""
    values = values_of_json(read_named(Path(args.vars)), args.vars) if args.vars else {}
    values |= values_of_assignments(args.set)
    path, data = _read(args.what, console)
    prompt = load(data, path=path, values=values, placement=args.placement)
    release = Path(args.release) if args.release else None
    if release is not None:
        read_named(release)
        if not args.record:
            hint = "A row needs its transcript."
            raise UsageError("USAGE", "--release needs --record", hint)
    script = script_of(Path(args.script), prompt) if args.script else ()
    return _Inputs(prompt=prompt, release=release, script=script)


def _prepared(
    inputs: _Inputs,
    args: Namespace,
    console: Console,
    record: Path | None,
    platform: Platform | None = None,
) -> Trial:
    """Return the trial on one platform, or on the endpoint of the options."""
    if args.platform:
        known_platform(args.platform, _extra_platforms())
    if record is not None:
        refuse_existing(record)
        if inputs.release is not None:
            cited_path(record, inputs.release)
    metadata = _metadata(args, platform)
    trial = Trial(
        console=console,
        record=record,
        save=Path(args.save) if args.save else None,
        release=inputs.release,
        metadata=metadata,
        session=Session(
            prompt=inputs.prompt,
            ask=_ask(_endpoint(args, platform), stream=args.stream),
            show=lambda _piece: None,
            settings=ChatRequest(
                messages=(),
                model=args.model if platform is None else platform.model,
                temperature=args.temperature,
                seed=args.seed,
                max_tokens=args.max_tokens,
            ),
        ),
    )
    trial.session.show, trial.session.sending = trial.show, trial.write
    for note in inputs.prompt.notes:
        console.warn(f"psreg: warning: {note}")
    return trial


def _extra_platforms() -> tuple[str, ...]:
    """Return the platforms that the policy of the checkout around the user adds."""
    root = find_checkout(Path.cwd())
    place = root and root / POLICY
    return policy.read(read_file(place)).extra_platforms if place and place.exists() else ()


def _metadata(args: Namespace, platform: Platform | None) -> TrialMetadata:
    """Return what the record says about the run."""
    names = ("temperature", "seed", "max_tokens")
    given = {name: getattr(args, name) for name in names}
    return TrialMetadata(
        platform=platform.id if platform else args.platform,
        model=platform.model if platform else args.model,
        day=clock.now().date(),
        settings={name: value for name, value in given.items() if value is not None},
        result=args.result,
        notes=args.notes,
    )


def _endpoint(args: Namespace, platform: Platform | None) -> Endpoint:
    if platform is None:
        return endpoint_of(args)
    environ = dict(os.environ)
    if platform.key:
        environ["PSREG_API_KEY"] = os.environ.get(platform.key, "")
    return endpoint_of(args, address=platform.endpoint, environ=environ)


def _read(what: str, console: Console) -> tuple[str, bytes]:
    """Return the path as it was typed, or that of a locked or installed prompt, and the content."""
    place = Path(what)
    if place.is_file() or not is_name(normal_name(what.partition("@")[0])):
        return what, read_named(place)
    found = kept_prompt(what, console)
    return found.path, found.data


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


def _count(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < len("10000000") else 0
    if not number:
        raise ArgumentTypeError(f"{text!r} is not a number of tokens from 1 to 9,999,999")
    return number
