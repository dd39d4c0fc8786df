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

    ``call`` and ``list`` offer every operation of the API reference by its operation ID in
    snake_case. ``products`` and ``events`` offer functions that need more than one call. The types
    of the results are in ``retail_product_data.generated.models``.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        attempts: int = 5,
        http_client: httpx.Client | None = None,
    ) -> None:
        """Creates a client.

        ``api_key``: the default is the variable ``RPD_API_KEY``. ``base_url``: the address of the
        service; the default is the variable ``RPD_BASE_URL``. ``attempts``: the maximum number of
        attempts of each call. ``http_client``: sends the calls, for example through a proxy; the
        default is a new client. Raises ``ValueError`` if the address is missing, or if the address
        or the key is invalid.
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

        Repeats the call only if the repeat is safe. ``timeout``: seconds for each attempt. Raises
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

        Raises ``ValueError`` if there are more entries, but the operation cannot return further
        pages.
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
