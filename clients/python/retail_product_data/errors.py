"""The errors that calls raise."""

from typing import Any

import httpx


class ApiError(Exception):
    """An error response of the service.

    Each code has a subclass. A code that is newer than this client raises this class.
    """

    def __init__(self, response: httpx.Response, message: str | None = None) -> None:
        try:
            body: Any = response.json()
            error = dict(body["error"])
        except (ValueError, KeyError, TypeError):
            # A proxy between client and service can return an error that is not JSON.
            body, error = {}, {}
        status = response.status_code
        self.code: str = error.get("code", _code(status))
        self.status = status
        self.message: str = error.get(
            "message",
            message
            or f"The server returned HTTP status {status} without an error body. "
            "Check the address of the service.",
        )
        #: The parameter at fault, such as ``ids[0]``.
        self.param: str | None = error.get("param")
        #: The ID of the request. Quote it when you ask for support.
        self.request_id: str | None = response.headers.get("x-request-id")
        #: True if the platform or the endpoint is announced, but not available yet.
        self.is_coming_soon = bool(body.get("coming_soon", False))
        #: Seconds to wait before the next attempt, from ``Retry-After``.
        self.retry_after_seconds = _number(response.headers.get("retry-after"))
        #: The charge of the call. None for calls without a charge, and for an unknown charge.
        self.credits = _number(response.headers.get("x-service-credits"))
        super().__init__(f"{self.code}: {self.message}")


class MissingParamError(ApiError):
    """A required parameter was not sent."""


class InvalidParamError(ApiError):
    """A parameter is not accepted."""


class UnauthorizedError(ApiError):
    """The key is missing, malformed, unknown or revoked, or lacks a required scope."""


class InsufficientCreditsError(ApiError):
    """The balance cannot cover the call."""


class DemoReadOnlyError(ApiError):
    """The key belongs to the read-only demo workspace."""


class NotFoundError(ApiError):
    """The resource does not exist."""


class ConflictError(ApiError):
    """The state of the resource does not allow the call."""


class GoneError(ApiError):
    """The endpoint was retired."""


class ConcurrencyLimitError(ApiError):
    """All concurrency slots of the account are busy."""


class RateLimitedError(ApiError):
    """Too many calls of the key, too many probes of the account, or too many calls to one path.

    Probes are calls that connect to a webhook receiver or an S3 store.
    """


class InternalError(ApiError):
    """The service failed."""


class NotImplementedYetError(ApiError):
    """The platform, marketplace or endpoint is announced, but not available yet."""


class TargetFailedError(ApiError):
    """The retailer returned no usable response."""


class UnavailableError(ApiError):
    """A part of the service is down or overloaded."""


class RequestConnectionError(Exception):
    """No complete response arrived. If the call reads items, it may have been charged."""


class RequestTimeoutError(RequestConnectionError):
    """No complete response arrived in time. If the call reads items, it may have been charged."""


_CLASSES: dict[str, type[ApiError]] = {
    "MISSING_PARAM": MissingParamError,
    "INVALID_PARAM": InvalidParamError,
    "UNAUTHORIZED": UnauthorizedError,
    "INSUFFICIENT_CREDITS": InsufficientCreditsError,
    "DEMO_READ_ONLY": DemoReadOnlyError,
    "NOT_FOUND": NotFoundError,
    "CONFLICT": ConflictError,
    "GONE": GoneError,
    "CONCURRENCY_LIMIT": ConcurrencyLimitError,
    "RATE_LIMITED": RateLimitedError,
    "INTERNAL": InternalError,
    "NOT_IMPLEMENTED": NotImplementedYetError,
    "TARGET_FAILED": TargetFailedError,
    "UNAVAILABLE": UnavailableError,
}


def api_error(response: httpx.Response) -> ApiError:
    """Returns the error for a response, as the subclass that belongs to its code."""
    error = ApiError(response)
    return _CLASSES.get(error.code, ApiError)(response)


def _code(status: int) -> str:
    """Returns the error code for a response that is not JSON of the service."""
    if status == 429:
        return "RATE_LIMITED"
    return "UNAVAILABLE" if status >= 500 else "UNEXPECTED_RESPONSE"


def _number(header: str | None) -> float | None:
    try:
        return None if header is None else float(header)
    except ValueError:
        return None
