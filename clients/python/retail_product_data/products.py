"""Reads products, in any number."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from itertools import islice
from threading import Event, Thread
from typing import Any

from .generated.models import ProductResult
from .transport import Transport

_CONCURRENCY_MAX = 5


@dataclass(frozen=True)
class ProductBatch:
    """The results of one call."""

    results: list[ProductResult]
    #: The charge of the call, in credits.
    credits: int
    #: The number of IDs that are read so far. Store it, and pass it as ``start`` to continue there.
    position: int


class Products:
    """Reads products in one call or in several parallel calls."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def read(self, ids: list[str], *, platform: str, **options: Any) -> Any:
        """Reads products in one call. ``options``: further fields of the body, such as ``tier``."""
        body = {"platform": platform, "ids": ids, **options}
        return self._transport.call("read_products", body=body)

    def read_all(self, ids: Iterable[str], **options: Any) -> Iterator[ProductResult]:
        """Reads any number of products, in the order of the IDs. See ``read_batches``."""
        for batch in self.read_batches(ids, **options):
            yield from batch.results

    def read_batches(
        self,
        ids: Iterable[str],
        *,
        platform: str,
        tier: str | None = None,
        marketplace: str | None = None,
        concurrency: int | None = None,
        batch_size: int | None = None,
        start: int = 0,
    ) -> Iterator[ProductBatch]:
        """Reads any number of products with several calls at the same time.

        Each call has as many IDs as the tier allows. Yields the batches in order. Holds at most
        ``concurrency`` batches, so the memory does not grow with the number of IDs. To continue
        after a failure, store the ``position`` of each batch together with its results, and pass it
        as ``start``. If several batches contain the same ID, the service reads it in each of them.
        If the loop ends early, such as by Ctrl-C, no further call begins, and the calls in progress
        are abandoned.
        """
        if isinstance(ids, str):
            raise TypeError("'ids' must be a list of IDs, not a string. Pass a list.")
        _require_at_least(1, "concurrency", concurrency)
        _require_at_least(1, "batch_size", batch_size)
        _require_at_least(0, "start", start)
        size = batch_size or self._batch_size(platform, tier)
        calls = concurrency or self._concurrency()
        options = {
            name: value
            for name, value in (("tier", tier), ("marketplace", marketplace))
            if value is not None
        }
        remaining = islice(iter(ids), start, None)
        position = start
        reading: deque[Future[ProductBatch]] = deque()
        stop = Event()

        def read(batch: list[str], end: int) -> ProductBatch:
            body = {"platform": platform, "ids": batch, **options}
            answer = self._transport.call("read_products", body=body, stop=stop)
            return ProductBatch(answer["results"], answer["credits"], end)

        try:
            while True:
                while len(reading) < calls and (batch := list(islice(remaining, size))):
                    position += len(batch)
                    reading.append(_in_thread(partial(read, batch, position)))
                if not reading:
                    return
                yield reading.popleft().result()
        finally:
            stop.set()

    def _batch_size(self, platform: str, tier: str | None) -> int:
        platforms = self._transport.call("list_platforms")["data"]
        known = [found["id"] for found in platforms]
        if platform not in known:
            raise ValueError(f"There is no platform '{platform}'. Set 'platform' to one of: {', '.join(known)}.")
        limits: dict[str, int] = {
            one["id"]: one["max_items_per_call"]
            for found in platforms
            if found["id"] == platform
            for endpoint in found["endpoints"]
            if endpoint["id"] == "products"
            for one in endpoint["tiers"]
        }
        limit = limits.get(tier or "standard")
        if limit is None:
            raise ValueError(
                f"The platform {platform} has no tier '{tier or 'standard'}'. "
                f"Set 'tier' to one of: {', '.join(limits)}."
            )
        return limit

    def _concurrency(self) -> int:
        limit: int = self._transport.call("get_account")["concurrency"]["limit"]
        return min(limit, _CONCURRENCY_MAX)


def _in_thread(read: Callable[[], ProductBatch]) -> Future[ProductBatch]:
    """Starts a read in a daemon thread, so that the program can end before the read.

    At its end, a program waits for the threads of a ``ThreadPoolExecutor``, even after Ctrl-C.
    """
    future: Future[ProductBatch] = Future()

    def run() -> None:
        try:
            future.set_result(read())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, name="read_batches", daemon=True).start()
    return future


def _require_at_least(minimum: int, name: str, value: int | None) -> None:
    if value is not None and value < minimum:
        raise ValueError(f"'{name}' must be an integer of at least {minimum} (got {value}).")
