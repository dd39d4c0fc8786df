import { gunzipSync } from "node:zlib";
import { GetObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { backfillEntry } from "../../../shared/exports/export-entries.ts";
import { presentDestination } from "../../../shared/exports/present.ts";
import { destinationTarget, endpointTarget } from "../../../shared/outbox/outbox.ts";
import { recoverEntry } from "../../../shared/webhooks/outbox-entries.ts";
import {
  aRun,
  type DeliveryWorld,
  startDeliveryWorld,
  startedAt,
} from "../../support/delivery-world.ts";
import { startReceiver } from "../../support/receiver.ts";
import { expectVerified } from "../../support/verified.ts";

const account = "acct_1";
const hour = 60 * 60 * 1_000;
const since = startedAt;

let base: Awaited<ReturnType<typeof startDeliveryWorld>>;
let world: DeliveryWorld;
beforeAll(async () => {
  base = await startDeliveryWorld();
  world = await base.open();
});
afterAll(() => base.stop());

/** Advances the clock to `until`, and makes the due deliveries on the way, each at its due time. */
async function liveUntil(until: Date): Promise<void> {
  for (;;) {
    await world.deliverDue();
    const next = await world.nextDue();
    if (next === null || next > until) break;
    world.clock.set(next.toISOString());
  }
  world.clock.set(until.toISOString());
}

/** Returns the destination as `GET /v1/s3_destination` returns it. */
async function shownDestination() {
  const destination = await world.destination(account);
  return destination === null ? null : presentDestination(account, destination);
}

async function exportedLines(): Promise<string[]> {
  const Bucket = world.exportBucket;
  const lines: string[] = [];
  let ContinuationToken: string | undefined;
  do {
    const page = await world.s3.send(new ListObjectsV2Command({ Bucket, ContinuationToken }));
    for (const { Key = "" } of page.Contents ?? []) {
      if (!Key.endsWith(".jsonl.gz")) continue;
      const { Body } = await world.s3.send(new GetObjectCommand({ Bucket, Key }));
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
      lines.push(...gunzipSync(bytes).toString().trimEnd().split("\n"));
    }
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
  return lines;
}

const idOf = (body: string): string => (JSON.parse(body) as { id: string }).id;

it("a recovery and a backfill deliver every event after an outage that was longer than the retry schedule", async () => {
  const [down, fine] = [await startReceiver(), await startReceiver()];
  const sick = (await world.addEndpoint(account, down.url)).endpoint;
  await world.addEndpoint(account, fine.url);
  await world.setDestination(account, { bucket: "not-there-yet" });
  down.answer = (response) => response.writeHead(503, { "Retry-After": "5" }).end("down");

  const runs: ReturnType<typeof aRun>[] = [];
  for (let n = 0; n < 6; n += 1) {
    const happenedAt = world.clock.now().toISOString();
    const types = ["watchlist.product.changed", "watchlist.run.completed"] as const;
    runs.push(
      aRun(types, { runId: `wlrun_${n}`, runNumber: n, runStartedAt: happenedAt, happenedAt }),
    );
    await world.publish(runs[n] ?? aRun([]));
    await liveUntil(new Date(world.clock.now().getTime() + 6 * hour));
    // Deliveries to the receiver `fine` do not wait for the receiver and the bucket that are down.
    expect(fine.requests).toHaveLength(2 * runs.length);
  }
  const ids = runs.flatMap(({ events }) => events.map(({ id }) => id));
  await liveUntil(new Date(world.clock.now().getTime() + 100 * hour));

  expect(await world.nextDue()).toBeNull();
  expect(down.requests).toHaveLength(10 * ids.length);
  const failed = await world.webhooks.deliveries.list(account, {
    limit: 100,
    before: null,
    filter: { endpointId: sick.id, state: "failed" },
  });
  expect(failed.deliveries).toHaveLength(ids.length);
  for (const { attemptCount, attempts } of failed.deliveries) {
    expect(attemptCount).toBe(10);
    expect(attempts.at(-1)).toMatchObject({ status: 503, error: "status_503", response: "down" });
  }
  expect(await shownDestination()).toMatchObject({
    status: "failing",
    last_error: "NoSuchBucket",
  });
  expect(await world.exportStates(account)).toEqual(runs.map(() => "failed"));

  down.answer = (response) => response.end("ok");
  down.requests.length = 0;
  await world.setDestination(account);
  const now = world.clock.now();
  const span = { since, until: now.toISOString() };
  await world.outbox.add(endpointTarget(account, sick.id), [recoverEntry(span, now)]);
  await world.outbox.add(destinationTarget(account), [backfillEntry(span, now)]);
  await liveUntil(new Date(now.getTime() + hour));
  await Promise.all([down.stop(), fine.stop()]);
  for (const request of [...down.requests, ...fine.requests]) {
    expectVerified(request, world.secretsMade);
  }

  const bodies = runs.flatMap(({ events }) => events.map(({ body }) => body)).sort();
  expect(down.requests.map(({ body }) => body).sort()).toEqual(bodies);
  expect((await exportedLines()).sort()).toEqual(bodies);
  expect(fine.requests.map(({ body }) => idOf(body)).sort()).toEqual(ids.sort());
  expect(await shownDestination()).toMatchObject({ status: "active", last_error: null });
  expect(await world.exportStates(account)).toEqual(runs.map(() => "done"));
});
