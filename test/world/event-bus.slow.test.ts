import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from "@aws-sdk/client-eventbridge";
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { apiClient } from "../../tools/customer/api-client.ts";
import { startTestWorld, type World } from "../support/local-world.ts";
import { eventually } from "../support/running-world.ts";

const busName = "retail-product-data-dev";

let world: World;
beforeAll(async () => {
  world = await startTestWorld({ eventBus: "on" });
});
afterAll(() => world.stop());

it("the local world sends the events of the feed through a rule of the event bus to a queue", async () => {
  const [bus, sqs] = [new EventBridgeClient({}), new SQSClient({ useQueueUrlAsEndpoint: false })];
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "mine" }));
  const EventPattern = JSON.stringify({ source: ["retail-product-data"] });
  await bus.send(new PutRuleCommand({ Name: "mine", EventBusName: busName, EventPattern }));
  const Arn = "arn:aws:sqs:us-east-1:000000000000:mine";
  const target = { Rule: "mine", EventBusName: busName, Targets: [{ Id: "queue", Arn }] };
  await bus.send(new PutTargetsCommand(target));
  const api = apiClient(world.baseUrl, world.apiKey);
  const created = await api.send("POST", "/watchlists", {
    name: "Bus",
    platform: "retailer_d",
    every: "1d",
    ids: ["9000000", "9000001"],
  });
  expect(created.status).toBe(201);
  await eventually("the second run starts", 60, async () => {
    const { status } = await api.send("POST", `/watchlists/${String(created.body["id"])}/run`);
    return status === 202 ? true : undefined;
  });

  const feed = await eventually("the events of both runs are in the feed", 60, async () => {
    const { body } = await api.get("/events?limit=100");
    const all = body["data"] as { type: string }[];
    const ended = all.filter(({ type }) => type === "watchlist.run.completed");
    return ended.length >= 2 ? all : undefined;
  });
  const received: { detail: { id: string } }[] = [];
  await eventually("the events are in the queue", 60, async () => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    if (Messages.length > 0) {
      const Entries = Messages.map(({ ReceiptHandle }, n) => ({ Id: `${n}`, ReceiptHandle }));
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    }
    received.push(...Messages.map(({ Body = "" }) => JSON.parse(Body) as (typeof received)[0]));
    return received.length >= feed.length ? true : undefined;
  });
  bus.destroy();
  sqs.destroy();

  const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);
  const details = received.map(({ detail }) => detail).toSorted(byId);
  expect(details).toEqual((feed as unknown as { id: string }[]).toSorted(byId));
});
