"""The client of the service."""

from collections.abc import Iterator
from types import TracebackType
from typing import Any

import httpx

from .events import Events
from .products import Products
from .transport import Transport, Values


class Client:
    """A client of the service. Thread-safe.

    ``call`` and ``list`` have every operation of the API reference, under its operation ID in
    snake_case. ``products`` and ``events`` do what needs more than one call. The types of the
    results are in ``retail_product_data.generated.models``.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        attempts: int = 5,
        http_client: httpx.Client | None = None,
    ) -> None:
        """Reads the key from ``RPD_API_KEY``, and the address from ``RPD_BASE_URL``.

        ``attempts``: attempts of each call, including the first. ``http_client``: sends the calls,
        for example through a proxy. The default is a new client.
        """
        self._transport = Transport(api_key, base_url, attempts, http_client)
        self.products = Products(self._transport)
        self.events = Events(self._transport)

    def call(
        self,
        operation: str,
        *,
        path: Values | None = None,
        query: Values | None = None,
        body: object = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Calls an operation, such as ``client.call("get_watchlist", path={"id": id})``.

        Repeats it only if the repeat is safe. ``timeout``: seconds for each attempt. Raises
        ``ApiError`` if the service returns an error, and ``RequestConnectionError`` if no response
        arrives.
        """
        return self._transport.call(
            operation,
            path=path,
            query=query,
            body=body,
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def list(
        self, operation: str, *, path: Values | None = None, query: Values | None = None
    ) -> Iterator[Any]:
        """Iterates over the entries of all pages of a list, such as ``list_changes``.

        Raises ``ValueError`` if there are more entries and the operation has no further pages, so
        that none is left out silently.
        """
        return self._transport.list(operation, path=path, query=query)

    def close(self) -> None:
        """Closes the connections. A call in progress fails."""
        self._transport.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
