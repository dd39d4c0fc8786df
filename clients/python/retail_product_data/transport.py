"""Sends calls with the API key, timeouts and retries."""

import os
import threading
import uuid
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any
from urllib.parse import quote

import httpx

from .deprecation import warn_once
from .errors import ApiError, RequestConnectionError, RequestTimeoutError, api_error
from .generated.operations import KEYED_OPERATIONS, OPERATIONS
from .policy import is_retryable, retry_delay, timeout_of

Values = Mapping[str, str | int | float | bool | None]


class Transport:
    """One HTTP connection pool with the key and the address of the service. Thread-safe."""

    def __init__(
        self,
        api_key: str | None,
        base_url: str | None,
        attempts: int,
        http_client: httpx.Client | None,
    ) -> None:
        self._key = api_key or os.environ.get("RPD_API_KEY")
        if self._key and not (self._key.isascii() and self._key.isprintable() and " " not in self._key):
            raise ValueError(
                "The API key contains a character that no key has, such as a space or a curly "
                "quote. Copy it again."
            )
        base_url = base_url or os.environ.get("RPD_BASE_URL")
        if not base_url:
            raise ValueError(
                "The address of the service is missing. "
                "Set the variable RPD_BASE_URL or the argument 'base_url'."
            )
        if not base_url.startswith(("http://", "https://")):
            # Omits the value, because a user can pass an API key as the address by mistake.
            raise ValueError(
                "The address of the service must be an http or https URL. "
                "Check the variable RPD_BASE_URL or the argument 'base_url'. "
                "The value is not shown, because it may be an API key."
            )
        self._base_url = base_url.rstrip("/")
        self._attempts = attempts
        self._http = http_client or httpx.Client()

    def close(self) -> None:
        self._http.close()

    def call(
        self,
        operation: str,
        *,
        path: Values | None = None,
        query: Values | None = None,
        body: object = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        stop: threading.Event | None = None,
    ) -> Any:
        """Calls an operation. See ``Client.call``. After ``stop`` is set, no further attempt begins."""
        if operation not in OPERATIONS:
            nearest = get_close_matches(operation, OPERATIONS, 1)
            hint = f" Did you mean '{nearest[0]}'?" if nearest else ""
            raise ValueError(
                f"There is no operation '{operation}'.{hint} "
                "Use an operation ID of the API reference in snake_case."
            )
        method, template = OPERATIONS[operation]
        headers = {"Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        if operation in KEYED_OPERATIONS:
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        request = self._http.build_request(
            method,
            self._base_url + _path(template, path or {}),
            params=_query(query or {}),
            json=body,
            headers=headers,
            timeout=timeout or timeout_of(operation),
        )
        stop = stop or threading.Event()
        is_in_flight = False
        attempt = 1
        while True:
            try:
                return self._send(operation, request)
            except Exception as error:
                if attempt >= self._attempts or not is_retryable(error, operation, is_in_flight):
                    raise
                is_in_flight = is_in_flight or isinstance(error, RequestConnectionError)
                if stop.wait(retry_delay(attempt, error)):
                    raise
                attempt += 1

    def _send(self, operation: str, request: httpx.Request) -> Any:
        try:
            response = self._http.send(request)
        except httpx.TimeoutException as cause:
            raise RequestTimeoutError(
                f"The call {operation} got no response within its timeout. "
                "Retry it, or set a longer 'timeout'."
            ) from cause
        except httpx.HTTPError as cause:
            raise RequestConnectionError(
                f"The call {operation} got no complete response from {self._base_url} ({cause}). "
                "Check the address and the network."
            ) from cause
        warn_once(operation, response)
        if not response.is_success:
            raise api_error(response)
        body = _json(response)
        if not isinstance(body, dict):
            raise ApiError(
                response,
                f"The response to {operation} is not JSON of the service. "
                f"Check the address {self._base_url}.",
            )
        return body

    def list(
        self, operation: str, *, path: Values | None = None, query: Values | None = None
    ) -> Iterator[Any]:
        """Iterates over the entries of all pages of a list. See ``Client.list``."""
        following: Values | None = {}
        while following is not None:
            page = self.call(operation, path=path, query={**(query or {}), **following})
            yield from page["data"]
            following = _next_query(operation, page) if page.get("has_more") else None


def _next_query(operation: str, page: Any) -> Values:
    if "next_after" in page:
        return {"after": page["next_after"]}
    if "next_starting_after" in page:
        return {"starting_after": page["next_starting_after"]}
    if operation == "list_watchlist_runs":
        return {"before_run": page["data"][-1]["run_number"]}
    if operation in ("list_watchlist_items", "get_watchlist_item_history"):
        return {"starting_after": page["data"][-1]["id"]}
    raise ValueError(
        f"The list has more entries, but {operation} returns only one page. "
        "Set a higher 'limit', or read only the first entries with 'call'."
    )


def _json(response: httpx.Response) -> Any:
    """Returns the parsed body of a response. None if it is not JSON."""
    try:
        return response.json()
    except ValueError:
        return None


def _path(template: str, values: Values) -> str:
    for name, value in values.items():
        # A URL with `..` as a segment leads to another operation.
        if value in (None, "", ".", ".."):
            raise ValueError(f"The path parameter '{name}' must be an ID (got {value!r}).")
        template = template.replace(f"{{{name}}}", quote(str(value), safe=""))
    if "{" in template:
        raise ValueError(f"A path parameter of {template} is missing. Add it to 'path'.")
    return template


def _query(values: Values) -> dict[str, str]:
    def text(value: object) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return {name: text(value) for name, value in values.items() if value is not None}
