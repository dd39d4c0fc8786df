"""Walks from the first call to an export with the Python client. Prints what it found as JSON."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

from retail_product_data import ApiError, Client, FolderStore, read_events, verify_webhook

IDS = ["9000001", "9000000", "9000003", "9000007"]
world = json.loads(os.environ["WORLD"])
found: dict[str, Any] = {}


def eventually(attempt: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        value = attempt()
        if value is not None:
            return value
        time.sleep(0.2)
    raise RuntimeError("The expected state was not reached in time.")


def code_of(call: Callable[[], Any]) -> str:
    try:
        return str(call())
    except ApiError as error:
        return f"{error.code} {error.param or ''}"


def deliveries() -> Any:
    with urllib.request.urlopen(f"{world['receiverUrl']}/deliveries") as response:
        return json.load(response)


with Client() as client:
    read = client.products.read(IDS, platform="retailer_d")
    found["statuses"] = [one["status"] for one in read["results"]]
    found["refused"] = code_of(lambda: client.products.read(["12"], platform="retailer_d"))

    url = f"{world['receiverUrl']}/hooks/python"
    endpoint = client.call("create_webhook_endpoint", body={"url": url})
    path = {"id": endpoint["id"]}
    destination = {
        "bucket": world["customerBucket"],
        "region": "us-east-1",
        "endpoint": world["bucketEndpoint"],
        "force_path_style": True,
        "prefix": "python/",
        "auth": "access_key",
        "access_key_id": world["accessKeyId"],
        "secret_access_key": world["secretAccessKey"],
    }
    client.call("put_s3_destination", body=destination)
    found["tested"] = client.call("test_webhook_endpoint", path=path, body={})["delivered"]

    created = client.call(
        "create_watchlist",
        body={
            "name": "Tour",
            "platform": "retailer_d",
            "ids": IDS,
            "every": "1h",
            "webhook_endpoint_id": endpoint["id"],
        },
    )
    watchlist = {"id": created["id"]}

    def events(runs: int) -> Any:
        def attempt() -> Any:
            events = list(client.events.all(watchlist_id=created["id"]))
            ended = [one for one in events if one["type"] == "watchlist.run.completed"]
            return events if len(ended) == runs else None

        return eventually(attempt)

    def run_again() -> None:
        def attempt() -> Any:
            try:
                return client.call("run_watchlist", path=watchlist)
            except ApiError as error:
                # On a loaded machine, the service can return 503. It did not start a run then.
                if error.code in ("CONFLICT", "UNAVAILABLE"):
                    return None
                raise

        eventually(attempt)

    events(1)
    run_again()
    changes = [
        change["changes"]["price"]
        for event in events(2)
        if event["type"] == "watchlist.product.changed"
        for change in event["data"]["changes"]
        if change["id"] == IDS[0]
    ]
    found["price changed"] = changes[0]["before"] != changes[0]["after"]

    rotated = client.call("rotate_webhook_secret", path=path, body={})
    client.call("update_webhook_endpoint", path=path, body={"enabled": False})
    run_again()
    everything = events(3)
    since = (datetime.now(timezone.utc) - timedelta(minutes=10)).isoformat()
    client.call("update_webhook_endpoint", path=path, body={"enabled": True})
    client.call("recover_webhook_deliveries", path=path, body={"since": since})
    secrets = [endpoint["secret"], rotated["secret"]]

    def received() -> Any:
        arrived = {}
        for one in deliveries():
            if not one["path"].endswith("/hooks/python"):
                continue
            event = verify_webhook(one["body"], one["headers"], secrets)
            if event["type"] != "webhook.test":
                arrived[event["id"]] = event
        return arrived if all(one["id"] in arrived for one in everything) else None

    arrived = eventually(received)
    found["feed equals deliveries"] = [arrived[one["id"]] for one in everything] == everything

    log = client.list("list_webhook_deliveries", query={"state": "delivered"})
    again = client.call("redeliver_webhook", path={"id": next(log)["id"]})
    found["redelivery"] = again["state"]

    def exported() -> Any:
        # The command of the TypeScript client copies the bucket.
        subprocess.run(json.loads(os.environ["DOWNLOAD"]), check=True, stdout=subprocess.DEVNULL)
        ids = [event["id"] for event in read_events(FolderStore(sys.argv[1]), prefix="python/")]
        return ids if len(ids) >= len(everything) else None

    ids = eventually(exported)
    found["export equals feed"] = sorted(ids) == sorted(one["id"] for one in everything)

    entries = client.list("list_credit_transactions", query={"limit": 5})
    credits = sum(entry["balance_after"] - entry["balance_before"] for entry in entries)
    balance = client.call("get_account")["credit_balance"]
    found["ledger equals balance"] = credits == balance
    client.call("delete_watchlist", path=watchlist)
    found["deleted"] = code_of(lambda: client.call("get_watchlist", path=watchlist))
print(json.dumps(found))
