"""What a short command does not use is not loaded, and loaded as usual when it is used."""

import subprocess
import sys

import pytest

START = "import sys; from psreg.system.late_modules import defer; defer();"


def printed(code):
    done = subprocess.run(
        [sys.executable, "-c", f"{START} {code}"], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    "use",
    [
        "ssl.create_default_context()",
        "isinstance(1, ssl.SSLSocket)",
        "hasattr(ssl, 'SSLContext')",
        "exec('from ssl import SSLContext')",
    ],
)
def test_a_module_is_loaded_when_it_is_used(use):
    loaded = "print('_ssl' in sys.modules);"
    assert printed(f"import ssl; {loaded} {use}; {loaded} print(type(ssl).__name__)") == [
        "False",
        "True",
        "module",
    ]


def test_what_a_module_does_not_have_is_an_error_as_usual():
    code = "import bz2, lzma\ntry: bz2.nothing\nexcept AttributeError as error: print(error)"
    assert "bz2" in " ".join(printed(f"\n{code}"))


def test_what_is_loaded_stays_as_it_is():
    code = "import bz2; bz2.compress(b''); before = bz2; defer(); import bz2; print(bz2 is before)"
    assert printed(code) == ["True"]


def test_a_function_that_nothing_calls_loads_its_module_when_it_is_called():
    module = "cryptography.hazmat.primitives.serialization"
    loaded = f"print(sys.modules['{module}.ssh'].__spec__ is not None);"
    key = "b'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIqIviQp6H5AgKq8cDcoDAXtJkpDsdkYvcRdGJWkTUgx'"
    code = (
        f"import {module} as module; {loaded} found = module.load_ssh_public_key({key}); {loaded}"
    )
    assert printed(f"{code} print(type(found).__name__)") == ["False", "True", "Ed25519PublicKey"]


@pytest.mark.parametrize(
    ("module", "use"),
    [
        (
            "email._encoded_words",
            (
                "from email.message import Message; m = Message(); m.set_payload('MQ=='); "
                "m['Content-Transfer-Encoding'] = 'base64'; m.get_payload(decode=True).decode()"
            ),
        ),
        ("email.iterators", "from email.message import Message; len([*Message().walk()])"),
        ("gettext", "import argparse; argparse._('1')"),
        ("heapq", "from heapq import heappush as push; a = []; len(push(a, 1) or a)"),
    ],
)
def test_functions_of_python_work_as_usual_when_they_are_called(module, use):
    *before, last = use.split("; ")
    loaded = f"print(sys.modules['{module}'].__spec__ is not None);"
    assert printed(f"{'; '.join(before)}; {loaded} print({last}); {loaded}") == [
        "False",
        "1",
        "True",
    ]


TIMES = """
from datetime import datetime
known, form = "2026-11-27T12:18:09Z", "%Y-%m-%dT%H:%M:%SZ"
texts = {f"{known[:at]}{sign}{known[at + size:]}" for at in range(21) for size in (0, 1)
         for sign in ("", *"0123456789-+:TZ _\\n", "\u0663")}
texts |= {"0000-01-01T00:00:00Z", "2026-02-29T00:00:00Z", "2028-02-29T00:00:00Z", "2026-11-27T24:00:00Z"}
for text, how in [*((text, form) for text in sorted(texts)), ("2026-11-27", "%Y-%m-%d"), (known, "%c")]:
    try:
        print(repr(datetime.strptime(text, how)).replace(" ", ""))
    except ValueError as error:
        print(str(error).split())
"""


def test_times_are_read_as_python_reads_them():
    done = subprocess.run([sys.executable, "-c", TIMES], capture_output=True, text=True, check=True)
    read = printed(f"\n{TIMES}")
    assert read == done.stdout.split()
    assert sum(each.startswith("datetime.") for each in read) > 90


def test_times_of_metadata_are_read_without_loading_what_reads_all():
    code = "from datetime import datetime; read = datetime.strptime;"
    loaded = "print(sys.modules['_strptime'].__spec__ is not None);"
    one = "read('2026-11-27T12:18:09Z', '%Y-%m-%dT%H:%M:%SZ');"
    assert printed(f"{code} {one} {loaded} read('2026', '%Y'); {loaded} {one}") == ["False", "True"]


def test_datetime_is_the_module_in_c_and_works_as_usual():
    names = subprocess.run(
        [sys.executable, "-c", "import datetime; print(*datetime.__all__)"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    code = (
        f"import datetime, pickle; print(datetime.__name__, all(map(vars(datetime).get, {names})));"
    )
    now = (
        "now = datetime.datetime.now(datetime.UTC); print(pickle.loads(pickle.dumps(now)) == now);"
    )
    read = "print(datetime.datetime.strptime('2 Jan 2026', '%d %b %Y').isoformat());"
    certificate = (
        "from cryptography import x509; from cryptography.hazmat.primitives.asymmetric import ed25519;"
        " name = x509.Name([]); key = ed25519.Ed25519PrivateKey.generate();"
        " made = x509.CertificateBuilder(name, name, key.public_key(), 1, now,"
        " now + datetime.timedelta(days=1)).sign(key, None);"
        " print(made.not_valid_before_utc == now.replace(microsecond=0))"
    )
    assert printed(f"{code} {now} {read} {certificate}") == [
        *("_datetime", "True", "True"),
        *("2026-01-02T00:00:00", "True"),
    ]
