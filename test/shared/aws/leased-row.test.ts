import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type LeasedRows, leasedRows } from "../../../shared/aws/leased-row.ts";
import { startTables, type TestTables } from "../../support/tables.ts";

const account = "acct_1";
const id = "dlv_1";
const now = new Date("2026-11-20T10:00:00.000Z");
const until = new Date("2026-11-20T10:01:00.000Z");
const later = new Date("2026-11-20T10:05:00.000Z");
const row = {
  attributes: { state: "pending", attempt: 0 },
  createdAt: now.toISOString(),
  dueAt: now.toISOString(),
  lease: null,
};

let tables: TestTables;
let rows: LeasedRows;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.stop());
beforeEach(async () => {
  const tableName = await tables.create();
  rows = leasedRows(tables.client, { tableName, kind: "delivery" });
});

const claim = (token: string, at = now, attempt = 1) =>
  rows.claim(account, id, { token, now: at, until: new Date(at.getTime() + 60_000), attempt });

describe("leasedRows", () => {
  it("opens a row once, whoever asks, and again for the holder of the lease", async () => {
    const lease = { token: "mine", until };

    expect(await rows.open(account, id, { ...row, lease })).toBe(true);
    expect(await rows.open(account, id, { ...row, lease })).toBe(true);
    expect(await rows.open(account, id, { ...row, lease: { ...lease, token: "other" } })).toBe(
      false,
    );
    expect(await rows.open(account, id, row)).toBe(false);
    expect(await rows.get("acct_2", id)).toBeUndefined();
  });

  it("is taken by one of many, and by another only when the lease is over", async () => {
    await rows.open(account, id, row);

    const claims = await Promise.all(["a", "b", "c", "d"].map((token) => claim(token)));
    expect(claims.filter(Boolean)).toHaveLength(1);

    expect(await claim("e", new Date(until.getTime() - 1), 2)).toBe(false);
    expect(await claim("e", until, 2)).toBe(true);
  });

  it("recognises the holder's own claim when its answer was lost", async () => {
    await rows.open(account, id, row);

    expect(await claim("mine")).toBe(true);
    expect(await claim("mine")).toBe(true);
    expect(await rows.get(account, id)).toMatchObject({ attempt: 1 });
  });

  it("refuses a claim that is early, or made on an older look at the row", async () => {
    await rows.open(account, id, { ...row, dueAt: later.toISOString() });
    expect(await claim("early")).toBe(false);

    expect(await claim("first", later)).toBe(true);
    expect(await claim("old", new Date(later.getTime() + 60_000))).toBe(false);
  });

  it("changes only for the holder of the lease", async () => {
    await rows.open(account, id, row);
    await claim("mine");
    const change = { set: { state: "done" }, dueAt: null, keepLease: false };

    expect(await rows.change(account, id, { ...change, token: "other" })).toBe(false);
    expect(await rows.change(account, id, { ...change, token: "mine" })).toBe(true);
    expect(await rows.change(account, id, { ...change, token: "mine" })).toBe(false);

    const stored = await rows.get(account, id);
    expect(stored).toMatchObject({ state: "done" });
    expect(stored).not.toHaveProperty("due_at");
    expect(stored).not.toHaveProperty("due_kind");
    expect(await claim("late", later, 2)).toBe(false);
  });
});
