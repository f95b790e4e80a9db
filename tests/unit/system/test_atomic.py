"""Whole files or none, and the lock."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from psreg.core.errors import UnavailableError
from psreg.system.atomic import exclusive, exclusive_once, real_folder, write_file


def test_a_file_is_replaced_with_its_permissions(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o600)
    write_file(path, b"new", mode=0o640)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_failure_leaves_nothing_behind(tmp_path):
    (tmp_path / "file" / "x").mkdir(parents=True)
    with pytest.raises(UnavailableError) as caught:
        write_file(tmp_path / "file", b"new")
    assert caught.value.code == "CANNOT_WRITE"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    with pytest.raises(UnavailableError):
        write_file(tmp_path / "none" / "file", b"new")


def test_a_system_that_writes_little_at_a_time(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda number, data: write(number, data[:3]))
    write_file(tmp_path / "file", b"0123456789")
    assert (tmp_path / "file").read_bytes() == b"0123456789"


def test_a_disk_that_is_full(tmp_path, monkeypatch):
    def full(number, data):
        if len(data) < 8:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(number, data[:3])

    write = os.write
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(UnavailableError, match="No space left"):
        write_file(tmp_path / "file", b"0123456789")
    assert [*tmp_path.iterdir()] == []


def test_a_device_or_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    with pytest.raises(UnavailableError, match="cannot write"):
        write_file(pipe, b"nobody reads")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_file(pipe, b"one,")
        write_file(link, b"two")
        assert os.read(reader, 100) == b"one,two"
    finally:
        os.close(reader)
    write_file(Path(os.devnull), b"gone")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]


def test_a_folder_of_ones_own(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    for name in ("link", "dangling", "file", "new/deep", "elsewhere"):
        folder = real_folder(tmp_path / name)
        assert folder.is_dir()
        assert not folder.is_symlink()
    with pytest.raises(UnavailableError):
        real_folder(tmp_path / "elsewhere" / ("x" * 300))


@pytest.mark.parametrize("linked", ["state", "state/a", "state/a/b"])
def test_a_link_between_a_folder_and_the_one_that_it_is_inside(tmp_path, linked):
    (tmp_path / "elsewhere" / "a" / "b").mkdir(parents=True)
    place = tmp_path / linked
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(tmp_path / "elsewhere")
    folder = real_folder(tmp_path / "state" / "a" / "b", tmp_path / "state")
    assert folder.resolve() == folder
    assert folder.is_dir()


HOLDER = """
import sys
from pathlib import Path
from psreg.system.atomic import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_another_process_waits_for_the_lock(tmp_path):
    lock = tmp_path / "lock"
    argv = [sys.executable, "-c", HOLDER, str(lock)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(UnavailableError) as caught, exclusive(lock, wait=0.1):
            pass
        assert caught.value.code == "LOCKED"
        holder.stdin.close()
    with exclusive(lock, wait=0.1):
        pass


def test_a_lock_that_cannot_be_made(tmp_path):
    with pytest.raises(UnavailableError), exclusive(tmp_path / "none" / "lock"):
        pass


def test_who_holds_a_lock_holds_it_on(tmp_path):
    lock = tmp_path / "lock"
    with exclusive_once(lock):
        with exclusive_once(lock), pytest.raises(UnavailableError), exclusive(lock, wait=0.1):
            pass
        # It is still held, and another thread is somebody else.
        with pytest.raises(UnavailableError), exclusive(lock, wait=0.1):
            pass
        waiting = threading.Thread(target=lambda: exclusive_once(lock).__enter__(), daemon=True)
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
    waiting.join(5)
    assert not waiting.is_alive()
