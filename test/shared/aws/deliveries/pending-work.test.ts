import { beforeEach, describe, expect, it } from "vitest";
import { dynamoOutboxStore } from "../../../../shared/aws/deliveries/outbox-store.ts";
import { dynamoPendingWork } from "../../../../shared/aws/deliveries/pending-work.ts";
import {
  type OutboxEntry,
  endpointTarget,
  type OutboxStore,
  type PendingWork,
} from "../../../../shared/outbox/outbox.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { openTables } from "../../../support/tables.ts";

const account = "acct_1";
const target = endpointTarget(account, "we_1");
const at = (seconds: number): string =>
  new Date(Date.parse("2026-11-20T10:00:00.000Z") + seconds * 1_000).toISOString();
const now = new Date(at(0));
const clock = fixedClock(now.toISOString());
const entry = (seconds: number, key: string, lane: OutboxEntry["lane"] = "first"): OutboxEntry => ({
  lane,
  dueAt: at(seconds),
  key,
  content: { key },
});

const tables = openTables();
let outbox: OutboxStore<never>;
let pending: PendingWork;
beforeEach(async () => {
  const tableName = await tables.create();
  outbox = dynamoOutboxStore(tables.client, {
    tableName,
    clock,
    random: countingRandom(),
    recordWrite: () => ({}),
  });
  pending = dynamoPendingWork(tables.client, tableName);
});

const keysOf = async (span: Partial<Parameters<PendingWork["newest"]>[1]> = {}) => {
  const found = await pending.newest(target, { since: null, until: null, limit: 100, ...span });
  return found.map(({ key }) => key);
};

describe("dynamoPendingWork, which reads outboxes,", () => {
  it("lists the delivery targets of an account that have outbox entries, even while a worker drains the targets", async () => {
    const drained = endpointTarget(account, "we_2");
    const leased = endpointTarget(account, "we_3");
    const foreign = endpointTarget("acct_2", "we_4");
    for (const one of [target, drained, leased, foreign]) await outbox.add(one, [entry(0, "a")]);
    const lease = { token: "t", until: new Date(at(30)) };
    await outbox.claim(leased, { lease, now });
    const claimed = await outbox.claim(drained, { lease, now });
    const changes = { removed: [entry(0, "a")], added: [], records: [] };
    await outbox.record(drained, { lease, changes });
    await outbox.release(drained, {
      token: "t",
      additions: claimed?.additions ?? 0,
      remaining: null,
    });

    expect(await pending.targets(account)).toEqual([target, leased]);
    expect(await pending.targets("acct_3")).toEqual([]);
  });

  it('returns the outbox entries of the lane "first" between two times, newest first', async () => {
    await outbox.add(target, [
      ...[1, 2, 3, 4].map((second) => entry(second, `run#${second}`)),
      entry(2, "a retry", "later"),
    ]);

    expect(await keysOf()).toEqual(["run#4", "run#3", "run#2", "run#1"]);
    expect(await keysOf({ since: at(2) })).toEqual(["run#4", "run#3", "run#2"]);
    expect(await keysOf({ until: at(2) })).toEqual(["run#2", "run#1"]);
    expect(await keysOf({ since: at(2), until: at(3) })).toEqual(["run#3", "run#2"]);
    expect(await keysOf({ since: at(3), until: at(2) })).toEqual([]);
    expect(await keysOf({ limit: 1 })).toEqual(["run#4"]);
    const [newest] = await pending.newest(target, { since: null, until: null, limit: 1 });
    expect(newest).toEqual(entry(4, "run#4"));
  });

  it.each([1, 2, 3])(
    "with a limit of %i, also returns further entries with the same due time as the last entry",
    async (limit) => {
      await outbox.add(target, [entry(1, "older"), ...["a", "b", "c"].map((key) => entry(2, key))]);

      expect(await keysOf({ limit })).toEqual(["c", "b", "a"]);
      expect(await keysOf({ limit: 4 })).toEqual(["c", "b", "a", "older"]);
    },
  );
});
