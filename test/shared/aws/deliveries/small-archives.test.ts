import { GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { archiveWrite, smallArchives } from "../../../../shared/aws/deliveries/small-archives.ts";
import { deliveryKeys, epochSeconds } from "../../../../shared/aws/table/table.ts";
import { openTables } from "../../../support/tables.ts";

const tables = openTables();
const run = { accountId: "acct_1", runId: "wlrun_1" };
const endedAt = "2026-11-20T10:00:00.000Z";
const archive = { index: Buffer.from("index"), lines: Buffer.from("lines") };
let table: string;
beforeEach(async () => {
  table = await tables.create();
});

describe("smallArchives, which reads the archives of small runs,", () => {
  it("returns the archive from a row, which expires when the objects of larger runs do", async () => {
    await tables.client.send(
      new TransactWriteCommand({
        TransactItems: [archiveWrite(table, { ...run, endedAt }, archive)],
      }),
    );

    const small = await smallArchives(tables.client, table)(run);
    expect(Buffer.from(small?.index ?? []).toString()).toBe("index");
    expect(Buffer.from(small?.lines ?? []).toString()).toBe("lines");
    const Key = deliveryKeys.runArchive(run.accountId, run.runId);
    const { Item } = await tables.client.send(new GetCommand({ TableName: table, Key }));
    expect(Item?.["ttl"]).toBe(epochSeconds(new Date(endedAt)) + 35 * 86_400);
  });

  it("returns null for a run whose events are stored as objects", async () => {
    expect(await smallArchives(tables.client, table)(run)).toBeNull();
  });
});
