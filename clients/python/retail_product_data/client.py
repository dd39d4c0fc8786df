"""The client of the service."""

from types import TracebackType

import httpx

from .events import Events
from .products import Products
from .transport import Transport


class Client(Transport):
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
        super().__init__(api_key, base_url, attempts, http_client)
        self.products = Products(self)
        self.events = Events(self)

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
