/**
 * Tests that `reconcile` reports each inconsistency in the shards of an account, and nothing else.
 */
import { setTimeout as delay } from "node:timers/promises";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import { dueTimeOf } from "../../../shared/aws/table/due-partitions.ts";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { dynamoCreditChanges } from "../../../tools/credits/dynamo-credit-changes.ts";
import { dynamoLedger } from "../../../shared/aws/ledger/ledger.ts";
import { accountKeys, ledgerKeys, type RowKey } from "../../../shared/aws/table/table.ts";
import { countingRandom } from "../../support/clock.ts";
import {
  add,
  type Change,
  client,
  found,
  deleted,
  names,
  differencesAfter as differencesAfterIn,
  put,
  remove,
  rowAt,
  set,
  startWorld,
  without,
  withTables,
  type World,
} from "./world.ts";

withTables();

const farOff = "2099-01-01T00:00:00.000Z";
const longAgo = "2026-01-01T00:00:00.000Z";
const day = "2026-03-01";

let world: World;
/** Keys of the pages of shard 0, in order. */
let pages: readonly RowKey[];

/**
 * Creates an account with two shards: an open hold in each, transfers between them, and pages of
 * the first.
 */
beforeAll(async () => {
  world = await startWorld();
  const { bench, accountId } = world;
  const { ledger, clock } = bench;
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + 600_000);
  const reserve = async (holdId: string): Promise<void> => {
    const source = { requestId: holdId };
    await ledger.reserve({ accountId, holdId, credits: 2, slot: true, source, now, expiresAt });
  };
  const settle = (holdId: string) =>
    ledger.settle({ accountId, holdId, credits: 1, succeeded: true, now });
  for (let n = 10; n < 30; n += 1) {
    await reserve(`req_${n}`);
    await settle(`req_${n}`);
  }
  // One slot of the first shard is in use, so the last of these calls is in the other shard.
  const calls = Array.from({ length: 10 }, (_, n) => `req_${n}`);
  for (const holdId of calls) await reserve(holdId);
  for (const holdId of calls.slice(0, 9)) await settle(holdId);
  await ledger.cancel({ accountId, holdId: "req_done", now });
  // Ledgers copy the journal to pages in the background, so this waits for three pages.
  for (pages = await pagesOf(0); pages.length < 3; pages = await pagesOf(0)) await delay(20);
});

const journalOf = async (number: number): Promise<Row[]> =>
  (await rowAt(...shard(number)))["journal"] as Row[];

async function pagesOf(number: number): Promise<readonly RowKey[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: names.ledger,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": ledgerKeys.page(world.accountId, number, 0).pk },
    }),
  );
  return Items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }));
}

const ledgerOptions = () => ({
  accountsTable: names.accounts,
  ledgerTable: names.ledger,
  clock: world.bench.clock,
  random: countingRandom(3),
});

/** Returns the number of transfers in a shard's pages and journal. */
async function transfersIn(number: number): Promise<number> {
  const rows = await Promise.all((await pagesOf(number)).map((key) => rowAt(names.ledger, key)));
  const records = [...rows.flatMap((row) => row["records"] as Row[]), ...(await journalOf(number))];
  return records.filter(({ t }) => t === "x").length;
}

type Place = readonly [table: string, key: RowKey];
const differencesAfter = (...places: (readonly [...Place, Change])[]): Promise<string[]> =>
  differencesAfterIn(world, places, "account");
const account = (): Place => [names.accounts, accountKeys.account(world.accountId)];
const shard = (number: number): Place => [
  names.accounts,
  accountKeys.shard(world.accountId, number),
];
const page = (n: number): Place => [names.ledger, pages.at(n) ?? { pk: "", sk: "" }];
const hold = (id: string): Place => [names.accounts, accountKeys.hold(world.accountId, id)];
const placeOf = (number: number): string => `${world.accountId} shard ${number}`;
const stampOfPage = ([, { sk }]: Place): number => Number(sk.slice("page#".length));
const numberIn = async (place: Place, name: string): Promise<number> =>
  Number((await rowAt(...place))[name]);

/**
 * Stores another row, returns the differences that a reconciliation then finds, and removes the
 * row.
 */
async function beside(
  table: string,
  row: RowKey & Row,
  which?: "account" | "everything",
): Promise<string[]> {
  await put(table, row);
  try {
    return await found(world, which);
  } finally {
    await remove(table, { pk: row.pk, sk: row.sk });
  }
}

/**
 * Returns a change of one element of a list or map attribute. Deletes the element if `to` returns
 * null.
 */
const within =
  (name: string, key: string | number, to: (element: Row) => Row | null): Change =>
  (row) => {
    const isList = Array.isArray(row[name]);
    const elements = Object.entries(row[name] as Row).flatMap(([at, element]) => {
      const changed = at === String(key) ? to(element as Row) : (element as Row);
      return changed === null ? [] : [[at, changed] as const];
    });
    const changed = isList ? elements.map(([, element]) => element) : Object.fromEntries(elements);
    return { ...row, [name]: changed };
  };

it("reconcile reports no difference for a shard without damaged rows", async () => {
  expect(await found(world)).toEqual([]);
  expect(await found(world, "everything")).toEqual([]);
});

describe("reconcile of a shard's row", () => {
  it.each(["balance", "spent", "held", "added"])(
    "reports a wrong value of the attribute '%s'",
    async (name) => {
      for (const number of [0, 1]) {
        const value = await numberIn(shard(number), name);
        expect(await differencesAfter([...shard(number), add(name, 1)])).toEqual([
          `${placeOf(number)}: ${name} is ${value + 1}, should be ${value}`,
        ]);
      }
    },
  );

  it("reports a wrong sequence number", async () => {
    const last = await numberIn(shard(0), "sequence");
    expect(await differencesAfter([...shard(0), add("sequence", 1)])).toEqual([
      expect.stringMatching(`^${placeOf(0)} entry \\d+: row is missing, should be present$`),
    ]);
    expect(await differencesAfter([...shard(0), add("sequence", -1)])).toEqual([
      `${placeOf(0)}: sequence is ${last - 1}, should be ${last}`,
    ]);
  });

  it("reports more calls in flight than the shard has holds or slots", async () => {
    expect(await differencesAfter([...shard(0), add("in_flight", 1)])).toEqual([
      `${placeOf(0)}: in_flight is 2, should be 1`,
    ]);
    expect(await differencesAfter([...shard(0), set({ slots: 0 })])).toEqual([
      `${placeOf(0)}: in_flight is 1, should be 0 to 0`,
      `${placeOf(0)}: slots is 0, should be 10`,
    ]);
  });

  it("reports a number of slots or shards that does not match the lifetime credits", async () => {
    expect(await differencesAfter([...shard(1), set({ slots: 11, shards: 3 })])).toEqual([
      `${placeOf(1)}: shards is 3, should be 2`,
      `${placeOf(1)}: slots is 11, should be 10`,
    ]);
  });

  it("reports a fence that is lower than the stamp of the newest record", async () => {
    const newest = Number((await journalOf(1)).at(-1)?.["a"]);
    expect(await differencesAfter([...shard(1), set({ fence: newest - 1 })])).toEqual([
      `${placeOf(1)}: fence is ${newest - 1}, should be ${newest} or more`,
    ]);
  });

  it("reports that the row of a shard is missing", async () => {
    for (const number of [0, 1]) {
      expect(await differencesAfter([...shard(number), deleted])).toEqual([
        `${placeOf(number)}: row is missing, should be present`,
      ]);
    }
  });

  it("reports a row, a page or daily usage of a shard that the account does not have", async () => {
    const lines = [
      `${placeOf(2)}: a row of a shard that the account does not have is present, should be missing`,
    ];
    const { accountId } = world;
    for (const [table, key] of [
      [names.accounts, accountKeys.shard(accountId, 2)],
      [names.accounts, accountKeys.shardUsage(accountId, 2, day)],
      [names.ledger, ledgerKeys.page(accountId, 2, 1)],
    ] as const) {
      expect(await beside(table, { ...key })).toEqual(lines);
      expect(await beside(table, { ...key }, "everything")).toEqual(lines);
    }
  });
});

describe("reconcile of a shard's holds", () => {
  it("reports a hold that is missing or different in the shard's row or its records", async () => {
    const at = `${placeOf(0)} hold`;
    const more: Change = within("holds", "req_open", (row) => ({ ...row, c: 41 }));
    expect(await differencesAfter([...shard(0), more])).toEqual([
      `${at} req_open: credits is 41, should be 40`,
    ]);
    const lost: Change = (row) =>
      add("in_flight", -1)(within("holds", "req_open", () => null)(row) ?? {});
    expect(await differencesAfter([...shard(0), lost])).toEqual([
      `${at} req_open: hold is missing, should be present`,
    ]);
    const extra: Change = (row) => {
      const holds = row["holds"] as Row;
      return add("in_flight", 1)({ ...row, holds: { ...holds, req_x: holds["req_open"] } });
    };
    expect(await differencesAfter([...shard(0), extra])).toEqual([
      `${at} req_x: hold is present, should be missing`,
    ]);
  });

  it("reports a due time of the shard that is missing, too late or long past", async () => {
    expect(dueTimeOf("hold", await rowAt(...shard(1)))).not.toBeNull();
    expect(await differencesAfter([...shard(1), without("due_kind")])).toEqual([
      `${placeOf(1)}: due mark is false, should be true`,
    ]);
    for (const time of [farOff, longAgo]) {
      expect(await differencesAfter([...shard(1), set({ due_at: time })])).toEqual([
        expect.stringMatching(`^${placeOf(1)}: due_at is ${time}, should be 20\\S+ to 20\\S+$`),
      ]);
    }
  });

  it("reports a hold with a missing row, a wrong shard or a wrong charge", async () => {
    const { accountId, runs } = world;
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: names.accounts,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :hold)",
        ExpressionAttributeValues: { ":pk": hold("")[1].pk, ":hold": hold("")[1].sk },
      }),
    );
    const step = Items.find((row) => row["run_id"] === runs[0]?.id);
    const id = String(step?.["hold_id"]);
    const at = `${accountId} hold ${id}`;
    const charged = Number(step?.["charged"]);
    expect(await differencesAfter([...hold(id), deleted])).toEqual([
      `${at}: row is missing, should be present`,
    ]);
    expect(await differencesAfter([...hold(id), set({ shard: 1 })])).toEqual([
      `${at}: shard is 1, should be 0`,
    ]);
    expect(await differencesAfter([...hold(id), add("charged", -1)])).toEqual([
      `${at}: charged is ${charged - 1}, should be ${charged}`,
    ]);
  });

  it("reports a reversed charge whose hold has no row", async () => {
    expect(await differencesAfter([...hold("req_done"), deleted])).toEqual([
      `${world.accountId} hold req_done: row is missing, should be present`,
    ]);
  });
});

describe("reconcile of a shard's pages", () => {
  it("reports a missing page", async () => {
    for (const n of [0, 1, -1]) {
      expect(await differencesAfter([...page(n), deleted])).toContainEqual(
        expect.stringMatching(
          `^${placeOf(0)} entries \\d+ to \\d+: row is missing, should be present$`,
        ),
      );
    }
  });

  it("reports a page that does not continue from the end of the previous page", async () => {
    const at = `${placeOf(0)} page ${stampOfPage(page(1))}`;
    const balance = await numberIn(page(1), "balance_before");
    expect(await differencesAfter([...page(1), add("balance_before", 1)])).toContain(
      `${at}: balance_before is ${balance + 1}, should be ${balance}`,
    );
    const sequence = await numberIn(page(1), "sequence_before");
    expect(await differencesAfter([...page(1), add("sequence_before", -1)])).toContain(
      `${at}: sequence_before is ${sequence - 1}, should be ${sequence}`,
    );
  });

  it("reports two pages that contain the same records", async () => {
    const stamp = stampOfPage(page(1)) + 1;
    const key = ledgerKeys.page(world.accountId, 0, stamp);
    const lines = await beside(names.ledger, { ...(await rowAt(...page(1))), ...key });
    expect(lines).toContainEqual(
      expect.stringMatching(`^${placeOf(0)} page ${stamp}: sequence_before is `),
    );
    expect(lines).toContain(`${placeOf(0)} page ${stamp}: key is ${stamp}, should be ${stamp - 1}`);
  });

  it("reports a page with records that are also in the shard's row, or newer than those in the row", async () => {
    const row = await rowAt(...shard(1));
    const journal = row["journal"] as Row[];
    for (const records of [journal, [{ ...journal[0], a: Number(row["fence"]) + 5 }]]) {
      const [first, last] = [Number(records[0]?.["a"]), Number(records.at(-1)?.["a"])];
      const key = ledgerKeys.page(world.accountId, 1, first);
      const before = { balance_before: 0, sequence_before: 0 };
      expect(await beside(names.ledger, { ...key, ...before, records })).toEqual([
        `${placeOf(1)}: newest record in pages is ${last}, should be before ${Number(journal[0]?.["a"])}`,
      ]);
    }
  });

  it("reports stamps that do not strictly increase", async () => {
    const row = await rowAt(...page(1));
    const [first, second] = row["records"] as Row[];
    const same: Change = within("records", 1, (record) => ({ ...record, a: first?.["a"] }));
    expect(second?.["a"]).not.toBe(first?.["a"]);
    const stamp = Number(first?.["a"]);
    expect(await differencesAfter([...page(1), same])).toEqual([
      `${placeOf(0)} record ${stamp}: stamp is ${stamp}, should be more than ${stamp}`,
    ]);
  });

  it("reports an unreadable page", async () => {
    for (const change of [
      without("records"),
      within("records", 0, (row) => ({ ...row, t: "?" })),
    ]) {
      expect(await differencesAfter([...page(0), change])).toEqual([
        `${world.accountId}: row is unreadable, should be readable`,
      ]);
    }
  });
});

describe("reconcile of a shard's records", () => {
  it("reports a charge and a refund that do not add up to the reservation", async () => {
    const journal = await journalOf(0);
    const n = journal.findLastIndex(({ t }) => t === "s");
    const { h: id, r: refunded } = journal[n] ?? {};
    const wrong: Change = (row) =>
      within("journal", n, (record) => ({ ...record, r: Number(refunded) + 5 }))(
        add("balance", 5)(add("added", 5)(row) ?? {}) ?? {},
      );
    expect(await differencesAfter([...shard(0), wrong])).toContain(
      `${placeOf(0)} hold ${String(id)}: sum of charge and refund is 7, should be 2`,
    );
  });

  it("reports a hold that is resolved twice, or whose charge is reversed twice", async () => {
    const [journal, row] = [await journalOf(0), await rowAt(...shard(0))];
    const { h: id, ...settled } = journal.findLast(({ t }) => t === "s") ?? {};
    const at = Number(row["fence"]) + 1;
    const again: Change = set({
      journal: [...journal, { ...settled, h: id, a: at }],
      fence: at,
      sequence: Number(row["sequence"]) + 2,
      balance: Number(row["balance"]) + 1,
      added: Number(row["added"]) + 1,
      spent: Number(row["spent"]) + 1,
    });
    const entry = `${placeOf(0)} entry ${Number(row["sequence"]) + 1}`;
    expect(await differencesAfter([...shard(0), again])).toContain(
      `${entry}: hold ${String(id)} of the charge is not open, should be open`,
    );
    const back = { t: "b", a: at, h: "req_done", c: 3, d: world.bench.clock.now().toISOString() };
    const twice: Change = set({
      journal: [...journal, back],
      fence: at,
      sequence: Number(row["sequence"]) + 1,
      balance: Number(row["balance"]) + 3,
      added: Number(row["added"]) + 3,
      spent: Number(row["spent"]) - 3,
    });
    expect(await differencesAfter([...shard(0), twice])).toEqual([
      `${entry}: refund of the charge of hold req_done is 3, should be 0`,
    ]);
  });

  it("reports transfers between shards that have the same stamp and whose credits do not add up to 0", async () => {
    const journal = await journalOf(1);
    const n = journal.findIndex(({ t }) => t === "x");
    const { a: at, c: credits } = journal[n] ?? {};
    const wrong: Change = (row) =>
      within("journal", n, (record) => ({ ...record, c: Number(credits) + 5 }))(
        add("balance", 5)(add("added", 5)(row) ?? {}) ?? {},
      );
    expect(await differencesAfter([...shard(1), wrong])).toEqual([
      `${world.accountId} transfer ${Number(at)}: sum over the shards is 5, should be 0`,
    ]);
  });
});

describe("reconcile of a sharded account's row", () => {
  it.each(["received", "lifetime"])("reports a wrong value of the attribute '%s'", async (name) => {
    const value = await numberIn(account(), name);
    expect(await differencesAfter([...account(), add(name, 1)])).toEqual([
      `${world.accountId}: ${name} is ${value + 1}, should be ${value}`,
    ]);
  });

  it("reports a number of shards that does not match the lifetime credits", async () => {
    expect(await differencesAfter([...account(), set({ shards: 1 })])).toEqual([
      `${world.accountId}: shards is 1, should be 2`,
      `${placeOf(1)}: a row of a shard that the account does not have is present, should be missing`,
    ]);
    expect(await differencesAfter([...account(), set({ shards: 3 })])).toEqual([
      `${placeOf(2)}: row is missing, should be present`,
      `${world.accountId}: shards is 3, should be 2`,
    ]);
  });
});

describe("reconcile of a sharded account's daily usage", () => {
  it("reports usage that differs from the records in the pages of its shard", async () => {
    const usage: Place = [names.accounts, accountKeys.shardUsage(world.accountId, 0, day)];
    const at = `${placeOf(0)} usage ${day}`;
    for (const name of ["requests", "successful", "failed", "credits"]) {
      const value = await numberIn(usage, name);
      expect(await differencesAfter([...usage, add(name, 2)])).toEqual([
        `${at}: ${name} is ${value + 2}, should be ${value}`,
      ]);
    }
    expect(await differencesAfter([...usage, deleted])).toContainEqual(
      expect.stringMatching(`^${at}: requests is 0, should be \\d+$`),
    );
  });

  it("reports usage from before the account had shards if the account has no ledger entries from that time", async () => {
    const key = accountKeys.usage(world.accountId, day);
    const counts = { requests: 1, successful: 1, failed: 0, credits: 0 };
    expect(await beside(names.accounts, { ...key, ...counts })).toEqual([
      `${world.accountId} usage ${day}: requests is 1, should be 0`,
    ]);
  });
});

it("reconcile reports no difference while credits are added and transferred between shards", async () => {
  const { bench, accountId } = world;
  const [now, options] = [bench.clock.now(), ledgerOptions()];
  const ledger = dynamoLedger(client, options);
  const changes = dynamoCreditChanges(client, options);
  const work = { isOver: false, rounds: 0 };
  const traffic = async (): Promise<void> => {
    for (; !work.isOver; work.rounds += 1) {
      const holdId = `req_large_${work.rounds}`;
      const expiresAt = new Date(now.getTime() + 600_000);
      const source = { requestId: holdId };
      // The credits exceed the balance of one shard, so the rest is transferred from the other
      // shard.
      const large = { accountId, holdId, credits: 20_000, slot: true, source, now, expiresAt };
      await ledger.reserve(large);
      await ledger.settle({ accountId, holdId, credits: 0, succeeded: true, now });
      const changeId = `grant-${work.rounds}`;
      if (work.rounds % 4 === 0) {
        await changes.apply({ accountId, changeId, type: "grant", credits: 1, now });
        // A grant during the comparison restarts the comparison, so the test makes few grants.
        await delay(300);
      }
    }
  };
  const transfersBefore = await transfersIn(1);
  const busy = traffic();
  try {
    for (let n = 0; n < 5; n += 1) expect(await found(world)).toEqual([]);
  } finally {
    work.isOver = true;
    await busy;
  }
  expect(await found(world)).toEqual([]);
  expect(await transfersIn(1)).toBeGreaterThan(transfersBefore);
});
