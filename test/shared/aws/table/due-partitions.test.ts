import { describe, expect, it } from "vitest";
import {
  dueAt,
  duePartitionOf,
  duePartitionsOf,
  dueTimeOf,
} from "../../../../shared/aws/table/due-partitions.ts";
import {
  accountKeys,
  deliveryKeys,
  type RowKey,
  watchlistKeys,
} from "../../../../shared/aws/table/table.ts";
import { derivedId } from "../../../../shared/base/ids.ts";
import { type DueKind, duePartitions } from "../../../../shared/base/table-schema.ts";

const at = new Date("2026-03-01T12:00:00.000Z");

/** The key of a row of each kind, for the nth account or watchlist. */
const keyOf: Readonly<Record<DueKind, (n: number) => RowKey>> = {
  hold: (n) => accountKeys.hold(derivedId("account", n), derivedId("request", n)),
  outbox: (n) =>
    deliveryKeys.outbox({
      accountId: derivedId("account", n),
      targetId: derivedId("webhookEndpoint", n),
    }),
  run: (n) => watchlistKeys.run(derivedId("watchlist", n), 1),
  watchlist: (n) => watchlistKeys.watchlist(derivedId("account", n), derivedId("watchlist", n)),
  purge: (n) => watchlistKeys.purge(derivedId("watchlist", n)),
};
const kinds = Object.keys(duePartitions) as DueKind[];

describe("the partitions of the due index", () => {
  it.each(kinds)("have about the same number of rows of kind %s each", (kind) => {
    const perPartition = 1_000;
    const rows = perPartition * duePartitions[kind];
    const counts = new Map<string, number>();
    for (let n = 0; n < rows; n += 1) {
      const { due_kind: partition } = dueAt(kind, keyOf[kind](n), at);
      counts.set(partition, (counts.get(partition) ?? 0) + 1);
    }

    expect([...counts.keys()].toSorted()).toEqual(duePartitionsOf(kind));
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(0.85 * perPartition);
      expect(count).toBeLessThan(1.15 * perPartition);
    }
  });

  it("have names that sort by their numbers, and no name is used by two kinds of rows", () => {
    expect(duePartitionsOf("watchlist")).toEqual([
      "watchlist#00",
      "watchlist#01",
      "watchlist#02",
      "watchlist#03",
    ]);
    const all = kinds.flatMap(duePartitionsOf);
    expect(new Set(all).size).toBe(all.length);
  });

  it("are few enough that the sweeper can query all of them every minute", () => {
    expect(kinds.flatMap(duePartitionsOf).length).toBeLessThanOrEqual(50);
  });

  it("for holds are so many that the whole table reaches its write quota before one partition reaches its limit", () => {
    const writesOfPartition = 1_000;
    // DynamoDB's default quota of write units for a table.
    const writesOfTable = 40_000;
    // Reserving the credits of a step writes the row of the hold and the row of a shard. Settling
    // them writes both rows again. In a transaction, each row costs two units.
    const stepWrites = { table: 8, index: 2 };
    const steps = (writesOfPartition * duePartitions.hold) / stepWrites.index;
    expect(steps).toBeGreaterThan(writesOfTable / stepWrites.table);
  });
});

describe("a row's partition in the due index", () => {
  it("depends neither on the release that wrote the row nor on the row's due time", () => {
    // Earlier releases have stored the row with this key in partition 05.
    const key = accountKeys.hold("acct_1", "req_1");
    expect(dueAt("hold", key, at)).toEqual({ due_kind: "hold#05", due_at: at.toISOString() });
    expect(dueAt("hold", key, new Date(0)).due_kind).toBe("hold#05");
  });

  it("is the same for all rows that have the same partition key in their table", () => {
    const places = ["req_1", "req_2", "req_3", "req_4"].map(
      (holdId) => dueAt("hold", accountKeys.hold("acct_1", holdId), at).due_kind,
    );
    expect(new Set(places)).toEqual(
      new Set([duePartitionOf("hold", accountKeys.account("acct_1").pk)]),
    );
  });
});

describe("dueTimeOf, which reads the due time of a row,", () => {
  it("returns the time of a row in any partition of its kind", () => {
    for (const kind of kinds) {
      for (const partition of duePartitionsOf(kind)) {
        const row = { due_kind: partition, due_at: at.toISOString() };
        expect(dueTimeOf(kind, row)).toBe(at.toISOString());
      }
    }
  });

  it.each([
    ["is missing", undefined],
    ["is not due", {}],
    ["has no time", { due_kind: "hold#00" }],
    ["has no partition", { due_at: at.toISOString() }],
    ["names its kind without a partition", { due_kind: "hold", due_at: at.toISOString() }],
    ["is of another kind", { due_kind: "run#00", due_at: at.toISOString() }],
    ["is in a partition that no reader queries", { due_kind: "hold#99", due_at: at.toISOString() }],
  ])("returns null for a row without a valid due time (the row %s)", (_, row) => {
    expect(dueTimeOf("hold", row)).toBeNull();
  });
});
