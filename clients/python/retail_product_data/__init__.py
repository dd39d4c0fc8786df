"""Client of the Retail Product Data Service."""

from .client import Client
from .errors import ApiError, RequestConnectionError, RequestTimeoutError
from .events import Event
from .exports import BucketStore, ExportedRun, ExportError, FolderStore, read_events, read_runs
from .products import ProductBatch
from .webhooks import SignatureError, verify_webhook

__all__ = [
    "ApiError",
    "BucketStore",
    "Client",
    "Event",
    "ExportError",
    "ExportedRun",
    "FolderStore",
    "ProductBatch",
    "RequestConnectionError",
    "RequestTimeoutError",
    "SignatureError",
    "read_events",
    "read_runs",
    "verify_webhook",
]
