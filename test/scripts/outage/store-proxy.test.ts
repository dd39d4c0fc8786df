import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startStoreProxy, type StoreProxy } from "../../../scripts/outage/store-proxy.ts";
import { recordRow } from "../../../shared/aws/ledger/journal-row.ts";
import { type JournalRecord, stampOf } from "../../../shared/credits/journal.ts";

/** Bodies of the requests that the store executed. */
const executed: string[] = [];
const store = createServer((request, response) => {
  void text(request).then((body) => {
    executed.push(body);
    response.end(`executed ${body}`);
  });
});
let proxy: StoreProxy;
beforeEach(async () => {
  executed.length = 0;
  store.listen(0, "127.0.0.1");
  await once(store, "listening");
  const { port } = store.address() as AddressInfo;
  proxy = await startStoreProxy(`http://127.0.0.1:${port}`, 1);
});
afterEach(async () => {
  await proxy.stop();
  const closed = once(store, "close");
  store.close();
  store.closeAllConnections();
  await closed;
});

/** Returns the body of a request that adds a record to the journal of a shard. */
const updateWith = (record: JournalRecord): string =>
  JSON.stringify({
    ExpressionAttributeValues: {
      ":record": { M: marshall(recordRow(record), { removeUndefinedValues: true }) },
    },
  });

interface Request {
  readonly operation?: string;
  readonly signal?: AbortSignal;
}
const send = async (
  body: string,
  { operation = "TransactWriteItems", signal }: Request = {},
): Promise<string> => {
  const response = await fetch(proxy.url, {
    method: "POST",
    headers: { "X-Amz-Target": `DynamoDB_20120810.${operation}` },
    body,
    ...(signal === undefined ? {} : { signal }),
  });
  return response.text();
};

it.each(["healthy", "slow"] as const)(
  "the outage test's proxy forwards requests and responses while the store is in the state '%s'",
  async (mode) => {
    await proxy.set(mode);
    expect(await send("one")).toBe("executed one");
  },
);

it("the outage test's proxy refuses connections while the store is killed", async () => {
  await proxy.set("killed");
  await expect(send("one")).rejects.toThrow("fetch failed");
  await proxy.set("healthy");
  expect(await send("two")).toBe("executed two");
  expect(executed).toEqual(["two"]);
});

it("the outage test's proxy holds requests while the store hangs, and later forwards even requests that the client has aborted", async () => {
  await proxy.set("hanging");
  const client = new AbortController();
  const answer = send("one", { signal: client.signal }).catch(() => "aborted");
  await expect.poll(() => proxy.held()).toBe(1);
  client.abort();
  expect(await answer).toBe("aborted");
  expect(executed).toEqual([]);
  await proxy.set("healthy");
  expect(executed).toEqual(["one"]);
});

it("the outage test's proxy, in the mode that hangs at the charge, forwards the requests before the first charge, and holds the charge and all later requests", async () => {
  await proxy.set("hanging at the charge");
  const at = stampOf(new Date("2026-03-01T00:00:00Z"));
  const call = { at, holdId: "h1", source: { requestId: "req_1" } };
  const reserve = updateWith({ ...call, type: "reserve", credits: 3 });
  expect(await send(reserve, { operation: "UpdateItem" })).toContain("executed");
  const settlement = { charged: 2, refunded: 1, items: 2, succeeded: true };
  const settle = updateWith({ ...call, ...settlement, type: "settle" });
  const charging = send(settle, { operation: "UpdateItem" });
  await expect.poll(() => proxy.held()).toBe(1);
  const after = send("a read");
  await expect.poll(() => proxy.held()).toBe(2);
  await proxy.set("healthy");
  expect(await charging).toBe(`executed ${settle}`);
  expect(await after).toBe("executed a read");
});

it("the outage test's proxy, in the mode that hangs after the key check, forwards only requests that check an API key", async () => {
  await proxy.set("hanging after the key check");
  const keyRow = '{"Key":{"pk":{"S":"key#1"}}}';
  expect(await send(keyRow, { operation: "UpdateItem" })).toBe(`executed ${keyRow}`);
  expect(await send(keyRow, { operation: "GetItem" })).toBe(`executed ${keyRow}`);
  const creating = send(keyRow, { operation: "TransactWriteItems" });
  await expect.poll(() => proxy.held()).toBe(1);
  const reading = send("an account", { operation: "GetItem" });
  await expect.poll(() => proxy.held()).toBe(2);
  await proxy.set("healthy");
  expect(await creating).toBe(`executed ${keyRow}`);
  expect(await reading).toBe("executed an account");
});
