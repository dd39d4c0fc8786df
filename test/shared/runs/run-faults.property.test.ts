import { afterAll, beforeAll, expect, it } from "vitest";
import { faultKinds, userActions } from "../../support/faulty-kinds.ts";
import { playFaults } from "../../support/run-faults-play.ts";
import { startTables, type TestTables } from "../../support/tables.ts";

/** FAULT_SEEDS=2000 plays so many seeds; FAULT_SEED=17 plays one and shows all of its calls. */
const seeds = Number(process.env["FAULT_SEEDS"] ?? 40);
/** So many seeds meet every fault. */
const enoughSeeds = 40;
const firstSeed = Number(process.env["FAULT_SEED_FROM"] ?? 41);
const onlySeed = process.env["FAULT_SEED"];
/** Seeds played beside each other, each on a table of its own. */
const lanes = 3;

let tables: TestTables;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.stop());

const fired = new Map<string, number>();

const replayCommand = (seed: number): string =>
  `FAULT_SEED=${seed} npx vitest run --config test/vitest.config.ts ` +
  "test/shared/runs/run-faults.property.test.ts";

async function play(seed: number): Promise<string> {
  const { hash, failure, trace } = await playFaults(seed, tables, fired);
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
  "leaves every run, item, credit and event as it should be, whatever fails on the way",
  async () => {
    const waiting = Array.from({ length: seeds }, (_, n) => firstSeed + n);
    const failures: Error[] = [];
    const lane = async (): Promise<void> => {
      for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
        await play(seed).catch((error: Error) => failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    if (seeds > enoughSeeds) console.info(Object.fromEntries(fired));
    if (failures.length > 0) throw new AggregateError(failures, failures.join("\n\n\n"));
    const absent = [...faultKinds, ...userActions].filter((kind) => !fired.has(kind));
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
