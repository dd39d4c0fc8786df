"""Tests of the client against a scripted service."""

import gzip
import hashlib
import hmac
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from retail_product_data import (
    ApiError,
    Client,
    ExportError,
    FolderStore,
    RequestConnectionError,
    RequestTimeoutError,
    SignatureError,
    read_events,
    verify_webhook,
)
from retail_product_data.errors import _CLASSES, ConcurrencyLimitError, InvalidParamError
from retail_product_data.generated.error_codes import ERROR_CODES
from retail_product_data.policy import timeout_of

Answer = tuple[int, dict[str, str], Any] | None
Script = Callable[[str, str, Any, int], Answer]


class Service:
    """Answers calls with the responses that ``script`` chooses; None cuts the connection."""

    def __init__(self, script: Script) -> None:
        self.calls: list[tuple[str, str, dict[str, str], Any]] = []
        service = self
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length", 0)))
                body = json.loads(raw) if raw else None
                with lock:
                    number = len(service.calls)
                    headers = {name.lower(): value for name, value in self.headers.items()}
                    service.calls.append((self.command, self.path, headers, body))
                answer = script(self.command, self.path, body, number)
                self.close_connection = True
                if answer is None:
                    return
                content = json.dumps(answer[2]).encode()
                self.send_response(answer[0])
                framing = {"connection": "close", "content-length": str(len(content))}
                for name, value in {**answer[1], **framing}.items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(BrokenPipeError):  # a client that timed out
                    self.wfile.write(content)

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = _answer

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base_url = f"http://127.0.0.1:{self.server.server_port}"
        self.client = Client("svc_live_1", self.base_url)


@pytest.fixture
def serve() -> Iterator[Callable[[Script], Service]]:
    services: list[Service] = []

    def start(script: Script) -> Service:
        services.append(Service(script))
        return services[-1]

    yield start
    for service in services:
        service.client.close()
        service.server.shutdown()
        service.server.server_close()


Serve = Callable[[Script], Service]


def failure(status: int, code: str, **headers: str) -> Answer:
    body = {"error": {"code": code, "message": "It failed.", "param": "ids[0]", "docs": "/docs"}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, {"x-request-id": "req_1", **named}, body


EMPTY: Answer = (200, {}, {"results": [], "credits": 0})
WATCHLIST = {"name": "Coffee", "platform": "retailer_d", "ids": ["9000001"], "every": "1h"}


def test_a_call_sends_the_key_the_path_the_query_and_the_body(serve: Serve) -> None:
    service = serve(lambda *_: (200, {}, {}))
    service.client.call("change_watchlist_items", path={"id": "wl 1"}, body={"add": ["1"]})
    service.client.call("list_watchlists", query={"limit": 5, "unset": None})
    method, path, headers, body = service.calls[0]
    assert (method, path, body) == ("POST", "/v1/watchlists/wl%201/items", {"add": ["1"]})
    assert headers["authorization"] == "Bearer svc_live_1"
    assert service.calls[1][:2] == ("GET", "/v1/watchlists?limit=5")


def test_a_call_is_sent_by_the_given_http_client(serve: Serve) -> None:
    service = serve(lambda *_: (200, {"x-request-id": "req_7"}, {}))
    seen: list[str] = []
    with httpx.Client(event_hooks={"response": [lambda one: seen.append(one.url.path)]}) as http:
        client = Client("k", str(service.base_url), http_client=http)
        client.call("get_account")
    assert seen == ["/v1/account"]


def test_a_deprecated_call_warns_once(serve: Serve) -> None:
    headers = {
        "deprecation": "@1795392000",
        "sunset": "Tue, 23 Nov 2027 00:00:00 GMT",
        "link": '</docs/api-guide#deprecated>; rel="deprecation"; type="text/html"',
    }
    service = serve(lambda *_: (200, headers, {}))
    with pytest.warns(FutureWarning) as caught:
        service.client.call("list_sources")
        service.client.call("list_sources")
    assert [str(one.message) for one in caught] == [
        "list_sources, or a field that the call uses, has been deprecated since 2026-11-23. "
        "It stops working on 2027-11-23. "
        f"See {service.base_url}/docs/api-guide#deprecated."
    ]


def test_a_path_parameter_that_leads_to_another_operation_is_refused(serve: Serve) -> None:
    service = serve(lambda *_: EMPTY)
    with pytest.raises(ValueError, match="'id'"):
        service.client.call("get_watchlist", path={"id": ".."})
    with pytest.raises(ValueError, match="missing"):
        service.client.call("get_watchlist")
    assert service.calls == []


def test_an_error_has_the_class_of_its_code(serve: Serve) -> None:
    service = serve(lambda *_: failure(400, "INVALID_PARAM"))
    with pytest.raises(InvalidParamError) as caught:
        service.client.products.read(["x"], platform="retailer_d")
    assert (caught.value.param, caught.value.request_id) == ("ids[0]", "req_1")
    assert len(service.calls) == 1


def test_every_documented_code_has_a_class() -> None:
    assert set(_CLASSES) == ERROR_CODES


def test_a_429_is_repeated_after_the_time_in_retry_after(serve: Serve) -> None:
    service = serve(
        lambda *call: failure(429, "CONCURRENCY_LIMIT", retry_after="1") if call[3] == 0 else EMPTY
    )
    started = time.monotonic()
    service.client.products.read(["1"], platform="retailer_d")
    assert len(service.calls) == 2
    assert time.monotonic() - started >= 0.99


def test_a_call_ends_with_the_error_after_the_last_attempt(serve: Serve) -> None:
    service = serve(lambda *_: failure(429, "CONCURRENCY_LIMIT"))
    one = Client("k", str(service.base_url), attempts=2)
    with pytest.raises(ConcurrencyLimitError):
        one.call("get_account")
    assert len(service.calls) == 2


def test_a_503_of_an_item_call_is_repeated_only_if_its_charge_was_zero(serve: Serve) -> None:
    known = serve(
        lambda *call: failure(503, "UNAVAILABLE", x_service_credits="0") if not call[3] else EMPTY
    )
    known.client.products.read(["1"], platform="retailer_d")
    assert len(known.calls) == 2
    unknown = serve(lambda *_: failure(503, "UNAVAILABLE"))
    with pytest.raises(ApiError):
        unknown.client.products.read(["1"], platform="retailer_d")
    assert len(unknown.calls) == 1


def test_a_list_call_without_a_response_is_repeated_but_an_item_call_is_not(serve: Serve) -> None:
    service = serve(lambda method, _, __, n: None if method == "POST" or n == 1 else EMPTY)
    with pytest.raises(RequestConnectionError):
        service.client.products.read(["1"], platform="retailer_d")
    assert len(service.calls) == 1
    service.client.call("list_watchlists")
    assert len(service.calls) == 3


def test_the_creation_of_a_watchlist_is_repeated_with_the_same_key(serve: Serve) -> None:
    answers: list[Answer] = [None, failure(409, "CONFLICT"), (201, {}, {"id": "wl_1"})]
    service = serve(lambda *call: answers[call[3]])
    assert service.client.call("create_watchlist", body=WATCHLIST) == {"id": "wl_1"}
    assert len({call[2]["idempotency-key"] for call in service.calls}) == 1


def test_timeouts_raise_their_own_error_and_have_the_documented_defaults(serve: Serve) -> None:
    release = threading.Event()
    service = serve(lambda *_: EMPTY if release.wait(60) else None)
    with pytest.raises(RequestTimeoutError):
        service.client.call("check_offers", body={"offers": []}, timeout=0.05)
    release.set()
    operations = ["read_products", "read_offers", "check_offers", "get_account"]
    assert [timeout_of(one) for one in operations] == [300, 180, 120, 30]


def test_a_list_iterates_over_all_pages(serve: Serve) -> None:
    def page(_: str, __: str, ___: Any, n: int) -> Answer:
        more = {"next_starting_after": "cursor"} if n < 2 else {}
        data = [{"id": f"e{n}", "run_number": 9 - n}]
        return 200, {}, {"data": data, "has_more": n % 2 == 0, **more}

    service = serve(page)
    found = service.client.list("list_webhook_deliveries", query={"limit": 1})
    assert [one["id"] for one in found] == ["e0", "e1"]
    list(service.client.list("list_watchlist_runs", path={"id": "wl_1"}))
    list(service.client.list("list_watchlist_items", path={"id": "wl_1"}))
    assert [call[1] for call in service.calls] == [
        "/v1/webhook_deliveries?limit=1",
        "/v1/webhook_deliveries?limit=1&starting_after=cursor",
        "/v1/watchlists/wl_1/runs",
        "/v1/watchlists/wl_1/runs?before_run=7",
        "/v1/watchlists/wl_1/items",
        "/v1/watchlists/wl_1/items?starting_after=e4",
    ]


def test_a_list_without_further_pages_raises_if_there_are_more_entries(serve: Serve) -> None:
    service = serve(lambda *_: (200, {}, {"data": [{"id": "wl_1"}], "has_more": True}))
    found = service.client.list("list_watchlists", query={"limit": 1})
    assert next(found)["id"] == "wl_1"
    with pytest.raises(ValueError, match="list_watchlists returns only one page"):
        next(found)


def test_the_feed_continues_after_the_last_event(serve: Serve) -> None:
    service = serve(
        lambda *call: (
            200,
            {},
            {"data": [{"id": f"evt_{call[3]}"}], "has_more": False, "next_after": f"evt_{call[3]}"},
        )
    )
    assert [event["id"] for event in service.client.events.all()] == ["evt_0"]
    tail = service.client.events.tail("evt_a", poll_seconds=0)
    assert [next(tail)["id"], next(tail)["id"]] == ["evt_1", "evt_2"]
    assert service.calls[-1][1] == "/v1/events?after=evt_1"


def catalog(fail_at: str | None = None) -> Script:
    def script(_: str, path: str, body: Any, __: int) -> Answer:
        if path == "/v1/account":
            return 200, {}, {"concurrency": {"limit": 3}}
        if path == "/v1/platforms":
            tiers = [{"id": "standard", "max_items_per_call": 1_000}]
            endpoints = [{"id": "products", "tiers": tiers}]
            return 200, {}, {"data": [{"id": "retailer_c", "endpoints": endpoints}]}
        if fail_at in body["ids"]:
            return failure(402, "INSUFFICIENT_CREDITS")
        results = [{"id": one, "status": "ok"} for one in body["ids"]]
        return 200, {}, {"results": results, "credits": len(results)}

    return script


def test_50000_ids_are_read_in_order_with_only_a_few_batches_in_memory(serve: Serve) -> None:
    service = serve(catalog())
    taken = used = ahead = 0

    def ids() -> Iterator[str]:
        nonlocal taken, ahead
        for number in range(50_000):
            taken += 1
            ahead = max(ahead, taken - used)
            yield str(100_000 + number)

    for product in service.client.products.read_all(ids(), platform="retailer_c"):
        assert product["id"] == str(100_000 + used)
        used += 1
    assert used == 50_000
    assert ahead <= 4_000


def test_a_read_continues_at_a_stored_position(serve: Serve) -> None:
    ids = [str(100_000 + number) for number in range(4_500)]
    found: list[str] = []
    position = 0

    def read(service: Service, start: int) -> None:
        nonlocal position
        batches = service.client.products.read_batches(ids, platform="retailer_c", start=start)
        for batch in batches:
            found.extend(one["id"] for one in batch.results)
            position = batch.position

    with pytest.raises(ApiError):
        read(serve(catalog("102500")), 0)
    assert position == 2_000
    read(serve(catalog()), position)
    assert found == ids


INTERRUPTED = """
from retail_product_data import Client

try:
    with Client() as client:
        ids = map(str, range(100_000, 150_000))
        for batch in client.products.read_batches(ids, platform="retailer_c"):
            print(batch.position, flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_a_read_without_its_calls_and_their_retries(serve: Serve) -> None:
    release = threading.Event()
    in_progress = threading.Semaphore(0)

    def script(method: str, path: str, body: Any, n: int) -> Answer:
        if method == "GET" or "100000" in body["ids"]:
            return catalog()(method, path, body, n)
        in_progress.release()
        if "101000" in body["ids"]:
            return failure(429, "CONCURRENCY_LIMIT", retry_after="60")
        release.wait()
        return None

    service = serve(script)
    reader = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        env={**os.environ, "RPD_BASE_URL": service.base_url, "RPD_API_KEY": "svc_live_1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        for _ in range(3):
            assert in_progress.acquire(timeout=60)
        assert reader.stdout is not None and reader.stdout.readline() == "1000\n"
        reader.send_signal(signal.SIGINT)
        # If the read waits for its calls in progress, the process never ends. If it waits for the
        # retry, the process ends after 60 s.
        assert reader.communicate(timeout=30) == ("interrupted\n", "")
        assert reader.returncode == 0
    finally:
        reader.kill()
        release.set()


def test_a_read_that_its_caller_ends_early_begins_no_retry(serve: Serve) -> None:
    refused = threading.Event()

    def script(method: str, path: str, body: Any, n: int) -> Answer:
        if method == "GET" or "100000" in body["ids"]:
            return catalog()(method, path, body, n)
        refused.set()
        return failure(429, "CONCURRENCY_LIMIT", retry_after="1")

    service = serve(script)
    ids = [str(100_000 + number) for number in range(2_000)]
    for batch in service.client.products.read_batches(ids, platform="retailer_c", concurrency=2):
        assert batch.position == 1_000
        assert refused.wait(60)
        threads = [one for one in threading.enumerate() if one.name == "read_batches"]
        break
    for thread in threads:
        thread.join(60)
    assert [call[0] for call in service.calls].count("POST") == 2


def sign(secret: str, body: bytes, at: float) -> str:
    digest = hmac.new(secret.encode(), f"{int(at)}.".encode() + body, "sha256").hexdigest()
    return f"t={int(at)},v1={digest}"


def test_a_signature_is_verified_with_either_secret() -> None:
    body = b'{"id":"evt_1"}'
    headers = {"Service-Signature": sign("whsec_1", body, time.time())}
    assert verify_webhook(body, headers, ["whsec_2", "whsec_1"])["id"] == "evt_1"
    old = {"service-signature": sign("whsec_1", body, time.time() - 302)}
    for given, text, secret in [
        (headers, body, "whsec_2"),
        (headers, body + b" ", "whsec_1"),
        (old, body, "whsec_1"),
        ({}, body, "whsec_1"),
    ]:
        with pytest.raises(SignatureError):
            verify_webhook(text, given, secret)


def write_run(root: Path, number: int) -> Path:
    folder = root / f"shop/events/v=2/dt=2026-11-23/watchlist_id=wl_1/run_number=0000000{number}"
    folder.mkdir(parents=True)
    objects = []
    for part in (1, 2):
        name = f"0000{part}-changed-evt_{number}{part}.jsonl.gz"
        content = gzip.compress(json.dumps({"id": f"evt_{number}{part}"}).encode())
        (folder / name).write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        objects.append({"key": f"shop/x/{name}", "bytes": len(content), "sha256": digest})
    digest = hashlib.sha256(f"evt_{number}1\nevt_{number}2".encode()).hexdigest()
    manifest = {"objects": objects, "totals": {"objects": 2}, "digest": digest}
    (folder / "_manifest.json").write_text(json.dumps(manifest))
    return folder


def test_an_export_yields_the_events_of_complete_runs(tmp_path: Path) -> None:
    write_run(tmp_path, 1)
    second = write_run(tmp_path, 2)
    ids = [event["id"] for event in read_events(FolderStore(tmp_path), prefix="shop/")]
    assert ids == ["evt_11", "evt_12", "evt_21", "evt_22"]
    (second / "_manifest.json").unlink()
    assert len(list(read_events(FolderStore(tmp_path), prefix="shop/"))) == 2


@pytest.mark.parametrize("damage", ["missing", "changed", "digest", "manifest"])
def test_reading_a_damaged_export_raises_an_error(tmp_path: Path, damage: str) -> None:
    folder = write_run(tmp_path, 1)
    if damage == "missing":
        (folder / "00002-changed-evt_12.jsonl.gz").unlink()
    elif damage == "changed":
        (folder / "00002-changed-evt_12.jsonl.gz").write_bytes(gzip.compress(b'{"id":"evt_12"} '))
    elif damage == "manifest":
        (folder / "_manifest.json").write_text("{}")
    else:
        manifest = json.loads((folder / "_manifest.json").read_text())
        (folder / "_manifest.json").write_text(json.dumps({**manifest, "digest": "0" * 64}))
    with pytest.raises(ExportError):
        list(read_events(FolderStore(tmp_path), prefix="shop/"))


def test_a_retry_after_of_more_than_a_minute_ends_the_call(serve: Serve) -> None:
    service = serve(lambda *_: failure(429, "RATE_LIMITED", retry_after="999999999"))
    with pytest.raises(ApiError):
        service.client.call("get_account")
    assert len(service.calls) == 1


def test_a_404_without_the_json_of_the_service_is_not_repeated(serve: Serve) -> None:
    service = serve(lambda *_: (404, {}, "not here"))
    with pytest.raises(ApiError) as caught:
        service.client.call("get_account")
    assert (caught.value.code, caught.value.status) == ("UNEXPECTED_RESPONSE", 404)
    assert len(service.calls) == 1


@pytest.mark.parametrize("body", ["not here", "[]"])
def test_a_200_without_the_json_of_the_service_is_an_error_and_is_not_repeated(
    serve: Serve, body: str
) -> None:
    service = serve(lambda *_: (200, {}, body))
    with pytest.raises(ApiError, match="get_account is not JSON of the service") as caught:
        service.client.call("get_account")
    assert (caught.value.code, caught.value.status) == ("UNEXPECTED_RESPONSE", 200)
    assert len(service.calls) == 1


def test_a_read_refuses_a_string_as_ids_and_numbers_that_are_too_small(serve: Serve) -> None:
    service = serve(catalog())
    read_all = service.client.products.read_all
    with pytest.raises(TypeError, match="must be a list of IDs, not a string"):
        list(read_all("9000001", platform="retailer_c"))
    for name, value in (("concurrency", 0), ("batch_size", 0), ("start", -1)):
        with pytest.raises(ValueError, match=f"'{name}' must be an integer of at least"):
            list(read_all(["1"], platform="retailer_c", **{name: value}))
    assert service.calls == []


def test_the_error_names_a_wrong_operation_platform_or_address(serve: Serve) -> None:
    service = serve(catalog())
    with pytest.raises(ValueError, match="no operation 'getAccount'. Did you mean 'get_account'?"):
        service.client.call("getAccount")
    with pytest.raises(ValueError, match="no platform 'retailer_x'. Set 'platform' to one of: retailer_c."):
        list(service.client.products.read_all(["1"], platform="retailer_x"))
    with pytest.raises(ValueError, match="must be an http or https URL"):
        Client("k", "localhost:3000")
    service.server.server_close()
    with pytest.raises(RequestConnectionError, match=f"no complete response from {service.base_url}"):
        Client("k", service.base_url, attempts=1).call("get_account")


def test_reading_an_export_from_a_missing_folder_raises_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        list(read_events(FolderStore(tmp_path / "missing")))


@pytest.mark.parametrize("since", ["yesterday", "2026-02-31"])
def test_reading_an_export_refuses_a_since_that_is_not_a_date(tmp_path: Path, since: str) -> None:
    with pytest.raises(ValueError, match="'since' must be a UTC date"):
        list(read_events(FolderStore(tmp_path), since=since))


def test_verifying_a_delivery_refuses_a_parsed_body_and_a_missing_secret() -> None:
    missing: Any = None
    parsed: Any = {"id": "evt_1"}
    for secret in (missing, [], [None]):
        with pytest.raises(TypeError, match="'secret' is missing"):
            verify_webhook(b"{}", {}, secret)
    with pytest.raises(TypeError, match="'body' must be the raw body"):
        verify_webhook(parsed, {}, "whsec_1")
