import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
} from "@aws-sdk/client-scheduler";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDataFolder } from "../../../../tools/local/data-folder.ts";
import { serveFrom } from "../../../../tools/local/local-server.ts";
import { startScheduleClock } from "../../../../tools/local/schedule-clock.ts";
import { openScheduleStore } from "../../../../tools/local/schedule-store.ts";
import { schedulerEndpoint } from "../../../../tools/local/scheduler-endpoint.ts";
import { parseExpression } from "../../../../tools/local/schedule-expression.ts";
import { resolveTemplates } from "../../../../tools/local/template.ts";
import { eventBridgeSchedules } from "../../../../shared/aws/watchlists/schedules.ts";
import {
  cronSchedule,
  parseEvery,
  runTimesAfter,
  type Schedule,
} from "../../../../shared/watchlists/schedule.ts";
import type { Schedules } from "../../../../shared/watchlists/schedules.ts";
import { fixtureStacks } from "../../../tools/local/fixture-stacks.ts";

const group = "fixture-lists";
const queueUrl = "http://127.0.0.1:1/000000000000/Fixture-service-Jobs";
let client: SchedulerClient;
let schedules: Schedules;
let roleArn: string;
let endpoint: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  const templates = resolveTemplates(fixtureStacks, "http://127.0.0.1:1/000000000000");
  const [role] = templates.ofType("AWS::IAM::Role").map(({ local }) => local.attributes["Arn"]);
  const dir = mkdtempSync(join(tmpdir(), "schedules-"));
  const folder = openDataFolder(dir, false);
  const store = openScheduleStore(folder);
  const clock = startScheduleClock(store, async () => {});
  const server = await serveFrom(0, schedulerEndpoint({ templates, store, clock }));
  endpoint = server.url;
  client = new SchedulerClient({ endpoint });
  roleArn = role ?? "";
  schedules = eventBridgeSchedules(client, { group, queueUrl, roleArn });
  stop = async () => {
    client.destroy();
    await clock.stop();
    await server.close();
    store.close();
    folder.release();
    rmSync(dir, { recursive: true, force: true });
  };
});
afterAll(() => stop());

const inHours = (hours: number): Date =>
  new Date(Math.ceil(Date.now() / 1_000) * 1_000 + hours * 3_600_000);
const put = (watchlistId: string, schedule: Schedule, firstAt = inHours(1)): Promise<void> =>
  schedules.put({ accountId: "acct_1", watchlistId, schedule, firstAt });
const got = (watchlistId: string) =>
  client.send(new GetScheduleCommand({ Name: watchlistId, GroupName: group }));

const inputOf = async (watchlistId: string): Promise<Readonly<Record<string, string>>> => {
  const { Target } = await got(watchlistId);
  return JSON.parse(Target?.Input ?? "{}") as Readonly<Record<string, string>>;
};

describe("the schedule of a watchlist", () => {
  it("is created again if another call deletes it while it is being replaced", async () => {
    await put("wl_contended", parseEvery("1h"));
    const removing = new SchedulerClient({ endpoint });
    let removed = 0;
    removing.middlewareStack.add(
      (next, context) => async (args) => {
        if (context["commandName"] === "UpdateScheduleCommand" && removed < 2) {
          removed += 1;
          await schedules.remove("wl_contended");
        }
        return next(args);
      },
      { step: "initialize" },
    );
    const contended = eventBridgeSchedules(removing, { group, queueUrl, roleArn });
    await contended.put({
      accountId: "acct_1",
      watchlistId: "wl_contended",
      schedule: parseEvery("5m"),
      firstAt: inHours(1),
    });
    removing.destroy();

    expect(removed).toBe(1);
    expect(await got("wl_contended")).toMatchObject({ ScheduleExpression: "rate(5 minutes)" });
  });

  it.each([
    ["5m", "rate(5 minutes)"],
    ["1h", "rate(60 minutes)"],
    ["7d", "rate(10080 minutes)"],
  ])(
    'of the cadence "%s" is stored as the expression %s, and starts at the first due time',
    async (every, expression) => {
      const firstAt = inHours(3);
      await put(`wl_${every}`, parseEvery(every), firstAt);

      expect(await got(`wl_${every}`)).toMatchObject({
        ScheduleExpression: expression,
        StartDate: firstAt,
        FlexibleTimeWindow: { Mode: "OFF" },
        Target: { Arn: "arn:aws:scheduler:::aws-sdk:sqs:sendMessage", RoleArn: roleArn },
      });
    },
  );

  it("sends a queue message that contains the watchlist and its due time", async () => {
    await put("wl_message", parseEvery("1h"));

    const { QueueUrl, MessageBody } = await inputOf("wl_message");
    expect(QueueUrl).toBe(queueUrl);
    expect(JSON.parse(MessageBody ?? "")).toEqual({
      type: "due",
      account_id: "acct_1",
      watchlist_id: "wl_message",
      scheduled_time: "<aws.scheduler.scheduled-time>",
      hops: 0,
    });
  });

  it("sends its message in the message group of its account", async () => {
    await put("wl_group", parseEvery("1h"));
    expect(await inputOf("wl_group")).toMatchObject({ MessageGroupId: "acct_1" });
  });

  it("sends its message through the universal target of the AWS partition in the role's ARN", async () => {
    const sent: unknown[] = [];
    const recording = new SchedulerClient({ endpoint });
    recording.middlewareStack.add(
      () =>
        async ({ input }) => {
          sent.push(input);
          return { output: { $metadata: {} }, response: {} };
        },
      { step: "initialize" },
    );
    const inChina = eventBridgeSchedules(recording, {
      group,
      queueUrl,
      roleArn: "arn:aws-cn:iam::000000000000:role/Schedules",
    });
    const schedule = parseEvery("1h");
    await inChina.put({ accountId: "acct_1", watchlistId: "wl_1", schedule, firstAt: inHours(1) });
    recording.destroy();

    expect(sent).toMatchObject([
      { Target: { Arn: "arn:aws-cn:scheduler:::aws-sdk:sqs:sendMessage" } },
    ]);
  });

  it("changes from the templated target for queues to the universal target when it is stored again", async () => {
    await client.send(
      new CreateScheduleCommand({
        Name: "wl_templated",
        GroupName: group,
        ScheduleExpression: "rate(60 minutes)",
        FlexibleTimeWindow: { Mode: "OFF" },
        Target: {
          Arn: "arn:aws:sqs:us-east-1:000000000000:Fixture-service-Jobs",
          RoleArn: roleArn,
          Input: "{}",
        },
      }),
    );
    await put("wl_templated", parseEvery("1h"));
    expect(await inputOf("wl_templated")).toMatchObject({ MessageGroupId: "acct_1" });
  });

  it.each([
    ["30 8 * * MON-FRI", "Europe/Berlin"],
    ["*/15 22-23 * * *", "America/St_Johns"],
    ["0 0 13 * FRI", "Pacific/Chatham"],
    ["@monthly", "Asia/Kolkata"],
  ])(
    "of the cron %s in the time zone %s fires at each due time of the watchlist",
    async (cron, timezone) => {
      const schedule = cronSchedule(cron, timezone);
      const name = `wl_cron_${timezone.replace("/", "_")}`;
      await put(name, schedule);

      const { ScheduleExpression: expression = "", StartDate } = await got(name);
      expect(StartDate).toBeUndefined();
      const start = inHours(1);
      const ticker = parseExpression({ expression, startDate: start, endDate: null });
      for (const due of runTimesAfter(schedule, start, 60)) {
        expect(ticker.next(new Date(due.getTime() - 1))).toEqual(due);
      }
    },
  );

  it("is replaced when the watchlist changes from a cadence to a cron, or from a cron to a cadence", async () => {
    await put("wl_1", parseEvery("1h"));
    await put("wl_1", cronSchedule("0 12 * * *", "UTC"));
    expect((await got("wl_1")).ScheduleExpression).toMatch(/^cron\(0 12 /);

    const firstAt = inHours(2);
    await put("wl_1", parseEvery("2h"), firstAt);
    expect(await got("wl_1")).toMatchObject({
      ScheduleExpression: "rate(120 minutes)",
      StartDate: firstAt,
    });
  });

  it("is deleted by the function 'remove', which also succeeds if it is called again", async () => {
    await put("wl_gone", parseEvery("1h"));
    await schedules.remove("wl_gone");
    await schedules.remove("wl_gone");

    const { Schedules: found = [] } = await client.send(
      new ListSchedulesCommand({ GroupName: group }),
    );
    expect(found.map(({ Name }) => Name)).not.toContain("wl_gone");
  });
});
