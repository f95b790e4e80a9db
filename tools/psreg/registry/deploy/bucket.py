"""Buckets and folders behind `fsspec`; implement `ports.Bucket`.

Nothing that a host says is printed but the code of its error: some repeat the credentials. The
drivers are imported when a bucket is opened, because only a deployment needs them.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from psreg.core.errors import PsregError, UnavailableError, UsageError
from psreg.registry.deploy.ports import UNFINISHED, Bucket, ConflictError, Found, Listed, Upload
from psreg.system.extras import extra, extra_missing, install_command

_AT_ONCE = 16
"""Requests at the same time."""

_NO_LIMIT = 1 << 40
_MD5 = re.compile(r'"?([0-9a-f]{32})"?')
_CODE = re.compile(r"[A-Za-z0-9]{1,60}")


def open_bucket(url: str) -> Bucket:
    """Return the place at `url`; nothing is sent yet.

    Raises:
        UsageError: USAGE: it is not the address of a place that can be written to.
        UnavailableError: EXTRA_MISSING, DRIVER_MISSING: what it takes is not installed.
    """
    scheme = _checked_scheme(url)
    with extra("deploy"):
        from fsspec import available_protocols  # noqa: PLC0415
        from fsspec.core import url_to_fs  # noqa: PLC0415
    logging.getLogger().addHandler(logging.NullHandler())  # else they print what hosts say
    if scheme not in available_protocols():
        raise UsageError("USAGE", f"`{scheme}` is not a kind of storage", _ADDRESS)
    try:
        files, root = url_to_fs(url, skip_instance_cache=True, **_OPTIONS.get(scheme, {}))
    except ImportError as error:
        raise _driver_missing(scheme) from error
    return _KINDS.get(scheme, _Folder)(url.rstrip("/"), files, root.rstrip("/"))


def _checked_scheme(url: str) -> str:
    """Return the scheme of an address, if it can be that of a place to deploy to."""
    parts = urlsplit(url)
    if "@" in parts.netloc and ":" in parts.netloc.rpartition("@")[0]:
        hint = "Set the variables of the host, such as `AWS_ACCESS_KEY_ID`."
        raise UsageError("USAGE", "the address contains a password", hint)
    if not parts.scheme or not (parts.netloc or parts.path.strip("/")):
        raise UsageError("USAGE", f"`{url}` is not the address of a place to deploy to", _ADDRESS)
    scheme, host = parts.scheme, parts.netloc
    elsewhere = scheme in ("http", "https", "memory") or (scheme in ("file", "local") and host)
    if parts.query or parts.fragment or "::" in url or elsewhere:
        raise UsageError("USAGE", f"`{url}` is not an address to deploy to", _ADDRESS)
    return scheme


_ADDRESS = "Write an address such as `s3://bucket/folder` or `file:///folder`."
_S3 = ("s3", "s3a")
_GOOGLE = ("gs", "gcs")
_AZURE = ("az", "abfs", "abfss")
_DRIVERS = {**dict.fromkeys(_GOOGLE, "gcsfs"), **dict.fromkeys(_AZURE, "adlfs")}
"""The packages to install for other kinds of storage than S3, whose driver is in the extra."""


def _driver_missing(scheme: str) -> UnavailableError:
    """Return the error for a kind of storage whose driver is not installed."""
    if scheme in _S3:
        return extra_missing("deploy")
    hint = "Install the driver that fsspec names for it."
    if package := _DRIVERS.get(scheme):
        hint = f"Run `{install_command(package)}`."
    told = f"the driver for `{scheme}://` is not installed"
    return UnavailableError("DRIVER_MISSING", told, hint)


_S3_OPTIONS: Mapping[str, Any] = {
    "use_listings_cache": False,
    "config_kwargs": {
        "max_pool_connections": _AT_ONCE,
        "retries": {"mode": "standard", "total_max_attempts": 5},
    },
}
_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    **dict.fromkeys(_S3, _S3_OPTIONS),
    **{scheme: {"anon": False} for scheme in _AZURE},
    **{scheme: {"auto_mkdir": True} for scheme in ("file", "local")},
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
        there = self.read(upload.path, _NO_LIMIT)
        if (there.tag if there else None) != tag:
            raise ConflictError(upload.path)
        self._put(upload, body)
        there = self.read(upload.path, _NO_LIMIT)
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
        denied = code in _DENIED or isinstance(error, PermissionError)
        if denied and not self._is_local:
            why = _DENIED.get(code, _DENIED["AccessDenied"])
            return UnavailableError("DEPLOY_DENIED", f"{what}: {why} ({code})", _PERMISSIONS)
        why = _FAILED.get(code, getattr(error, "strerror", "") if self._is_local else "")
        told = f"{what}: {why} ({code})" if why else f"{what}: {code}"
        return UnavailableError("DEPLOY_FAILED", told, _TRY)

    @property
    def _is_local(self) -> bool:
        """Whether errors come from this machine, so that their texts are not from a host."""
        return self.url.startswith(("file:", "local:"))


class _Hosted(_Folder, ABC):
    """A bucket that keeps headers, and compares tags itself when it writes."""

    conditional = True
    packs = True

    def replace(self, upload: Upload, tag: str | None) -> str:
        if not self.conditional:
            return super().replace(upload, tag)
        body = upload.body()
        with self._telling("write", upload.path):
            try:
                return self._put_if(upload, body, tag)
            except Exception as error:
                if _code_of(error) in _UNKNOWN:
                    self.conditional = False
                elif _code_of(error) not in _CONFLICTS:
                    raise
        if not self.conditional:
            return super().replace(upload, tag)
        there = self.read(upload.path, _NO_LIMIT)
        if there is None or there.data != body:  # else an answer was lost, and it was tried again
            raise ConflictError(upload.path)
        return there.tag

    @abstractmethod
    def _put_if(self, upload: Upload, body: bytes, tag: str | None) -> str:
        """Write an object on the condition of its tag; return its new one."""


class _Tagged(_Hosted):
    """A bucket that is asked for the tag of an object before its content."""

    def read(self, path: str, limit: int) -> Found | None:
        with self._telling("read", path):
            try:
                # The tag first: if someone writes in between, the tag is that of the old content.
                tag = self._tag(self._files.info(self._at(path), refresh=True))
                data: bytes = self._files.cat_file(self._at(path))
            except FileNotFoundError:
                return None
        return Found(data=self._limited(path, data, limit), tag=tag)

    @abstractmethod
    def _tag(self, info: Mapping[str, Any]) -> str:
        """Return the tag of an object that the driver tells `info` about."""


class _S3Bucket(_Hosted):
    """S3, and whatever has its protocol: R2, MinIO, Ceph, Backblaze."""

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

    def remove(self, paths: Iterable[str]) -> None:
        if places := [self._at(path) for path in paths]:
            with self._telling("remove", ""):
                self._files.rm(places)

    def _put(self, upload: Upload, body: bytes) -> None:
        with self._telling("write", upload.path):
            self._send(upload, body)

    def _put_if(self, upload: Upload, body: bytes, tag: str | None) -> str:
        condition = {"IfMatch": tag} if tag else {"IfNoneMatch": "*"}
        return str(self._send(upload, body, **condition)["ETag"])

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


class _GoogleBucket(_Tagged):
    """Google Cloud Storage: the tag is the generation of an object."""

    def _tag(self, info: Mapping[str, Any]) -> str:
        return str(info["generation"])

    def _put(self, upload: Upload, body: bytes) -> None:
        with self._telling("write", upload.path):
            self._send(upload, body)

    def _put_if(self, upload: Upload, body: bytes, tag: str | None) -> str:
        return str(self._send(upload, body, ifGenerationMatch=tag or "0")["generation"])

    def _send(self, upload: Upload, body: bytes, **condition: str) -> Any:
        bucket, _, key = self._at(upload.path).partition("/")
        headers, edge = upload.headers, hashlib.sha256(body).hexdigest()
        about = {
            "name": key,
            "contentType": headers.media_type,
            "cacheControl": headers.caching,
            **({"contentEncoding": headers.coding} if headers.coding else {}),
        }
        parts = (("application/json", json.dumps(about).encode()), (headers.media_type, body))
        lines = (
            f"--{edge}\r\nContent-Type: {kind}\r\n\r\n".encode() + data + b"\r\n"
            for kind, data in parts
        )
        return self._files.call(
            "POST",
            f"{self._files.base.replace('/storage/v1/', '/upload/storage/v1/')}b/{{}}/o",
            bucket,
            uploadType="multipart",
            headers={"Content-Type": f"multipart/related; boundary={edge}"},
            data=b"".join(lines) + f"--{edge}--\r\n".encode(),
            json_out=True,
            **condition,
        )

    def _md5(self, info: Mapping[str, Any]) -> str:
        return base64.b64decode(info.get("md5Hash") or "").hex()


class _AzureContainer(_Tagged):
    """Azure Blob Storage: the tag is the ETag of a blob."""

    def _tag(self, info: Mapping[str, Any]) -> str:
        return str(info["etag"])

    def _put(self, upload: Upload, body: bytes) -> None:
        with self._telling("write", upload.path):
            self._send(upload, body, overwrite=True)

    def _put_if(self, upload: Upload, body: bytes, tag: str | None) -> str:
        if tag is None:
            return str(self._send(upload, body, overwrite=False)["etag"])
        same = import_module("azure.core").MatchConditions.IfNotModified
        return str(self._send(upload, body, overwrite=True, etag=tag, match_condition=same)["etag"])

    def _send(self, upload: Upload, body: bytes, **options: Any) -> Any:
        headers = upload.headers
        settings = {
            "content_type": headers.media_type,
            "cache_control": headers.caching,
            "content_md5": bytearray(hashlib.md5(body, usedforsecurity=False).digest()),
            **({"content_encoding": headers.coding} if headers.coding else {}),
        }
        place = self._at(upload.path)
        return self._files.pipe_file(place, body, content_settings=settings, **options)

    def _md5(self, info: Mapping[str, Any]) -> str:
        settings = info.get("content_settings") or {}
        return bytes(settings.get("content_md5") or b"").hex()


_KINDS: Mapping[str, type[_Folder]] = {
    **dict.fromkeys(_S3, _S3Bucket),
    **dict.fromkeys(_GOOGLE, _GoogleBucket),
    **dict.fromkeys(_AZURE, _AzureContainer),
}

_CONFLICTS = (
    *("PreconditionFailed", "ConditionalRequestConflict", "412", "409", "NoSuchKey"),
    *("FileExistsError", "ResourceModifiedError", "ConditionNotMet", "BlobAlreadyExists"),
)
_UNKNOWN = ("NotImplemented", "501")
"""The codes of a host that knows no conditions."""

_DENIED = {
    "NoCredentialsError": "there are no credentials",
    "PartialCredentialsError": "a part of the credentials is missing",
    "InvalidAccessKeyId": "the host does not know the access key",
    "SignatureDoesNotMatch": "the secret is not that of the access key",
    "RequestTimeTooSkewed": "the clock of this machine differs too much from the host's",
    "AccessDenied": "the credentials do not allow it",
    "ExpiredToken": "the credentials have expired",
    **dict.fromkeys(("InvalidToken", "TokenRefreshRequired"), "the credentials are not valid"),
    **dict.fromkeys(("401", "403", "PermissionError"), "the credentials do not allow it"),
    **dict.fromkeys(
        ("AuthenticationFailed", "ClientAuthenticationError", "AuthorizationFailure"),
        "the host does not accept the credentials",
    ),
}
"""What an error means that has to do with who asks."""

_FAILED = {
    **dict.fromkeys(
        ("NoSuchBucket", "ContainerNotFound", "FileNotFoundError"), "it does not exist"
    ),
    **dict.fromkeys(("InvalidBucketName", "ParamValidationError"), "this name is not allowed"),
    **dict.fromkeys(
        ("EndpointConnectionError", "ServiceRequestError", "ClientConnectorError"),
        "the host cannot be reached",
    ),
    **dict.fromkeys(
        ("ReadTimeoutError", "ConnectTimeoutError", "FSTimeoutError", "RequestTimeout"),
        "the host does not answer in time",
    ),
    **dict.fromkeys(("SlowDown", "ServiceUnavailable", "503"), "the host is too busy"),
    **dict.fromkeys(
        ("ConnectionClosedError", "ClientPayloadError", "ResponseStreamingError"),
        "the connection was cut off",
    ),
}
"""What any other error means."""

_PERMISSIONS = (
    "Check the credentials; they must allow to read, write and list, because without the right to "
    "list, hosts do not say that an object does not exist."
)
_TRY = "Check the address and your connection, and deploy again: it continues where it ended."


def _code_of(error: BaseException) -> str:
    """Return the code of a host's error, or the name of the driver's; never its text."""
    cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
    response = getattr(cause, "response", None)
    found = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
    found = found or getattr(error, "error_code", None) or getattr(error, "code", None)
    if found and _CODE.fullmatch(text := str(getattr(found, "value", found))):
        return text
    return type(cause).__name__
