import { describe, expect, it } from "vitest";
import { contention, defaultRules } from "../../../../scripts/bench/model/contention.ts";
import { virtualTime } from "../../../../scripts/bench/model/virtual-time.ts";
import type { ItemKey } from "../../../../tools/dynamodb/conflicts.ts";

const item: ItemKey = { table: "accounts", pk: "account#1", sk: "account" };
const other: ItemKey = { ...item, pk: "account#2" };
const start = new Date("2026-03-01T12:00:00Z");

function model({ partitionUnits = 1_000 } = {}) {
  const time = virtualTime(start);
  const rules = { ...defaultRules, partitionUnits };
  const requests = contention({ time, rules, random: () => 0 });
  const effect = async () => ({ answer: time.now() - start.getTime(), units: 1 });
  return { time, requests, effect };
}

const nameOf = (outcome: PromiseSettledResult<unknown>): string =>
  outcome.status === "fulfilled" ? "done" : (outcome.reason as Error).name;

describe("the bench's model of DynamoDB contention", () => {
  it("executes plain writes of the same item one after the other, and plain writes of different items in parallel", async () => {
    const { time, requests, effect } = model();
    const at = await time.through(
      Promise.all([
        requests.write([item], effect),
        requests.write([item], effect),
        requests.write([other], effect),
      ]),
    );
    expect(at).toEqual([2.5, 3.5, 2.5]);
  });

  it("cancels a transaction that conflicts with another transaction on an item", async () => {
    const { time, requests, effect } = model();
    const outcomes = await time.through(
      Promise.allSettled([
        requests.transaction([item, other], effect),
        requests.transaction([other], effect),
        requests.transaction([{ ...item, sk: "hold#1" }], effect),
      ]),
    );
    expect(outcomes.map(nameOf)).toEqual(["done", "TransactionCanceledException", "done"]);
  });

  it("cancels a transaction that conflicts with a plain write in flight", async () => {
    const { time, requests, effect } = model();
    const outcomes = await time.through(
      Promise.allSettled([requests.write([item], effect), requests.transaction([item], effect)]),
    );
    expect(outcomes.map(nameOf)).toEqual(["done", "TransactionCanceledException"]);
  });

  it("fails a plain write of an item that a transaction has locked", async () => {
    const { time, requests, effect } = model();
    const late = async (): Promise<unknown> => {
      await time.sleep(5);
      return requests.write([item], effect);
    };
    const outcomes = await time.through(
      Promise.allSettled([requests.transaction([item], effect), late()]),
    );
    expect(outcomes.map(nameOf)).toEqual(["done", "TransactionConflictException"]);
  });

  it("throttles writes to a partition key whose write units are used up, until the write units are refilled", async () => {
    const { time, requests, effect } = model({ partitionUnits: 1 });
    const write = () => requests.write([item], async () => ({ ...(await effect()), units: 2 }));
    const outcomes = await time.through(
      (async () => {
        const first = await Promise.allSettled([write()]);
        const second = await Promise.allSettled([write()]);
        const elsewhere = await Promise.allSettled([requests.write([other], effect)]);
        await time.sleep(2_000);
        return [...first, ...second, ...elsewhere, ...(await Promise.allSettled([write()]))];
      })(),
    );
    expect(outcomes.map(nameOf)).toEqual([
      "done",
      "ProvisionedThroughputExceededException",
      "done",
      "done",
    ]);
  });
});
