import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { Logger } from "@aws-lambda-powertools/logger";
import type { Context, SQSEvent } from "aws-lambda";
import { afterAll, beforeAll, expect, it } from "vitest";
import { deliver } from "../../../functions/delivery/deliver.ts";
import { deliveryMessage } from "../../../shared/messages/deliveries-queue.ts";
import { batchHandler, done } from "../../../functions/queue/batch-handler.ts";
import { systemClock } from "../../../shared/base/system.ts";
import { targetsAtOnceMax } from "../../../shared/outbox/lease.ts";
import { aRun, startDeliveryWorld } from "../../support/delivery-world.ts";
import { startReceiver } from "../../support/receiver.ts";

let base: Awaited<ReturnType<typeof startDeliveryWorld>>;
beforeAll(async () => {
  base = await startDeliveryWorld();
});
afterAll(() => base.stop());

const context = { getRemainingTimeInMillis: () => 300_000 } as unknown as Context;
const batchOf = (bodies: readonly unknown[]): SQSEvent =>
  ({
    Records: bodies.map((body, n) => ({
      messageId: String(n),
      receiptHandle: String(n),
      body: JSON.stringify(body),
      attributes: { ApproximateReceiveCount: "1" },
    })),
  }) as unknown as SQSEvent;

it("ten unresponsive receivers of one account do not delay deliveries of other accounts, and use only their account's share of workers", async () => {
  const world = await base.open();
  const [slow, quick] = [await startReceiver(), await startReceiver()];
  const held: ServerResponse[] = [];
  const slowTargets = new Set<string>();
  let slowTargetsWhenQuickWasDone: number | undefined;
  // Holds its responses until the other account has received its events.
  slow.answer = (response, { path }) => {
    slowTargets.add(path);
    if (slowTargetsWhenQuickWasDone === undefined) held.push(response);
    else response.end("late");
  };
  for (let n = 0; n < 10; n += 1) await world.addEndpoint("acct_1", `${slow.url}/${n}`);
  await world.addEndpoint("acct_2", quick.url);
  const types = ["watchlist.product.changed", "watchlist.run.completed"] as const;
  for (let n = 0; n < 3; n += 1) await world.publish(aRun(types, { runId: `wlrun_slow${n}` }));
  await world.publish(aRun(types, { runId: "wlrun_quick", accountId: "acct_2" }));

  // Each worker handles one message at a time.
  const handler = batchHandler({
    schema: deliveryMessage,
    logger: new Logger({ logLevel: "SILENT" }),
    clock: systemClock,
    keys: (message) => message,
    async work(message) {
      await deliver(message, world.delivering);
      return done;
    },
  });
  const waiting = await world.takeWakeUps();
  expect(waiting.at(-1)).toMatchObject({ account_id: "acct_2" });
  quick.answer = (response) => {
    response.end("ok");
    if (quick.requests.length < 2) return;
    slowTargetsWhenQuickWasDone = slowTargets.size;
    for (const one of held.splice(0)) one.end("late");
  };
  const worker = async (): Promise<void> => {
    for (let idle = 0; idle < 40;) {
      const wakeUp = waiting.shift();
      if (wakeUp === undefined) {
        waiting.push(...(await world.takeWakeUps()));
        idle += 1;
        await delay(25);
        continue;
      }
      idle = 0;
      await handler(batchOf([wakeUp]), context);
    }
  };
  // Workers start one after another, so that no two claim an outbox at the same instant.
  const workers: Promise<void>[] = [];
  for (let busy = 1; busy <= targetsAtOnceMax; busy += 1) {
    workers.push(worker());
    await expect.poll(() => slowTargets.size).toBeGreaterThanOrEqual(busy);
  }
  // One worker more than an account may use concurrently.
  await Promise.all([...workers, worker()]);
  await Promise.all([slow.stop(), quick.stop()]);

  expect(quick.requests).toHaveLength(2);
  expect(slow.requests).toHaveLength(60);
  expect(slowTargetsWhenQuickWasDone).toBe(targetsAtOnceMax);
});
