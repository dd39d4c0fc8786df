import { beforeEach, describe, expect, it } from "vitest";
import { dynamoDueTargets } from "../../../../shared/aws/deliveries/due-targets.ts";
import { dynamoOutbox } from "../../../../shared/aws/deliveries/outbox.ts";
import type { Outbox, DeliveryTarget } from "../../../../shared/outbox/outbox.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { openTables } from "../../../support/tables.ts";

const at = (second: number): string => `2026-11-20T10:00:${String(second).padStart(2, "0")}.000Z`;

const tables = openTables();
let outbox: Outbox;
let due: (second: number, limit?: number) => Promise<readonly DeliveryTarget[]>;
beforeEach(async () => {
  const tableName = await tables.create();
  const clock = fixedClock(at(0));
  outbox = dynamoOutbox(tables.client, { tableName, clock, random: countingRandom() });
  const targets = dynamoDueTargets(tables.client, tableName);
  due = (second, limit = 10) => targets.due(new Date(at(second)), limit);
});

const aTarget = (account: number, endpoint: number): DeliveryTarget => ({
  accountId: `acct_${account}`,
  targetId: `we_${endpoint}`,
});
const addPending = (target: DeliveryTarget, second: number) =>
  outbox.add(target, [{ lane: "first", dueAt: at(second), key: "run", content: {} }]);

describe("dynamoDueTargets, which lists due delivery targets,", () => {
  it("returns the due delivery targets of all accounts, those due longest first", async () => {
    await addPending(aTarget(1, 1), 3);
    await addPending(aTarget(2, 1), 1);
    await addPending(aTarget(1, 2), 2);

    expect(await due(0)).toEqual([]);
    expect(await due(2)).toEqual([aTarget(2, 1), aTarget(1, 2)]);
    expect(await due(3)).toEqual([aTarget(2, 1), aTarget(1, 2), aTarget(1, 1)]);
  });

  it("returns at most the requested number of delivery targets", async () => {
    for (let n = 0; n < 7; n += 1) await addPending(aTarget(n, 1), n);

    expect(await due(9, 3)).toEqual([aTarget(0, 1), aTarget(1, 1), aTarget(2, 1)]);
    expect(await due(9, 7)).toHaveLength(7);
  });

  it("returns a delivery target whose drain was requested, even if it has no new outbox entries", async () => {
    await outbox.wake(aTarget(1, 1), new Date(at(5)));
    expect(await due(4)).toEqual([]);
    expect(await due(5)).toEqual([aTarget(1, 1)]);
  });
});
