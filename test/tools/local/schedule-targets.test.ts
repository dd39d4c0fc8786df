import { afterEach, expect, it, vi } from "vitest";
import { readJson, serveFrom } from "../../../tools/local/local-server.ts";
import type { LambdaHost } from "../../../tools/local/lambda-host.ts";
import type { StoredSchedule } from "../../../tools/local/schedule-store.ts";
import { scheduleTargets } from "../../../tools/local/schedule-targets.ts";
import { resolveTemplates } from "../../../tools/local/template.ts";
import { fixtureStacks } from "./fixture-stacks.ts";

afterEach(() => vi.unstubAllEnvs());

const at = new Date("2026-03-01T10:30:00Z");
const templates = resolveTemplates(fixtureStacks, "http://127.0.0.1:1/000000000000");
const host: LambdaHost = {
  byReference: () => {
    throw new Error("no function is invoked");
  },
} as unknown as LambdaHost;

const schedule = (input: (queueUrl: string) => unknown, queueUrl: string): StoredSchedule => ({
  name: "wl_1",
  definition: {
    GroupName: "fixture-lists",
    ScheduleExpression: "rate(1 hour)",
    State: "ENABLED",
    ActionAfterCompletion: "NONE",
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: {
      Arn: "arn:aws:scheduler:::aws-sdk:sqs:sendMessage",
      RoleArn: "arn:aws:iam::000000000000:role/Fixture-service-SchedulerRole",
      Input: JSON.stringify(input(queueUrl)),
    },
  },
  fromTemplate: false,
  createdAt: 0,
  modifiedAt: 0,
  handledUntil: 0,
});

/** Fires a schedule once; returns the messages of its queue and the log lines of the world. */
async function fired(input: (queueUrl: string) => unknown) {
  const received: unknown[] = [];
  const logged: string[] = [];
  const queue = await serveFrom(0, (request, response) => {
    void readJson(request).then((body) => {
      received.push(body);
      response.end(JSON.stringify({ MessageId: "m1" }));
    });
  });
  vi.stubEnv("AWS_ENDPOINT_URL_SQS", queue.url);
  const targets = scheduleTargets({ templates, host, log: (line) => logged.push(line) });
  await targets.fire(schedule(input, queue.url), at);
  await targets.stop();
  await queue.close();
  return { received, logged, queueUrl: queue.url };
}

it("a schedule with the target SendMessage sends its message with the message group in the schedule's input", async () => {
  const { received, queueUrl } = await fired((QueueUrl) => ({
    QueueUrl,
    MessageBody: '{"due":"<aws.scheduler.scheduled-time>"}',
    MessageGroupId: "acct_1",
  }));
  expect(received).toEqual([
    { QueueUrl: queueUrl, MessageBody: '{"due":"2026-03-01T10:30:00Z"}', MessageGroupId: "acct_1" },
  ]);
});

it("a schedule with the target SendMessage is logged as failed if the local world does not support a parameter", async () => {
  const { received, logged } = await fired((QueueUrl) => ({
    QueueUrl,
    MessageBody: "due",
    DelaySeconds: 5,
  }));
  expect(received).toEqual([]);
  expect(logged).toEqual([expect.stringContaining("DelaySeconds")]);
});
