"""Libraries of clouds that happen to be installed are not imported with The Update Framework."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

NAMES = ("boto3", "azure", "pkcs11", "hvac")


@pytest.mark.parametrize("module", ["psreg.client.tufclient", "psreg.registry.trust.metadata"])
def test_no_library_of_a_cloud_is_imported(module: str, tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text("print(f'{__name__} was imported')\n")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        f"import {module}\n"
        "print('then')\n"
        f"import {', '.join(NAMES)}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["then", *(f"{name} was imported" for name in NAMES)]


def test_one_that_is_there_already_stays(tmp_path: Path) -> None:
    program = "import sys, types; one = sys.modules['boto3'] = types.ModuleType('boto3')\n"
    program += "import psreg.registry.trust.plain_signers\nassert sys.modules['boto3'] is one\n"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path)
