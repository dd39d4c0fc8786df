import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  PutCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { accountKeys, watchlistKeys } from "../../../shared/aws/table/table.ts";
import { dynamoPageStore } from "../../../shared/aws/watchlists/page-store.ts";
import { systemClock, systemRandom } from "../../../shared/base/system.ts";
import type { WrittenVersions } from "../../../shared/base/stored-versions.ts";
import { newItem } from "../../../shared/watchlists/item.ts";
import { pageBounds } from "../../../shared/watchlists/page.ts";
import { migrationsOf } from "../../../tools/migrations/migrations.ts";
import { type MigrationRun, runMigration } from "../../../tools/migrations/run-migration.ts";
import { kindsAt } from "../../support/next-versions.ts";
import { openTables } from "../../support/tables.ts";
import { watchedClient } from "../../support/watched-client.ts";

const engine = openTables();
const clock = { ...systemClock, sleep: async () => {} };
const time = { clock, random: systemRandom };
let table: string;
const warnings: string[] = [];

beforeEach(async () => {
  table = await engine.create();
  warnings.length = 0;
});

const tablesOf = (name: string) => ({
  accounts: name,
  ledger: name,
  watchlists: name,
  deliveries: name,
});

const put = (item: object) =>
  engine.client.send(new PutCommand({ TableName: table, Item: { ...item } }));

const runKey = (number: number) => watchlistKeys.run("wl_1", number);
const olderRun = (number: number) => ({
  ...runKey(number),
  progress_at: `p${number}`,
  phase: "done",
});
const newerRun = (number: number) => ({
  ...runKey(number),
  advanced_at: `p${number}`,
  phase: "done",
  stored_version: 2,
});

const runRows = async () => {
  const { Items = [] } = await engine.client.send(new ScanCommand({ TableName: table }));
  return Items.filter(({ sk }) => String(sk).startsWith("run#")).toSorted((one, other) =>
    String(one["sk"]).localeCompare(String(other["sk"])),
  );
};

interface Wanted extends Partial<MigrationRun> {
  readonly to?: WrittenVersions;
  readonly name?: string;
}

function migrateRuns({ to = "current", client = engine.client, name, ...run }: Wanted = {}) {
  const tables = tablesOf(table);
  const wanted = name ?? (to === "current" ? "run-version-2" : "run-version-1");
  const migrations = migrationsOf({ client, tables, ...time, to, kinds: kindsAt(2) });
  const migration = migrations.find((one) => one.name === wanted);
  if (migration === undefined) throw new Error(`no migration ${wanted}`);
  return runMigration(migration, {
    client,
    tables,
    isDryRun: false,
    report: () => {},
    warn: (line) => void warnings.push(line),
    ...run,
  });
}

describe("a migration of rows", () => {
  it("converts rows of the previous version, and returns the numbers of read and converted rows", async () => {
    for (const row of [olderRun(1), newerRun(2), olderRun(3)]) await put(row);
    await put({ ...watchlistKeys.purge("wl_1"), progress_at: "other" });

    expect(await migrateRuns()).toEqual({ read: 4, pending: 2, migrated: 2, failed: 0 });
    expect(await runRows()).toEqual([newerRun(1), newerRun(2), newerRun(3)]);
  });

  it("converts rows of the newest version back to the previous version if the migration is reversed", async () => {
    for (const row of [olderRun(1), newerRun(2)]) await put(row);

    expect(await migrateRuns({ to: "previous" })).toMatchObject({ pending: 1, migrated: 1 });
    expect(await runRows()).toEqual([olderRun(1), olderRun(2)]);
  });

  it("changes no row in a dry run, and returns how many rows it would convert", async () => {
    for (const row of [olderRun(1), newerRun(2)]) await put(row);
    const readOnly = watchedClient(engine.client, (command, send) => {
      expect(command).toBeInstanceOf(ScanCommand);
      return send();
    });

    const tally = await migrateRuns({ isDryRun: true, client: readOnly });
    expect(tally).toEqual({ read: 2, pending: 1, migrated: 0, failed: 0 });
    expect(await runRows()).toEqual([olderRun(1), newerRun(2)]);
  });

  /** Returns a client whose third scan fails. */
  const interrupted = (): DynamoDBDocumentClient => {
    let scans = 0;
    return watchedClient(engine.client, async (command, send) => {
      scans += command instanceof ScanCommand ? 1 : 0;
      if (scans === 3) throw new Error("the connection broke");
      return send();
    });
  };

  it("converts all remaining rows when it is repeated after an interruption", async () => {
    for (let number = 1; number <= 7; number += 1) await put(olderRun(number));
    await expect(migrateRuns({ client: interrupted(), pageRows: 2 })).rejects.toThrow("broke");
    expect((await runRows()).slice(3, 5)).toEqual([newerRun(4), olderRun(5)]);
    await put(olderRun(1));

    const rest = await migrateRuns({ pageRows: 2 });
    expect(rest).toEqual({ read: 7, pending: 4, migrated: 4, failed: 0 });
    expect(await runRows()).toEqual([1, 2, 3, 4, 5, 6, 7].map(newerRun));
    expect(await migrateRuns()).toEqual({ read: 7, pending: 0, migrated: 0, failed: 0 });
  });

  it("continues after a row that cannot be converted, and reports this row as failed", async () => {
    await put({ ...olderRun(1), stored_version: 9 });
    await put(olderRun(2));

    expect(await migrateRuns()).toMatchObject({ pending: 2, migrated: 1, failed: 1 });
    expect(warnings).toEqual([
      expect.stringMatching(
        /^watchlist#wl_1 \/ run#00000001: .*has version 9, and this release accepts 1 and 2/,
      ),
    ]);
  });
});

describe("a migration of a row during writes of other processes", () => {
  const disturbed = (disturb: (attempt: number) => Promise<unknown>): DynamoDBDocumentClient => {
    let attempts = 0;
    return watchedClient(engine.client, async (command, send) => {
      if (command instanceof UpdateCommand) {
        attempts += 1;
        await disturb(attempts);
      }
      return send();
    });
  };

  it("repeats the conversion after a change of the row or a conflict of transactions", async () => {
    await put(olderRun(1));
    const client = disturbed(async (attempt) => {
      if (attempt === 1) await put({ ...olderRun(1), progress_at: "later" });
      if (attempt === 2) {
        throw new TransactionConflictException({ message: "busy", $metadata: {} });
      }
    });

    expect(await migrateRuns({ client })).toMatchObject({ pending: 1, migrated: 1, failed: 0 });
    expect(await runRows()).toEqual([{ ...newerRun(1), advanced_at: "later" }]);
  });

  it("counts the row as failed if another process changes the row during every attempt", async () => {
    await put(olderRun(1));
    const client = disturbed((attempt) =>
      put({ ...olderRun(1), progress_at: `change ${attempt}` }),
    );

    expect(await migrateRuns({ client })).toMatchObject({ pending: 1, migrated: 0, failed: 1 });
    expect(warnings).toEqual([
      expect.stringContaining("other processes changed the row during each of 10 attempts"),
    ]);
  });
});

describe("the migrations of a release", () => {
  it("first move the credits of accounts older than release 0.1.0 to shards, or in the reverse direction merge changed items into their pages", () => {
    const options = { client: engine.client, tables: tablesOf("any"), ...time };
    const names = (to: WrittenVersions) => migrationsOf({ ...options, to }).map(({ name }) => name);

    expect(names("current")).toEqual(["account-shards"]);
    expect(names("previous")).toEqual(["page-changes"]);
  });

  it("move the credits only of accounts without shards", async () => {
    const account = { ...accountKeys.account("acct_1"), sequence: 1, concurrency: 1 };
    const credits = { balance: 5, held: 0, spent: 0, in_flight: 0 };
    await put({ ...account, ...credits });
    await put({ ...accountKeys.account("acct_2"), shards: 1 });

    expect(await migrateRuns({ name: "account-shards" })).toMatchObject({
      pending: 1,
      migrated: 1,
    });
    expect(await migrateRuns({ name: "account-shards" })).toMatchObject({ pending: 0 });
  });
});

describe("the migration page-changes", () => {
  const ids = ["10001", "10002", "10003"];
  const list = { accountId: "acct_1", watchlistId: "wl_1" };
  const storeOf = (writesSecondRows: boolean, client = engine.client) =>
    dynamoPageStore(client, {
      ...time,
      table,
      writesSecondRows,
      bounds: { ...pageBounds, secondRowShareMax: 10, secondRowBytesMin: 0 },
    });
  const pages = () => Array.fromAsync(storeOf(false).pages(list.watchlistId));
  const revisions = async () =>
    (await pages()).flatMap(({ items }) => items.map(({ revision }) => revision));

  /** Changes one item of the page. */
  async function changeItem(n: number, revision: number): Promise<void> {
    const store = storeOf(true);
    const [page] = await Array.fromAsync(store.pages(list.watchlistId));
    if (page === undefined) throw new Error("The watchlist has no page");
    const item = page.items[n] ?? newItem("", "");
    expect(await store.replaceItems(list, page, [{ ...item, revision }])).toBe("replaced");
  }

  beforeEach(async () => {
    const items = ids.map((id) => newItem(id, "2026-03-01T00:00:00.000Z"));
    await storeOf(true).create(list.watchlistId, items);
    // The first change of the page adds its second row.
    await changeItem(0, 1);
    await changeItem(1, 2);
  });

  const migrate = (client = engine.client) =>
    migrateRuns({ to: "previous", name: "page-changes", client });

  it("writes each page and its changed items as one row", async () => {
    expect(await migrate()).toMatchObject({ pending: 1, migrated: 1, failed: 0 });

    expect(await migrate()).toMatchObject({ pending: 0 });
    expect(await revisions()).toEqual([1, 2, 0]);
    expect((await pages()).map(({ secondRow }) => secondRow)).toEqual([null]);
  });

  it("keeps an item that another process changes at the same time", async () => {
    let isFirst = true;
    const client = watchedClient(engine.client, async (command, send) => {
      if (isFirst && command instanceof TransactWriteCommand) {
        isFirst = false;
        await changeItem(2, 3);
      }
      return send();
    });

    expect(await migrate(client)).toMatchObject({ migrated: 1, failed: 0 });
    expect(await revisions()).toEqual([1, 2, 3]);
    expect((await pages()).map(({ secondRow }) => secondRow)).toEqual([null]);
  });

  it("does nothing if another process has deleted the page", async () => {
    const client = watchedClient(engine.client, async (command, send) => {
      const answer = await send();
      if (command instanceof ScanCommand) await storeOf(false).removeAll(list.watchlistId);
      return answer;
    });

    expect(await migrate(client)).toMatchObject({ pending: 1, migrated: 1, failed: 0 });
    expect(await pages()).toEqual([]);
  });
});
