"""Which calls may be repeated, when, and how long a call may take."""

import random

from .errors import ApiError
from .generated.error_codes import RETRYABLE_CODES
from .generated.operations import KEYED_OPERATIONS, REPEATABLE_OPERATIONS

_DEFAULT_TIMEOUT = 30.0
#: The timeouts of slow operations, in seconds, as the specification recommends them.
_TIMEOUTS = {
    "read_products": 300.0,
    "read_offers": 180.0,
    "read_item_offers": 180.0,
    "check_offers": 120.0,
    "preview_watchlist": 60.0,
    "backtest_watchlist": 60.0,
}
#: The largest Retry-After, in seconds, for which the client waits before it repeats a call. For a
#: larger value, the client raises the error, so that the caller decides.
_RETRY_AFTER_MAX = 60.0


def timeout_of(operation: str) -> float:
    """Returns the default timeout of an operation, in seconds."""
    return _TIMEOUTS.get(operation, _DEFAULT_TIMEOUT)


def is_retryable(error: Exception, operation: str, is_in_flight: bool) -> bool:
    """Returns true if another attempt after this error is safe and can succeed.

    ``is_in_flight``: an earlier attempt may still be in progress at the service.
    """
    is_repeatable = operation in REPEATABLE_OPERATIONS
    if not isinstance(error, ApiError):
        return is_repeatable
    if (error.retry_after_seconds or 0.0) > _RETRY_AFTER_MAX:
        return False
    if error.code == "CONFLICT":
        # An earlier attempt with the same idempotency key is still in progress.
        return operation in KEYED_OPERATIONS and is_in_flight
    if error.code not in RETRYABLE_CODES:
        return False
    # With status 429, the service has refused the call before it did anything. With a charge of 0,
    # the failed attempt cost nothing. Without a reported charge, only a repeatable call is safe.
    return error.status == 429 or error.credits == 0 or is_repeatable


def retry_delay(attempt: int, error: Exception) -> float:
    """Returns the seconds before the next attempt, at least the ``Retry-After`` of the response."""
    backoff: float = min(0.5 * 2.0 ** (attempt - 1), 30.0) * random.uniform(0.5, 1.0)
    required = error.retry_after_seconds if isinstance(error, ApiError) else None
    return max(backoff, required or 0.0)
