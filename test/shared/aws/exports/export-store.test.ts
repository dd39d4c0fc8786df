import { BatchWriteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { dynamoExportStore, exportWrite } from "../../../../shared/aws/exports/export-store.ts";
import { deliveryKeys } from "../../../../shared/aws/table/table.ts";
import { derivedIdAt } from "../../../../shared/base/ids.ts";
import { type ExportRecord, newExport } from "../../../../shared/exports/export-record.ts";
import type { ExportStore } from "../../../../shared/exports/export-store.ts";
import { openTables } from "../../../support/tables.ts";

const tables = openTables();
let table: string;
let store: ExportStore;
beforeEach(async () => {
  table = await tables.create();
  store = dynamoExportStore(tables.client, table);
});

function anExport(n: number, wanted: Partial<ExportRecord> = {}): ExportRecord {
  const at = new Date(Date.parse("2026-11-20T10:00:00.000Z") + n * 1_000);
  const id = derivedIdAt("export", at, n);
  const run = { runId: `wlrun_${n}`, watchlistId: "wl_1", runNumber: n };
  return { ...newExport({ id, ...run, createdAt: at.toISOString() }), ...wanted };
}

async function keep(records: readonly ExportRecord[]): Promise<void> {
  const puts = records.map((record) => ({
    PutRequest: { Item: exportWrite(table, "acct_1", record).Put?.Item ?? {} },
  }));
  for (let start = 0; start < puts.length; start += 25) {
    const RequestItems = { [table]: puts.slice(start, start + 25) };
    await tables.client.send(new BatchWriteCommand({ RequestItems }));
  }
}

describe("the export log in DynamoDB", () => {
  it("returns an export unchanged to its own account until two days after its event bodies expire", async () => {
    const record = anExport(1, {
      state: "failed",
      objects: 3,
      bytes: 99,
      destinationRevision: "r1",
      compression: "none",
      manifestKey: "k",
      attemptCount: 11,
      tries: 10,
      lastError: "SlowDown",
      nextAttemptAt: "2026-11-20T12:00:00.000Z",
      finishedAt: "2026-11-20T13:00:00.000Z",
    });
    await keep([record]);

    expect(await store.get("acct_1", record.id)).toEqual(record);
    expect(await store.get("acct_2", record.id)).toBeNull();
    const Key = deliveryKeys.export("acct_1", record.id);
    const { Item } = await tables.client.send(new GetCommand({ TableName: table, Key }));
    expect(Item?.["ttl"]).toBe(Date.parse("2026-12-27T10:00:01.000Z") / 1_000);
  });

  it("returns an export that the previous release stored without a compression", async () => {
    const record = anExport(1);
    const { compression: _, ...Item } = exportWrite(table, "acct_1", record).Put?.Item ?? {};
    await tables.client.send(new PutCommand({ TableName: table, Item }));

    expect(await store.get("acct_1", record.id)).toEqual({ ...record, compression: null });
  });

  it("returns no cursor with the page that ends with the oldest export", async () => {
    await keep([1, 2, 3, 4].map((n) => anExport(n)));
    const wanted = { before: null, state: null };

    expect((await store.list("acct_1", { ...wanted, limit: 4 })).lastId).toBeNull();
    const page = await store.list("acct_1", { ...wanted, limit: 3 });
    expect(page.exports.map(({ runNumber }) => runNumber)).toEqual([4, 3, 2]);
    expect(page.lastId).toBe(anExport(2).id);
  });

  it("ends a filtered page after reading 1,000 exports, and continues the next page from there", async () => {
    const records = Array.from({ length: 1_203 }, (_, n) => anExport(n));
    await keep([...records, anExport(2, { state: "failed" })]);
    const wanted = { limit: 10, state: "failed" } as const;
    const first = await store.list("acct_1", { ...wanted, before: null });

    expect(first).toEqual({ exports: [], lastId: anExport(203).id });
    const second = await store.list("acct_1", { ...wanted, before: first.lastId });
    expect(second.exports.map(({ runNumber }) => runNumber)).toEqual([2]);
    expect(second.lastId).toBeNull();
  });
});
