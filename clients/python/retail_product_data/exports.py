"""Reads an export, and proves that it is complete."""

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from .events import Event
from .generated.models import ExportManifest

_MANIFEST = "_manifest.json"


class ExportStore(Protocol):
    """The place of an export: a bucket, or a folder with a copy of the bucket."""

    def keys(self, prefix: str) -> Iterator[str]:
        """Lists all keys that begin with ``prefix``, in ascending order."""
        ...

    def read(self, key: str) -> bytes:
        """Returns the bytes of an object. Raises an exception if it cannot be read."""
        ...


class FolderStore:
    """A copy of the bucket in a folder, such as the result of ``aws s3 sync``."""

    def __init__(self, root: str | Path) -> None:
        self._root = Path(root)

    def keys(self, prefix: str) -> Iterator[str]:
        if not self._root.is_dir():
            raise FileNotFoundError(f"There is no folder {self._root}. Copy the bucket to it.")
        files = (path for path in self._root.rglob("*") if path.is_file())
        keys = (path.relative_to(self._root).as_posix() for path in files)
        yield from sorted(key for key in keys if key.startswith(prefix))

    def read(self, key: str) -> bytes:
        return (self._root / key).read_bytes()


class BucketStore:
    """A bucket, read with the S3 client of boto3: ``BucketStore(boto3.client("s3"), bucket)``."""

    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def keys(self, prefix: str) -> Iterator[str]:
        pages = self._client.get_paginator("list_objects_v2")
        for page in pages.paginate(Bucket=self._bucket, Prefix=prefix):
            yield from (found["Key"] for found in page.get("Contents", []))

    def read(self, key: str) -> bytes:
        content: bytes = self._client.get_object(Bucket=self._bucket, Key=key)["Body"].read()
        return content


class ExportError(Exception):
    """An object of a run is missing or changed, or the manifest contradicts the events."""


@dataclass(frozen=True)
class ExportedRun:
    """The exported events of one run. The reader has verified that no event is missing."""

    #: The key of the folder, with a ``/`` at its end.
    folder: str
    manifest: ExportManifest
    events: list[Event]


def read_runs(
    store: ExportStore,
    *,
    prefix: str = "",
    since: str = "",
    on_incomplete: Callable[[str], None] = lambda folder: None,
) -> Iterator[ExportedRun]:
    """Iterates over the complete runs of an export.

    Compares size and SHA-256 of each object with the manifest, and the digest of the manifest with
    the events. Does not read the Parquet files. ``prefix``: the prefix of the destination.
    ``since``: the earliest UTC date of the folders to read, such as ``2026-11-23``; the default is
    all folders. ``on_incomplete``: called with the key of each folder that has no manifest, because
    the export of its run is not complete. Raises ``ExportError`` if an object is missing or
    changed, or if a manifest contradicts the events, and ``ValueError`` unless ``since`` is empty
    or a UTC date.
    """
    if since and not _is_date(since):
        raise ValueError(f"'since' must be a UTC date such as 2026-11-23 (got \"{since}\").")
    keys = store.keys(f"{prefix}events/v=2/")
    # The keys of the subfolder `hold/` come between those of its parent folder.
    for _, run_keys in groupby(keys, key=lambda key: re.sub("(/hold)?/[^/]*$", "", key)):
        names: dict[str, list[str]] = {}
        for key in run_keys:
            folder, _, name = key.rpartition("/")
            names.setdefault(f"{folder}/", []).append(name)
        for folder, found in names.items():
            date = re.search("/dt=([0-9-]+)/", folder)
            if date is not None and date[1] < since:
                continue
            if _MANIFEST in found:
                yield _read_run(store, folder)
            else:
                on_incomplete(folder)


def read_events(store: ExportStore, *, prefix: str = "", since: str = "") -> Iterator[Event]:
    """Iterates over the events of all complete runs. See ``read_runs``."""
    for run in read_runs(store, prefix=prefix, since=since):
        yield from run.events


def _read_run(store: ExportStore, folder: str) -> ExportedRun:
    manifest = _manifest(store.read(f"{folder}{_MANIFEST}"), f"{folder}{_MANIFEST}")
    events = [_read_object(store, folder, found) for found in manifest["objects"]]
    digest = hashlib.sha256("\n".join(event["id"] for event in events).encode()).hexdigest()
    if digest != manifest["digest"]:
        raise ExportError(
            f"The events in {folder} have the digest {digest}, but the manifest states "
            f"{manifest['digest']}. Copy the folder again."
        )
    if len(events) != manifest["totals"]["objects"]:
        raise ExportError(
            f"The manifest in {folder} lists {len(events)} objects, but its totals state "
            f"{manifest['totals']['objects']}. Run a backfill for this run."
        )
    of_run = (manifest.get("run") or {}).get("events_digest")
    if of_run is not None and of_run != digest:
        raise ExportError(
            f"The events in {folder} have the digest {digest}, but 'events_digest' of the run is "
            f"{of_run}. Copy the folder again."
        )
    return ExportedRun(folder, manifest, events)


def _is_date(text: str) -> bool:
    """Returns true for a date of the calendar as ``YYYY-MM-DD``."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").date().isoformat() == text
    except ValueError:
        return False


def _manifest(content: bytes, key: str) -> Any:
    try:
        manifest = json.loads(content)
        if isinstance(manifest["objects"], list) and isinstance(manifest["totals"]["objects"], int):
            return manifest
    except (ValueError, KeyError, TypeError) as cause:
        raise ExportError(
            f"The manifest {key} must be JSON with a list 'objects' and a number "
            "'totals.objects'. Copy it again."
        ) from cause
    raise ExportError(
        f"The manifest {key} must have a list 'objects' and a number 'totals.objects'. "
        "Copy it again."
    )


def _read_object(store: ExportStore, folder: str, found: dict[str, Any]) -> Any:
    key: str = found["key"]
    try:
        # A copy of the bucket can have other folders above the run.
        content = store.read(folder + key.rpartition("/")[2])
    except Exception as cause:
        raise ExportError(
            f"The object {key} is in the manifest, but cannot be read. Copy it again."
        ) from cause
    digest = hashlib.sha256(content).hexdigest()
    if len(content) != found["bytes"] or digest != found["sha256"]:
        raise ExportError(
            f"The object {key} has {len(content)} bytes and the SHA-256 {digest}, but its manifest "
            f"states {found['bytes']} bytes and {found['sha256']}. Copy the object again."
        )
    return json.loads(gzip.decompress(content) if key.endswith(".gz") else content)
