import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { EventType } from "../../../shared/events/event.ts";
import { changeDestination } from "../../../shared/exports/change-destination.ts";
import type { DestinationPatch } from "../../../shared/exports/destination-body.ts";
import type { ExportRecord } from "../../../shared/exports/export-record.ts";
import { presentDestination } from "../../../shared/exports/present.ts";
import { requestRetry } from "../../../shared/exports/request-retry.ts";
import { testDestination } from "../../../shared/exports/test-destination.ts";
import { aRun } from "../../support/delivery-world.ts";
import { type ExportWorld, startExportWorld } from "../../support/export-world.ts";

const account = "acct_1";
const types: EventType[] = ["watchlist.run.completed"];
const day = 24 * 60 * 60 * 1_000;

let base: Awaited<ReturnType<typeof startExportWorld>>;
let world: ExportWorld;
/** True while the bucket refuses the objects of runs; it always accepts check objects. */
let isDown: boolean;
/** Keys of the objects of all attempts. */
let attempted: string[];
beforeAll(async () => {
  base = await startExportWorld();
});
afterAll(() => base.stop());
beforeEach(async () => {
  world = await base.open();
  isDown = true;
  attempted = [];
  const { buckets } = world.exporting;
  const open = (access: Parameters<typeof buckets.open>[0]) => {
    const bucket = buckets.open(access);
    const put: typeof bucket.put = async (object) => {
      attempted.push(object.key);
      return isDown ? { outcome: "failed", reason: "SlowDown" } : bucket.put(object);
    };
    return { ...bucket, put };
  };
  Object.assign(world.exporting, { buckets: { open } });
  await world.setDestination(account);
});

async function publish(...runNumbers: readonly number[]): Promise<void> {
  for (const runNumber of runNumbers) {
    await world.publish(aRun(types, { runId: `wlrun_${runNumber}`, runNumber }));
  }
}

const exports = async (): Promise<readonly ExportRecord[]> =>
  (await world.registering.exports.list(account, { limit: 100, before: null, state: null }))
    .exports;

const status = async (): Promise<string> =>
  presentDestination(account, (await world.destination(account))!).status;

const patch = (wanted: DestinationPatch) =>
  changeDestination(
    { accountId: account, wanted, now: world.clock.now(), own: { hosts: [], apiId: null } },
    world.registering,
  );

/** Publishes runs whose exports then wait five minutes for their third attempt. */
async function pendingExports(...runNumbers: readonly number[]): Promise<void> {
  await publish(...runNumbers);
  await world.work();
  world.clock.advance(10_000);
  await world.work();
  expect((await exports()).map(({ state, lastError }) => [state, lastError])).toEqual(
    runNumbers.map(() => ["pending", "SlowDown"]),
  );
}

describe("pending exports", () => {
  it.each<[string, DestinationPatch]>([
    ["the prefix of objects", { prefix: "other/" }],
    ["the format of objects", { compression: "none" }],
    ["nothing", {}],
  ])("are attempted immediately when a PATCH of the destination changes %s", async (_, wanted) => {
    await pendingExports(1, 2);
    isDown = false;
    await world.work();
    expect(await world.exportStates(account)).toEqual(["pending", "pending"]);

    await patch(wanted);
    await world.work();
    expect(await world.exportStates(account)).toEqual(["done", "done"]);
  });

  it("are attempted immediately after a successful test of the destination, but not after a failed test", async () => {
    await pendingExports(1);
    isDown = false;
    const { buckets } = world.registering;
    const refusing = { put: async () => ({ outcome: "failed", reason: "SlowDown" }) };
    Object.assign(world.registering, {
      buckets: { open: () => ({ ...refusing, close: () => {} }) },
    });
    expect((await testDestination(account, world.registering)).ok).toBe(false);
    await world.work();
    expect(await world.exportStates(account)).toEqual(["pending"]);

    Object.assign(world.registering, { buckets });
    expect((await testDestination(account, world.registering)).ok).toBe(true);
    await world.work();
    expect(await world.exportStates(account)).toEqual(["done"]);
  });

  it("are each attempted once after the client requests a retry, even if 30 are pending", async () => {
    const numbers = Array.from({ length: 30 }, (_, n) => n);
    await publish(...numbers);
    await world.work();
    isDown = false;
    attempted = [];

    await patch({});
    await world.work();
    expect(await world.exportStates(account)).toEqual(numbers.map(() => "done"));
    const manifests = attempted.filter((key) => key.endsWith("_manifest.json"));
    expect(new Set(manifests).size).toBe(30);
    expect(manifests).toHaveLength(30);
  });

  it("restart their retry schedule after the client requests a retry", async () => {
    await publish(1);
    for (let attempts = 0; attempts < 9; attempts += 1) {
      world.clock.advance(day + 3 * 60 * 60 * 1_000);
      await world.work();
    }
    expect(await exports()).toMatchObject([{ state: "pending", tries: 9, attemptCount: 9 }]);

    await patch({});
    await world.work();
    expect(await exports()).toMatchObject([{ state: "pending", tries: 1, attemptCount: 10 }]);
  });

  it("are attempted in the current time slice if the client requests a retry after three failed exports", async () => {
    await publish(1, 2, 3, 4, 5);
    const { buckets } = world.exporting;
    const open = (access: Parameters<typeof buckets.open>[0]) => {
      const bucket = buckets.open(access);
      const put: typeof bucket.put = async (object) => {
        const outcome = await bucket.put(object);
        if (isDown && attempted.length === 3) {
          isDown = false;
          await requestRetry(account, world.clock.now(), world.registering);
        }
        return outcome;
      };
      return { ...bucket, put };
    };
    Object.assign(world.exporting, { buckets: { open } });
    await world.work();

    expect(await world.exportStates(account)).toEqual(Array(5).fill("done"));
  });

  it("end without an attempt if the destination is disabled before the retry", async () => {
    await pendingExports(1);
    await patch({});
    await patch({ enabled: false });
    attempted = [];
    await world.work();

    expect(attempted).toEqual([]);
    expect(await exports()).toMatchObject([{ state: "failed", lastError: "destination_disabled" }]);
  });
});

describe("the status of an S3 destination", () => {
  it("is failing after three failed attempts in a row, and active after a successful one", async () => {
    await publish(1);
    const statuses: string[] = [];
    for (const waitMs of [0, 10_000, 400_000]) {
      world.clock.advance(waitMs);
      await world.work();
      statuses.push(await status());
    }
    expect(statuses).toEqual(["active", "active", "failing"]);
    expect(attempted).toHaveLength(3);

    isDown = false;
    world.clock.advance(60 * 60 * 1_000);
    await world.work();
    expect(await status()).toBe("active");
  });

  it("depends on the failures of all runs together, whose count restarts at 0 after a success", async () => {
    await publish(1, 2);
    await world.work();
    isDown = false;
    await publish(3);
    await world.work();
    expect(await world.destination(account)).toMatchObject({ failuresInRow: 0 });

    isDown = true;
    await publish(4, 5);
    await world.work();
    expect(await status()).toBe("active");
    await publish(6);
    await world.work();
    expect(await status()).toBe("failing");
  });
});
