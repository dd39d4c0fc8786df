"""Makes the calls of a tour with the Python client.

Reads one JSON request a line from the standard input, and answers each with a line of JSON.
"""

import json
import sys
from typing import Any

import boto3
import httpx
from botocore.config import Config

from retail_product_data import (
    ApiError,
    BucketStore,
    Client,
    SignatureError,
    read_events,
    verify_webhook,
)

last: httpx.Response | None = None


def remember(response: httpx.Response) -> None:
    """Keeps the last response, because results contain neither its status nor its headers."""
    global last
    last = response


def call(operation: str, **options: Any) -> Any:
    """Calls an operation, and returns the status, the headers and the body of its response."""
    try:
        body, status = client.call(operation, **options), last.status_code if last else 0
    except ApiError as error:
        body = {"error": {"code": error.code, "message": error.message, "param": error.param}}
        status = error.status
    return {"status": status, "headers": dict(last.headers) if last else {}, "body": body}


def list_all(operation: str, path: dict[str, str], query: dict[str, str]) -> Any:
    """Returns the entries of all pages of a list."""
    if operation == "list_events":
        return list(client.events.all(**query))
    return list(client.list(operation, path=path, query=query))


def read_all(ids: list[str], platform: str) -> Any:
    """Reads products in as many calls as the platform requires."""
    return list(client.products.read_all(ids, platform=platform))


def accepts(body: str, headers: dict[str, str], secrets: list[str]) -> bool:
    """Returns true if the client accepts the signature of a delivery."""
    try:
        verify_webhook(body, headers, secrets)
    except SignatureError:
        return False
    return True


def exported(bucket: dict[str, str], prefix: str) -> Any:
    """Returns the events of an export after the client has verified that the export is complete."""
    s3 = boto3.client(
        "s3",
        endpoint_url=bucket["endpoint"],
        region_name="us-east-1",
        aws_access_key_id=bucket["accessKeyId"],
        aws_secret_access_key=bucket["secretAccessKey"],
        config=Config(s3={"addressing_style": "path"}),
    )
    return list(read_events(BucketStore(s3, bucket["name"]), prefix=prefix))


tasks = {
    "call": call,
    "list": list_all,
    "read_all": read_all,
    "accepts": accepts,
    "exported": exported,
}

with (
    httpx.Client(event_hooks={"response": [remember]}) as http,
    Client(http_client=http) as client,
):
    for line in sys.stdin:
        request = json.loads(line)
        task = tasks[request.pop("task")]
        print(json.dumps(task(**request)), flush=True)
