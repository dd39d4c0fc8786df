import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Metrics, mergeMetrics } from "../../../shared/observability/metrics.ts";
import type { MetricKind } from "../../../shared/observability/metric-names.ts";
import { attemptsMax } from "../../../shared/outbox/backoff.ts";
import { aRun } from "../../support/delivery-world.ts";
import { type ExportWorld, startExportWorld } from "../../support/export-world.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";

const types = ["watchlist.product.changed", "watchlist.run.completed"] as const;

let base: Awaited<ReturnType<typeof startExportWorld>>;
let world: ExportWorld;
let receiver: Receiver;
let reported: Metrics[];

beforeAll(async () => {
  base = await startExportWorld();
});
afterAll(() => base.stop());
beforeEach(async () => {
  world = await base.open();
  receiver = await startReceiver();
  reported = [];
  const report = (more: readonly Metrics[]): void => void reported.push(...more);
  Object.assign(world.webhooks, { report });
  Object.assign(world.exporting, { report });
  Object.assign(world.delivering.webhooks, { report });
  Object.assign(world.delivering.exports, { report });
});
afterEach(() => receiver.stop());

/** Returns the merged values of all reported metrics of a kind. */
const all = (kind: MetricKind): Metrics["values"] =>
  Object.assign(
    {},
    ...mergeMetrics(reported)
      .filter((one) => one.kind === kind)
      .map(({ values }) => values),
  );

const answer = (status: number): void => {
  receiver.answer = (response) => {
    response.statusCode = status;
    response.end();
  };
};

describe("the metrics of webhook deliveries", () => {
  it("count each attempt, with the response time of the receiver and the delay of the delivery", async () => {
    await world.addEndpoint("acct_1", receiver.url);
    await world.publish(aRun(types));
    world.clock.advance(1_500);
    await world.deliverDue();

    expect(receiver.requests).toHaveLength(2);
    const { delivery_ms: times, delivery_late_ms: late, ...counts } = all("deliveries");
    expect(counts).toEqual({
      delivery_attempts: 2,
      delivery_succeeded: 2,
      delivery_failed: 0,
      delivery_given_up: 0,
    });
    expect([times].flat()).toHaveLength(2);
    expect(Math.max(...([late].flat() as number[]))).toBeGreaterThanOrEqual(1_500);
  });

  it("count a failed delivery once, after its last attempt", async () => {
    answer(500);
    await world.addEndpoint("acct_1", receiver.url);
    await world.publish(aRun(["watchlist.run.completed"]));
    await world.deliverDue();
    expect(all("deliveries")).toMatchObject({ delivery_failed: 1, delivery_given_up: 0 });

    for (let next = await world.nextDue(); next !== null; next = await world.nextDue()) {
      world.clock.set(next.toISOString());
      await world.deliverDue();
    }

    expect(all("deliveries")).toMatchObject({
      delivery_attempts: attemptsMax,
      delivery_succeeded: 0,
      delivery_failed: attemptsMax,
      delivery_given_up: 1,
    });
  });

  it("count no attempt for a disabled endpoint", async () => {
    await world.addEndpoint("acct_1", receiver.url, { enabled: false });
    await world.publish(aRun(types));
    await world.deliverDue();

    expect(all("deliveries")).not.toHaveProperty("delivery_attempts");
  });
});

describe("the metrics of exports", () => {
  it("count each export attempt and its outcome", async () => {
    await world.setDestination("acct_1");
    await world.publish(aRun([...types]));
    await world.work();

    const { export_ms: times, export_late_ms: late, ...counts } = all("exports");
    expect(counts).toEqual({
      export_attempts: 1,
      export_succeeded: 1,
      export_failed: 0,
      export_given_up: 0,
    });
    expect([times].flat()).toHaveLength(1);
    expect([late].flat()).toHaveLength(1);
  });

  it("count an export as failed if its bucket cannot be opened", async () => {
    const credentials = { auth: "role", roleArn: "arn:aws:iam::123456789012:role/no" } as const;
    await world.setDestination("acct_1", { credentials, endpoint: null });
    await world.publish(aRun([...types]));
    await world.work();

    expect(all("exports")).toMatchObject({
      export_attempts: 1,
      export_succeeded: 0,
      export_failed: 1,
      export_given_up: 0,
    });
  });
});

describe("the metrics of receivers and buckets", () => {
  it("count a receiver as failing if it accepts no delivery", async () => {
    answer(500);
    await world.addEndpoint("acct_1", receiver.url);
    await world.publish(aRun(types));
    await world.deliverDue();

    expect(all("receivers")).toEqual({ receivers_tried: 1, receivers_failing: 1 });
  });

  it("count a receiver once, as working, if it accepts one of several deliveries", async () => {
    receiver.answer = (response) => {
      response.statusCode = receiver.requests.length === 1 ? 200 : 500;
      response.end();
    };
    await world.addEndpoint("acct_1", receiver.url);
    await world.publish(aRun(types));
    await world.deliverDue();

    expect(all("deliveries")).toMatchObject({ delivery_attempts: 2, delivery_succeeded: 1 });
    expect(all("receivers")).toEqual({ receivers_tried: 1, receivers_failing: 0 });
  });

  it("count a bucket as failing if no export to it succeeds", async () => {
    const credentials = { auth: "role", roleArn: "arn:aws:iam::123456789012:role/no" } as const;
    await world.setDestination("acct_1", { credentials, endpoint: null });
    await world.publish(aRun([...types]));
    await world.work();

    expect(all("receivers")).toEqual({ receivers_tried: 1, receivers_failing: 1 });
  });

  it("do not count a receiver if no delivery to it was attempted", async () => {
    await world.addEndpoint("acct_1", receiver.url, { enabled: false });
    await world.publish(aRun(types));
    await world.deliverDue();

    expect(all("receivers")).toEqual({});
  });
});
