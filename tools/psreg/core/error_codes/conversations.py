"""Codes about everything that talks to a model, or reads what was said."""

from __future__ import annotations

from psreg.core.error_codes.row import ErrorCode, Subject

TRIALS = Subject(
    title="Trying prompts",
    codes=(
        ErrorCode(
            code="NO_SUCH_PLATFORM",
            exit_code=2,
            meaning="psreg does not know a platform of this name.",
            remedy="Choose one of the platforms in the hint.",
        ),
        ErrorCode(
            code="BAD_PLATFORMS",
            exit_code=2,
            meaning="The file with platforms has none, or an invalid one.",
            remedy="Write a `[[platform]]` table with `id` and `endpoint` for each platform, and "
            "`model` and `key` if needed.",
        ),
        ErrorCode(
            code="NOT_EXECUTED",
            exit_code=1,
            meaning="The class of the prompt is reserved: nothing can run it today.",
            remedy="Try a prompt of another class.",
        ),
        ErrorCode(
            code="BAD_SCRIPT",
            exit_code=2,
            meaning="The script with your turns is empty or malformed.",
            remedy="Write one turn on each line.",
        ),
        ErrorCode(
            code="NO_SAVES",
            exit_code=2,
            meaning="The prompt has no save system.",
            remedy="Leave out `--save` and `--resume`.",
        ),
        ErrorCode(
            code="BAD_SAVE",
            exit_code=1,
            meaning="The file is not a save of the form that the prompt's save template sets.",
            remedy="Use a save exactly as the assistant wrote it.",
        ),
        ErrorCode(
            code="FOREIGN_SAVE",
            exit_code=1,
            meaning="The save belongs to another prompt.",
            remedy="Resume it with the prompt that the message names.",
        ),
    ),
)

PROTOCOLS = Subject(
    title="Protocols",
    codes=(
        ErrorCode(
            code="NO_SUCH_PROTOCOL",
            exit_code=2,
            meaning="psreg does not know this protocol, or what follows `@` is not a version.",
            remedy="Write a protocol with or without a version, such as `vpp` or `vpp@1.4`.",
        ),
        ErrorCode(
            code="NO_CONFORMANCE",
            exit_code=2,
            meaning="psreg has no conformance run, or no stand-alone script, for this protocol.",
            remedy="Choose a protocol from `psreg conform --help`; only `pb2s` has a script.",
        ),
        ErrorCode(
            code="NO_STATS",
            exit_code=2,
            meaning="`--stats` counts the cycles of PLSP, which this protocol does not have.",
            remedy="Leave out `--stats`, or read the file with `--protocol plsp`.",
        ),
        ErrorCode(
            code="BAD_PROMPTS",
            exit_code=2,
            meaning="The file with prompts for a conformance run is not a valid list of prompts.",
            remedy="Write a JSON list such as "
            '`["Explain inertia.", {"id": "rome", "message": "…"}]`.',
        ),
        ErrorCode(
            code="BAD_PROGRAM",
            exit_code=2,
            meaning="The PLSP program has no instruction, or one that is not in its dialect.",
            remedy="Write one instruction on each line, such as `@set:$a=1;`.",
        ),
        ErrorCode(
            code="NO_TRACE",
            exit_code=1,
            meaning="The file is not a trace of a PLSP loop.",
            remedy="Name a JSON Lines file with `instr`, `previous` and `next` on each line, such "
            "as `psreg plsp run --trace FILE` writes.",
        ),
        ErrorCode(
            code="NO_STATE",
            exit_code=1,
            meaning="The last block of the trace cannot be read, so the loop cannot go on from it.",
            remedy="Run `psreg transcript FILE --protocol plsp` and correct what it finds.",
        ),
    ),
)

ENDPOINTS = Subject(
    title="Endpoints",
    codes=(
        ErrorCode(
            code="BAD_ENDPOINT",
            exit_code=2,
            meaning="The address of the endpoint is invalid, has a user or password, or would "
            "send your key unencrypted.",
            remedy="Write an address that starts with `https://`, or `http://127.0.0.1` on this "
            "machine.",
        ),
        ErrorCode(
            code="BAD_KEY",
            exit_code=2,
            meaning="The variable for the key holds something that cannot be a key.",
            remedy="Set it again, without line breaks, blanks or quotation marks.",
        ),
        ErrorCode(
            code="ENDPOINT_UNREACHABLE",
            exit_code=4,
            meaning="The endpoint cannot be reached.",
            remedy="Check the address, and that something is listening there.",
        ),
        ErrorCode(
            code="ENDPOINT_TLS",
            exit_code=4,
            meaning="The certificate of the endpoint cannot be verified.",
            remedy="Check the address and the clock of this machine. If your network has its own "
            "authority, set `SSL_CERT_FILE`.",
        ),
        ErrorCode(
            code="ENDPOINT_SLOW",
            exit_code=4,
            meaning="The endpoint takes too long to answer.",
            remedy="Allow more time with `--timeout`, or try again later.",
        ),
        ErrorCode(
            code="ENDPOINT_BUSY",
            exit_code=4,
            meaning="The endpoint is busy, or you have used up what it allows for now.",
            remedy="Try again later.",
        ),
        ErrorCode(
            code="ENDPOINT_CUT",
            exit_code=4,
            meaning="The connection ended in the middle of an answer.",
            remedy="Try again.",
        ),
        ErrorCode(
            code="ENDPOINT_REFUSED",
            exit_code=4,
            meaning="The endpoint answered with an error.",
            remedy="Check the key, the model and the address against what the message says.",
        ),
        ErrorCode(
            code="ENDPOINT_REDIRECT",
            exit_code=4,
            meaning="The endpoint redirects to another address, and psreg never sends a key on.",
            remedy="Name that address yourself if you trust it.",
        ),
        ErrorCode(
            code="ENDPOINT_ANSWER",
            exit_code=4,
            meaning="The answer of the endpoint does not have the form that its API prescribes.",
            remedy="Check the address: it should be that of a chat API.",
        ),
        ErrorCode(
            code="ENDPOINT_TOO_LONG",
            exit_code=4,
            meaning="The endpoint sends more than psreg reads.",
            remedy="Ask for a shorter answer.",
        ),
        ErrorCode(
            code="ENDPOINT_KEY",
            exit_code=4,
            meaning="The endpoint sent your key back, so psreg dropped its answer.",
            remedy="Replace the key, and do not trust the endpoint with another one.",
        ),
    ),
)

GATEWAY = Subject(
    title="Gateway",
    codes=(
        ErrorCode(
            code="UPSTREAM_UNUSABLE",
            exit_code=None,
            meaning="The model did not follow the protocol, even when asked again; status 502.",
            remedy="Try another message, or start the gateway with another model.",
        ),
        ErrorCode(
            code="UPSTREAM_CALLS",
            exit_code=None,
            meaning="The model did not finish within the calls that a message may cost; "
            "status 502.",
            remedy="Send a simpler message, or start the gateway with another model.",
        ),
        ErrorCode(
            code="BAD_REQUEST",
            exit_code=None,
            meaning="Two readers could disagree about where the request ends: it has two lengths, "
            "a malformed header, or a body where none belongs; status 400.",
            remedy="Send one `Content-Length`, one `Host`, and no body with GET.",
        ),
        ErrorCode(
            code="FOREIGN_HOST",
            exit_code=None,
            meaning="The `Host` header names another server than the gateway; status 421.",
            remedy="Use the address that `psreg gateway` printed, or name the host with `--host`.",
        ),
        ErrorCode(
            code="FOREIGN_ORIGIN",
            exit_code=None,
            meaning="A web page of another origin sent the request; status 403.",
            remedy="Send it from a program: no web page may use the gateway.",
        ),
        ErrorCode(
            code="METHOD",
            exit_code=None,
            meaning="The gateway answers only POST requests; status 405.",
            remedy='Post `{"message": "…"}` to `/chat`.',
        ),
        ErrorCode(
            code="NOT_JSON",
            exit_code=None,
            meaning="The body of the request is not JSON, or is not declared as "
            "`application/json`; status 400 or 415.",
            remedy='Send `{"message": "…"}` with `Content-Type: application/json`.',
        ),
        ErrorCode(
            code="NO_MESSAGE",
            exit_code=None,
            meaning="The JSON in the body has no `message`, or an empty one; status 400.",
            remedy='Send `{"message": "…"}`.',
        ),
        ErrorCode(
            code="NO_LENGTH",
            exit_code=None,
            meaning="The request does not say how long its body is; status 411.",
            remedy="Send `Content-Length`.",
        ),
    ),
)
