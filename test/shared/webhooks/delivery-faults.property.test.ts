import { afterAll, beforeAll, expect, it } from "vitest";
import {
  deliveryFaultKinds,
  deliveryUserActions,
  receiverDeeds,
} from "../../support/delivery-faults-kinds.ts";
import { playDelivery } from "../../support/delivery-faults-play.ts";
import { startTables, type TestTables } from "../../support/tables.ts";

/**
 * DELIVERY_FAULT_SEEDS=2000 plays so many seeds; DELIVERY_FAULT_SEED=17 plays one and shows all of
 * its calls.
 */
const seeds = Number(process.env["DELIVERY_FAULT_SEEDS"] ?? 24);
/** So many seeds meet every fault. */
const enoughSeeds = 24;
const firstSeed = Number(process.env["DELIVERY_FAULT_SEED_FROM"] ?? 1);
const onlySeed = process.env["DELIVERY_FAULT_SEED"];
/** Seeds played beside each other, each on a table of its own. */
const lanes = 3;
const failuresShownMax = 5;

let tables: TestTables;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.stop());

const fired = new Map<string, number>();

const replayCommand = (seed: number): string =>
  `DELIVERY_FAULT_SEED=${seed} npx vitest run --config test/vitest.config.ts ` +
  "test/shared/webhooks/delivery-faults.property.test.ts";

async function play(seed: number): Promise<string> {
  const { hash, failure, trace } = await playDelivery(seed, tables, fired);
  if (failure === undefined) return hash;
  const shown = onlySeed === undefined ? trace.slice(-20) : trace;
  throw new Error(
    [
      `Seed ${seed} fails: ${failure.stack}`,
      `To see all of it: ${replayCommand(seed)}`,
      ...shown,
    ].join("\n"),
  );
}

it.runIf(onlySeed === undefined)(
  "brings every event to whom it is owed, whatever fails on the way",
  async () => {
    const waiting = Array.from({ length: seeds }, (_, n) => firstSeed + n);
    const failures: Error[] = [];
    const lane = async (): Promise<void> => {
      for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
        await play(seed).catch((error: Error) => failures.push(error));
        if (failures.length >= failuresShownMax) return;
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    if (seeds > enoughSeeds) console.info(Object.fromEntries(fired));
    if (failures.length > 0) throw new AggregateError(failures, failures.join("\n\n\n"));
    const every = [...deliveryFaultKinds, ...receiverDeeds, ...deliveryUserActions];
    const absent = every.filter((kind) => !fired.has(kind));
    expect(seeds >= enoughSeeds ? absent : []).toEqual([]);
  },
  3_600_000,
);

it.runIf(onlySeed !== undefined)("does so under the one seed asked for", async () => {
  await play(Number(onlySeed));
});

it("plays the same calls in the same order under the same seed", async () => {
  const seed = Number(onlySeed ?? firstSeed);
  expect(await play(seed)).toBe(await play(seed));
});
