"""Verifies the signature of webhook deliveries."""

import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import cast

from .events import Event
from .generated.models import WebhookTestEvent

_TOLERANCE_SECONDS = 300


class SignatureError(Exception):
    """The delivery is not signed with the secret, or its signature is too old."""


def verify_webhook(
    body: bytes | str, headers: Mapping[str, str], secret: str | Iterable[str]
) -> Event | WebhookTestEvent:
    """Verifies the signature of a delivery, and returns its event.

    ``body`` must be the raw body. During a rotation, ``secret`` can contain both secrets. Raises
    ``SignatureError`` if no signature matches a secret, or if the time of the signature differs by
    more than five minutes from the clock of this machine. Raises ``TypeError`` if ``body`` is
    neither a string nor bytes, or if no secret is set.
    """
    if not isinstance(body, str | bytes):
        raise TypeError(
            "'body' must be the raw body of the request, a string or bytes. "
            "Read it before a JSON parser does."
        )
    secrets = [secret] if isinstance(secret, str) else list(secret or [])
    if not secrets or not all(isinstance(key, str) for key in secrets):
        raise TypeError(
            "'secret' is missing. Pass the secret of the webhook endpoint, "
            "which begins with whsec_."
        )
    raw = body.encode() if isinstance(body, str) else body
    found = [value for name, value in headers.items() if name.lower() == "service-signature"]
    if not found:
        raise SignatureError(
            "The request has no header Service-Signature. Pass all headers of the delivery."
        )
    time_of = re.match("t=([0-9]{1,12}),", found[0])
    if time_of is None:
        raise SignatureError(
            f"Service-Signature must begin with 't=<seconds>,' (got {found[0]!r})."
        )
    difference = abs(int(time.time()) - int(time_of[1]))
    if difference > _TOLERANCE_SECONDS:
        raise SignatureError(
            f"The time in Service-Signature must be within {_TOLERANCE_SECONDS} s of the clock of "
            f"this machine (got a difference of {difference} s). Check the clock, or refuse the "
            "delivery: it may be a replay."
        )
    signatures = re.findall(",v1=([0-9a-f]{64})", found[0])
    signed = f"{time_of[1]}.".encode() + raw
    for key in secrets:
        expected = hmac.new(key.encode(), signed, "sha256").hexdigest()
        if key and any(hmac.compare_digest(expected, one) for one in signatures):
            return cast(Event | WebhookTestEvent, json.loads(raw))
    raise SignatureError(
        "No signature in Service-Signature matches the secret. Pass the raw body and the secret of "
        "this endpoint."
    )
