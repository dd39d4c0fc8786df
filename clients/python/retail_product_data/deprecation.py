"""Warns about calls of deprecated operations, and about calls that use deprecated fields."""

import re
import warnings
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin

import httpx

_warned: set[tuple[str, str | None]] = set()


def warn_once(operation: str, response: httpx.Response) -> None:
    """Emits a warning if a response marks the call as deprecated.

    Warns once in each process for each operation and date of removal. The category is
    ``FutureWarning``, because Python hides a ``DeprecationWarning`` outside of the main module.
    """
    since = re.fullmatch(r"@(\d{1,11})", response.headers.get("deprecation", ""))
    sunset = response.headers.get("sunset")
    if since is None or (operation, sunset) in _warned:
        return
    _warned.add((operation, sunset))
    begin = datetime.fromtimestamp(int(since[1]), timezone.utc).date()
    text = f"{operation}, or a field that the call uses, has been deprecated since {begin}."
    if sunset is not None:
        text += f" It stops working on {_date(sunset)}."
    page = re.search('<([^>]*)>; *rel="deprecation"', response.headers.get("link", ""))
    if page is not None:
        text += f" See {urljoin(str(response.url), page[1])}."
    warnings.warn(text, FutureWarning, stacklevel=5)


def _date(header: str) -> str:
    try:
        return str(parsedate_to_datetime(header).date())
    except ValueError:
        return "an unknown date"
