import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type FauxqsServer, startFauxqs } from "fauxqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { batchMessage } from "../../../../shared/messages/steps-queue.ts";
import { sqsRunQueue } from "../../../../shared/aws/queues/run-queue.ts";
import { limits } from "../../../../shared/base/limits.ts";
import type { BatchRef } from "../../../../shared/runs/batch.ts";
import { parse } from "valibot";

let server: FauxqsServer;
let client: SQSClient;
let steps: string;
beforeAll(async () => {
  server = await startFauxqs({ port: 0, logger: false });
  client = new SQSClient({
    endpoint: `http://127.0.0.1:${server.port}`,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const made = await client.send(new CreateQueueCommand({ QueueName: "steps" }));
  steps = made.QueueUrl ?? "";
});
afterAll(async () => {
  client.destroy();
  await server.stop();
});

const batch = (number: number): BatchRef => ({
  accountId: "acct_1",
  watchlistId: "wl_1",
  runNumber: 3,
  runId: "wlrun_1",
  step: "lite",
  plan: "p",
  starts: null,
  batch: number,
});

async function received(): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: steps, MaxNumberOfMessages: 10 }),
    );
    if (Messages.length === 0) return bodies;
    bodies.push(...Messages.map(({ Body = "" }) => parse(batchMessage, JSON.parse(Body))));
  }
}

describe("the messages of a step's batches", () => {
  it("are all sent, ten per request, in the form that the step worker parses", async () => {
    const batches = Array.from({ length: 23 }, (_, n) => batch(n));
    await sqsRunQueue(client, { steps }, 4).sendBatches(batches);
    const found = (await received()) as { batch: number }[];
    expect(found.toSorted((a, b) => a.batch - b.batch)).toEqual(
      batches.map((one) => Object.assign({}, one, { hops: 4 })),
    );
  });
});

describe("a chain of run queue messages, each of which the previous message caused,", () => {
  it("can have as many messages as a run of ten steps needs", () => {
    expect(limits.messageHopsMax).toBeGreaterThan(10 + 1);
  });

  it("ends with an error after 'limits.messageHopsMax' messages", () => {
    expect(() => sqsRunQueue(client, { steps }, limits.messageHopsMax + 1)).toThrow(
      `a chain of messages must have at most ${limits.messageHopsMax} hops (got ${limits.messageHopsMax + 1})`,
    );
  });
});

describe("the sending of a message to a queue without a configured URL", () => {
  it("throws an error, and sends nothing", async () => {
    await expect(
      sqsRunQueue(client, {}).sendResume({ accountId: "a", watchlistId: "w", runNumber: 1 }),
    ).rejects.toThrow(
      "The function has no URL of the runs queue. Set its environment variable RUNS_QUEUE_URL.",
    );
  });
});
