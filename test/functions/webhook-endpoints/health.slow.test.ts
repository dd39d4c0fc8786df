import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { deliveryKeys } from "../../../shared/aws/table/table.ts";
import {
  webhookEndpointSchema,
  webhookEndpointsResponse,
} from "../../../shared/webhooks/endpoint-schema.ts";
import { aRun, type DeliveryWorld, eachDeliveryWorld } from "../../support/delivery-world.ts";
import { expectShape } from "../../support/group-api.ts";
import type { Receiver } from "../../support/receiver.ts";
import { endpointApi, type EndpointApi } from "./endpoint-api.ts";

const account = "acct_1";
const hour = 60 * 60 * 1_000;
const day = 24 * hour;

let world: DeliveryWorld;
let api: EndpointApi;
let receiver: Receiver;
let id: string;
let runs: number;
eachDeliveryWorld(async (opened) => {
  ({ world, receiver } = opened);
  api = endpointApi(world);
  ({ id } = (await world.addEndpoint(account, receiver.url)).endpoint);
  runs = 0;
});

const answerWith = (status: number) => {
  receiver.answer = (response) => response.writeHead(status).end();
};
const publish = (events = 1) => {
  runs += 1;
  const types = Array.from({ length: events }, () => "watchlist.product.changed" as const);
  const happenedAt = world.clock.now().toISOString();
  return world.publish(aRun(types, { runId: `wlrun_${runs}`, happenedAt }));
};
const run = async (events = 1): Promise<void> => {
  await publish(events);
  await world.deliverDue();
};
/** Advances the clock to a time, and makes the deliveries that are due on the way. */
const liveUntil = async (until: number): Promise<void> => {
  for (;;) {
    await world.deliverDue();
    const next = await world.nextDue();
    if (next === null || next.getTime() > until) break;
    world.clock.set(next.toISOString());
  }
  world.clock.set(new Date(until).toISOString());
};
const now = () => world.clock.now();
const shown = async () => {
  const answer = await api.call("GET", `webhook_endpoints/${id}`);
  expectShape(webhookEndpointSchema, answer);
  const { status, disabled_reason, failing_since, last_error, last_success_at, enabled } =
    answer.body;
  return { status, disabled_reason, failing_since, last_error, last_success_at, enabled };
};
const patch = (body: unknown) => {
  world.clock.advance(1);
  return api.call("PATCH", `webhook_endpoints/${id}`, { body });
};
const untouched = {
  status: "ok",
  enabled: true,
  disabled_reason: null,
  failing_since: null,
  last_error: null,
  last_success_at: null,
};
const logStates = async () => {
  const wanted = { limit: 100, before: null, filter: {} };
  const { deliveries } = await world.webhooks.deliveries.list(account, wanted);
  return deliveries.map(({ state, attempts }) => `${state} ${attempts.at(-1)?.error ?? ""}`);
};

describe("the health of a webhook endpoint", () => {
  it("is 'ok', with all other health fields null, before the first delivery", async () => {
    expect(await shown()).toEqual(untouched);
  });

  it("is returned in the response to the creation of the endpoint, without a read of the database", async () => {
    const get = async () => Promise.reject(new Error("read"));
    const creating = endpointApi(world, { states: { ...world.registering.states, get } });
    const { status, body } = await creating.call("POST", "webhook_endpoints", {
      body: { url: `${receiver.url}other` },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject(untouched);
  });

  it("contains the time of the last success in the response for one endpoint and in the list of endpoints", async () => {
    await run();

    const at = now().toISOString();
    expect(await shown()).toEqual({ ...untouched, last_success_at: at });
    const list = await api.call("GET", "webhook_endpoints");
    expectShape(webhookEndpointsResponse, list);
    expect(list.body["data"]).toMatchObject([{ status: "ok", last_success_at: at }]);
  });

  it("is 'failing' after three failures in a row, with the time of the first failure as its start", async () => {
    await run();
    const succeededAt = now().toISOString();
    answerWith(503);
    world.clock.advance(hour);
    const since = now().toISOString();
    await run();
    expect(await shown()).toMatchObject({
      status: "ok",
      failing_since: null,
      last_error: "status_503",
    });
    world.clock.advance(1_000);
    await run(2);

    expect(await shown()).toEqual({
      ...untouched,
      status: "failing",
      failing_since: since,
      last_error: "status_503",
      last_success_at: succeededAt,
    });
  });

  it("is 'ok' again after one successful delivery", async () => {
    answerWith(500);
    await run(3);
    expect(await shown()).toMatchObject({ status: "failing" });
    answerWith(204);
    world.clock.advance(5_000);
    await world.deliverDue();

    expect(await shown()).toEqual({ ...untouched, last_success_at: now().toISOString() });
  });

  it("is not changed by the result of a test delivery", async () => {
    answerWith(410);
    await api.call("POST", `webhook_endpoints/${id}/test`);
    expect(await shown()).toEqual(untouched);

    answerWith(500);
    await run(3);
    const failing = await shown();
    answerWith(204);
    await api.call("POST", `webhook_endpoints/${id}/test`);
    expect(await shown()).toEqual(failing);
  });

  it("is 'ok' or 'disabled' for an endpoint whose row the previous release stored", async () => {
    const remove = (enabled: boolean) =>
      world.client.send(
        new UpdateCommand({
          TableName: world.tableName,
          Key: deliveryKeys.endpoint(account, id),
          UpdateExpression: "SET enabled = :enabled REMOVE disabled_reason, receiving_since",
          ExpressionAttributeValues: { ":enabled": enabled },
        }),
      );
    await remove(true);
    expect(await shown()).toEqual(untouched);
    await run();
    expect(await shown()).toMatchObject({ last_success_at: now().toISOString() });
    await remove(false);
    expect(await shown()).toMatchObject({ status: "disabled", disabled_reason: "user" });
  });
});

describe("a 410 response from a receiver", () => {
  it("disables the endpoint and stores the reason, ends its pending deliveries, and prevents further ones", async () => {
    answerWith(500);
    await run(2);
    receiver.requests.length = 0;
    answerWith(410);
    await publish(4);
    await world.deliverDue();

    expect(receiver.requests).toHaveLength(1);
    expect(await shown()).toEqual({
      ...untouched,
      status: "disabled",
      enabled: false,
      disabled_reason: "gone",
      failing_since: now().toISOString(),
      last_error: "status_410",
    });
    expect((await logStates()).toSorted()).toEqual([
      ...Array.from({ length: 5 }, () => "failed endpoint_disabled"),
      "failed status_410",
    ]);
    expect(await world.nextDue()).toBeNull();
    await run();
    expect(receiver.requests).toHaveLength(1);
  });

  it("is not shown as the reason for the status after the endpoint is enabled again", async () => {
    answerWith(410);
    await run();
    answerWith(200);
    const answer = await patch({ enabled: true });

    expect(answer.body).toMatchObject(untouched);
    await run();
    expect(await shown()).toEqual({ ...untouched, last_success_at: now().toISOString() });
  });

  it.each([
    ["is enabled again", { enabled: false }, { enabled: true }],
    ["gets another URL", { url: "http://127.0.0.1:9000/other" }],
  ])(
    "does not disable an endpoint that changes before the response arrives (the endpoint %s)",
    async (_, ...changes) => {
      receiver.answer = (response) =>
        void (async () => {
          for (const change of changes) await patch(change);
          response.writeHead(410).end();
        })();
      await run();

      expect(await shown()).toMatchObject({
        status: "ok",
        disabled_reason: null,
        last_error: null,
      });
    },
  );

  it("disables the endpoint without overwriting a concurrent change of the endpoint by a client", async () => {
    receiver.answer = (response) =>
      void patch({ description: "shop" }).then(() => response.writeHead(410).end());
    await run();

    const { body } = await api.call("GET", `webhook_endpoints/${id}`);
    expect(body).toMatchObject({ description: "shop", disabled_reason: "gone", enabled: false });
  });

  it("is still shown as the reason for the status if a client then also disables the endpoint", async () => {
    answerWith(410);
    await run();
    await patch({ enabled: false });

    expect(await shown()).toMatchObject({ status: "disabled", disabled_reason: "gone" });
  });
});

describe("five days of failed deliveries", () => {
  it("disable the endpoint when one of the deliveries has exhausted its retries", async () => {
    const start = now().getTime();
    answerWith(500);
    for (let n = 0; n < 5; n += 1) {
      await publish();
      await liveUntil(start + (n + 1) * day - 1);
      expect(await shown()).toMatchObject({ enabled: true });
    }
    // The run of the third day has its tenth attempt on the sixth day.
    await liveUntil(start + 6 * day);

    expect(await shown()).toEqual({
      ...untouched,
      status: "disabled",
      enabled: false,
      disabled_reason: "failing",
      failing_since: new Date(start).toISOString(),
      last_error: "status_500",
    });
    expect(await world.nextDue()).toBeNull();
    const sent = receiver.requests.length;
    await run();
    expect(receiver.requests).toHaveLength(sent);
  });

  it("do not disable an endpoint that also had a successful delivery during these days", async () => {
    const start = now().getTime();
    answerWith(500);
    for (let n = 0; n < 8; n += 1) {
      await publish();
      await liveUntil(start + n * day + hour);
      // The only successful attempt is in the middle of the fourth day.
      if (n === 3) {
        answerWith(200);
        await run();
        answerWith(500);
      }
      await liveUntil(start + (n + 1) * day);
    }

    expect(await shown()).toMatchObject({ status: "failing", enabled: true });
  });

  it("do not disable an endpoint for which no delivery was attempted on most of these days", async () => {
    const start = now().getTime();
    answerWith(500);
    await publish();
    await liveUntil(start + 7 * day);
    await run();
    expect(await shown()).toMatchObject({ status: "failing", enabled: true });

    answerWith(200);
    await liveUntil(start + 8 * day);
    expect(await shown()).toMatchObject({ status: "ok", enabled: true });
  });

  it("are counted from 0 again after a user disables and enables the endpoint", async () => {
    const start = now().getTime();
    answerWith(500);
    await publish();
    await liveUntil(start + 4 * day);
    await patch({ enabled: false });
    await patch({ enabled: true });
    expect(await shown()).toEqual(untouched);
    await publish();
    await liveUntil(start + 8 * day);

    expect(await shown()).toMatchObject({ status: "failing", enabled: true });
  });
});
