"""Reads the event feed."""

import time
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

from .generated.models import (
    ProductChangedEvent,
    ProductDelistedEvent,
    ProductMatchedEvent,
    RunCompletedEvent,
)
from .transport import Transport

Event = ProductChangedEvent | ProductMatchedEvent | ProductDelistedEvent | RunCompletedEvent


class Events:
    """Reads the event feed of the account."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self, after: str | None = None, **filters: str) -> Iterator[Event]:
        """Iterates over the stored events, oldest first, and ends after the newest.

        To continue later, store the ``id`` of the last event and pass it as ``after``.
        ``filters``: ``type`` and ``watchlist_id``.
        """
        for page in self._pages(after, filters):
            yield from page["data"]
            if not page["has_more"]:
                return

    def tail(
        self, after: str | None = None, *, poll_seconds: float = 5, **filters: str
    ) -> Iterator[Event]:
        """Iterates over events, and waits for new events. The iteration never ends.

        Without ``after``, it begins with the next new event. ``poll_seconds``: the time between two
        reads when no events are left.
        """
        start = after or datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")
        for page in self._pages(start, filters):
            yield from page["data"]
            if not page["has_more"]:
                time.sleep(poll_seconds)

    def _pages(self, after: str | None, filters: dict[str, str]) -> Iterator[Any]:
        while True:
            page = self._transport.call("list_events", query={**filters, "after": after})
            yield page
            after = page["next_after"] or after
