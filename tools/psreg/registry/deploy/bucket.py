"""Buckets and folders behind `fsspec`; implement `ports.Bucket`.

Nothing that a host says is printed but the code of its error: some repeat the credentials. The
drivers are imported when a bucket is opened, because only a deployment needs them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from psreg.core.errors import PsregError, UnavailableError, UsageError
from psreg.registry.deploy.ports import UNFINISHED, Bucket, ConflictError, Found, Listed, Upload
from psreg.system.extras import extra

_AT_ONCE = 16
"""Requests at the same time."""

_MD5 = re.compile(r'"?([0-9a-f]{32})"?')
_CODE = re.compile(r"[A-Za-z0-9]{1,60}")


def open_bucket(url: str) -> Bucket:
    """Return the place at `url`; nothing is sent yet.

    Raises:
        UsageError: USAGE: it is not the address of a place that can be written to;
            EXTRA_MISSING, DRIVER_MISSING: what it takes is not installed.
    """
    scheme = _checked_scheme(url)
    with extra("deploy"):
        from fsspec import available_protocols  # noqa: PLC0415
        from fsspec.core import url_to_fs  # noqa: PLC0415
    if scheme not in available_protocols():
        raise UsageError("USAGE", f"`{scheme}` is not a kind of storage", _ADDRESS)
    try:
        files, root = url_to_fs(url, skip_instance_cache=True, **_OPTIONS.get(scheme, {}))
    except ImportError as error:
        packages = _DRIVERS.get(scheme, "the driver that fsspec names for it")
        told = f"the driver for `{scheme}://` is not installed"
        raise UsageError("DRIVER_MISSING", told, f"Install {packages} beside psreg.") from error
    kind = _S3Bucket if scheme in _S3 else _Folder
    return kind(url.rstrip("/"), files, root.rstrip("/"))


def _checked_scheme(url: str) -> str:
    """Return the scheme of an address, if it can be that of a place to deploy to."""
    parts = urlsplit(url)
    if "@" in parts.netloc and ":" in parts.netloc.rpartition("@")[0]:
        hint = "Set the variables of the host, such as `AWS_ACCESS_KEY_ID`."
        raise UsageError("USAGE", "the address contains a password", hint)
    if not parts.scheme or not (parts.netloc or parts.path.strip("/")):
        raise UsageError("USAGE", f"`{url}` is not the address of a place to deploy to", _ADDRESS)
    if parts.query or parts.fragment or "::" in url or parts.scheme in ("http", "https"):
        raise UsageError("USAGE", f"`{url}` is not an address to deploy to", _ADDRESS)
    return parts.scheme


_ADDRESS = "Write an address such as `s3://bucket/folder` or `file:///folder`."
_S3 = ("s3", "s3a")
_DRIVERS = {
    **dict.fromkeys(_S3, "`psreg[deploy]`"),
    **dict.fromkeys(("gs", "gcs"), "`gcsfs`"),
    **dict.fromkeys(("az", "abfs", "abfss"), "`adlfs`"),
}
"""What to install for a kind of storage."""

_S3_OPTIONS: Mapping[str, Any] = {
    "use_listings_cache": False,
    "config_kwargs": {
        "max_pool_connections": _AT_ONCE,
        "retries": {"mode": "standard", "total_max_attempts": 5},
    },
}
_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "s3": _S3_OPTIONS,
    "s3a": _S3_OPTIONS,
    "file": {"auto_mkdir": True},
}


class _Folder:
    """A place behind any driver: what is read before and after tells whether someone else writes.

    Where the driver renames, an object appears as a whole.
    """

    conditional = False
    packs = False

    def __init__(self, url: str, files: Any, root: str) -> None:
        self.url = url
        self._files, self._root = files, root

    def read(self, path: str, limit: int) -> Found | None:
        """Return an object; see `Bucket.read`."""
        with self._telling("read", path):
            try:
                data: bytes = self._files.cat_file(self._at(path))
            except (FileNotFoundError, NotADirectoryError):
                return None
        return Found(data=self._limited(path, data, limit), tag=hashlib.sha256(data).hexdigest())

    def replace(self, upload: Upload, tag: str | None) -> str:
        """Write an object if it has not changed; see `Bucket.replace`."""
        body = upload.body()
        there = self.read(upload.path, 1 << 40)
        if (there.tag if there else None) != tag:
            raise ConflictError(upload.path)
        self._put(upload, body)
        there = self.read(upload.path, 1 << 40)
        if there is None or there.data != body:
            raise ConflictError(upload.path)
        return there.tag

    def write(self, uploads: Iterable[Upload], sent: Callable[[str, int], None]) -> None:
        """Write objects, several at once; see `Bucket.write`."""
        waiting = iter(uploads)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            pending: set[Future[tuple[str, int]]] = set()
            try:
                while (
                    more := [
                        pool.submit(self._write_one, each)
                        for each in islice(waiting, 2 * _AT_ONCE - len(pending))
                    ]
                    or pending
                ):
                    pending.update(more)
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    for each in done:
                        sent(*each.result())
            finally:
                pool.shutdown(cancel_futures=True)

    def _write_one(self, upload: Upload) -> tuple[str, int]:
        body = upload.body()
        self._put(upload, body)
        return upload.path, len(body)

    def remove(self, paths: Iterable[str]) -> None:
        """Remove objects; see `Bucket.remove`."""
        for path in paths:
            with self._telling("remove", path):
                try:
                    self._files.rm_file(self._at(path))
                except FileNotFoundError:
                    continue

    def listing(self) -> Mapping[str, Listed]:
        """Return all objects; see `Bucket.listing`."""
        with self._telling("list", ""):
            try:
                found = self._files.find(self._root, detail=True)
            except FileNotFoundError:
                return {}
        start = len(self._root) + 1
        return {
            path[start:]: Listed(length=info["size"], md5=self._md5(info))
            for path, info in found.items()
            if not path.endswith(UNFINISHED)
        }

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}"

    def _put(self, upload: Upload, body: bytes) -> None:
        place = self._at(upload.path)
        with self._telling("write", upload.path):
            self._files.pipe_file(place + UNFINISHED, body)
            self._files.mv(place + UNFINISHED, place)

    def _md5(self, _info: Mapping[str, Any]) -> str:
        return ""

    def _limited(self, path: str, data: bytes, limit: int) -> bytes:
        if len(data) > limit:
            told = f"{path} in {self.url} has more than {limit:,} bytes"
            raise UnavailableError("DEPLOY_FAILED", told)
        return data

    @contextmanager
    def _telling(self, verb: str, path: str) -> Iterator[None]:
        """Translate the errors of a driver."""
        try:
            yield
        except (PsregError, ConflictError):
            raise
        except Exception as error:
            raise self._error(error, verb, path) from error

    def _error(self, error: BaseException, verb: str, path: str) -> UnavailableError:
        code = _code_of(error)
        what = f"cannot {verb} {path or 'the objects'} in {self.url}"
        if code in _SKEWED:
            told = f"{what}: the clock of this machine differs from the host's ({code})"
            return UnavailableError("DEPLOY_DENIED", told, "Set the clock of this machine.")
        if isinstance(error, PermissionError) or code in _DENIED:
            return UnavailableError("DEPLOY_DENIED", f"{what}: {code}", _PERMISSIONS)
        return UnavailableError("DEPLOY_FAILED", f"{what}: {code}", _TRY)


class _S3Bucket(_Folder):
    """A bucket with the protocol of S3: the host compares tags when it writes."""

    conditional = True
    packs = True

    def read(self, path: str, limit: int) -> Found | None:
        from fsspec.asyn import sync  # noqa: PLC0415 - the extra is there by now

        with self._telling("read", path):
            try:
                answer = self._call("get_object", path)
            except FileNotFoundError as error:
                if _code_of(error) == "NoSuchBucket":
                    raise self._error(error, "read", path) from error
                return None
            data: bytes = sync(self._files.loop, answer["Body"].read)
        return Found(data=self._limited(path, data, limit), tag=answer["ETag"])

    def replace(self, upload: Upload, tag: str | None) -> str:
        if not self.conditional:
            return super().replace(upload, tag)
        body = upload.body()
        condition = {"IfMatch": tag} if tag else {"IfNoneMatch": "*"}
        with self._telling("write", upload.path):
            try:
                return str(self._send(upload, body, **condition)["ETag"])
            except Exception as error:
                if _code_of(error) == "NotImplemented":
                    self.conditional = False
                elif _code_of(error) not in _CONFLICTS:
                    raise
        if not self.conditional:
            return super().replace(upload, tag)
        there = self.read(upload.path, len(body))
        if there is None or there.data != body:  # else an answer was lost, and it was tried again
            raise ConflictError(upload.path)
        return there.tag

    def remove(self, paths: Iterable[str]) -> None:
        if places := [self._at(path) for path in paths]:
            with self._telling("remove", ""):
                self._files.rm(places)

    def _put(self, upload: Upload, body: bytes) -> None:
        with self._telling("write", upload.path):
            self._send(upload, body)

    def _send(self, upload: Upload, body: bytes, **options: str) -> Any:
        headers = upload.headers
        if headers.coding:
            options["ContentEncoding"] = headers.coding
        return self._call(
            "put_object",
            upload.path,
            Body=body,
            ContentType=headers.media_type,
            CacheControl=headers.caching,
            **options,
        )

    def _call(self, method: str, path: str, **options: Any) -> Any:
        bucket, _, key = self._at(path).partition("/")
        return self._files.call_s3(method, Bucket=bucket, Key=key, **options)

    def _md5(self, info: Mapping[str, Any]) -> str:
        match = _MD5.fullmatch(str(info.get("ETag")))
        return match[1] if match else ""


_CONFLICTS = ("PreconditionFailed", "ConditionalRequestConflict", "412", "409", "NoSuchKey")
_SKEWED = ("RequestTimeTooSkewed",)
_DENIED = (
    *("NoCredentialsError", "PartialCredentialsError", "InvalidToken", "ExpiredToken"),
    *("AuthorizationHeaderMalformed", "TokenRefreshRequired", "401", "403"),
)
_PERMISSIONS = (
    "Check the credentials; they must allow to read, write and list, because without the right to "
    "list, hosts do not say that an object does not exist."
)
_TRY = "Check the address and your connection, and deploy again: it continues where it ended."


def _code_of(error: BaseException) -> str:
    """Return the code of a host's error, or the name of the driver's; never its text."""
    response = getattr(error.__cause__ or error, "response", None)
    code = response.get("Error", {}).get("Code", "") if isinstance(response, dict) else ""
    if _CODE.fullmatch(str(code)):
        return str(code)
    return type(error.__cause__ if isinstance(error.__cause__, Exception) else error).__name__
