import {
  CreateScheduleCommand,
  DeleteScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from "@aws-sdk/client-scheduler";
import type { CreateScheduleCommandInput } from "@aws-sdk/client-scheduler";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDataFolder } from "../../../tools/local/data-folder.ts";
import { serveFrom } from "../../../tools/local/local-server.ts";
import { startScheduleClock } from "../../../tools/local/schedule-clock.ts";
import { openScheduleStore } from "../../../tools/local/schedule-store.ts";
import {
  keepTemplateSchedules,
  schedulerEndpoint,
} from "../../../tools/local/scheduler-endpoint.ts";
import { resolveTemplates } from "../../../tools/local/template.ts";
import { fixtureStacks } from "./fixture-stacks.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const templates = resolveTemplates(fixtureStacks, "http://127.0.0.1:1/000000000000");
const roles = templates.ofType("AWS::IAM::Role").map(({ local }) => local.attributes["Arn"]);

async function start(dir = temporaryFolder()) {
  const folder = openDataFolder(dir, false);
  const store = openScheduleStore(folder);
  const fired: { name: string; at: string }[] = [];
  const clock = startScheduleClock(store, async ({ name }, at) => {
    fired.push({ name, at: at.toISOString() });
  });
  const server = await serveFrom(0, schedulerEndpoint({ templates, store, clock }));
  const client = new SchedulerClient({
    endpoint: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    client.destroy();
    await clock.stop();
    await server.close();
    store.close();
    folder.release();
  };
  onTestFinished(stop);
  return { client, store, fired, stop };
}

function schedule(more: Partial<CreateScheduleCommandInput> = {}): CreateScheduleCommandInput {
  return {
    Name: "wl_1",
    GroupName: "fixture-lists",
    ScheduleExpression: "rate(5 minutes)",
    StartDate: new Date(Date.now() + 3_600_000),
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: {
      Arn: "arn:aws:sqs:us-east-1:000000000000:Fixture-service-Jobs",
      RoleArn: roles[0],
      Input: '{"at":"<aws.scheduler.scheduled-time>"}',
    },
    ...more,
  };
}

const named = { Name: "wl_1", GroupName: "fixture-lists" };

describe("the local Scheduler API", () => {
  it("returns a created schedule with the values of the request", async () => {
    const { client } = await start();
    const StartDate = new Date(Math.ceil(Date.now() / 1000) * 1000 + 60_000);

    const { ScheduleArn } = await client.send(new CreateScheduleCommand(schedule({ StartDate })));
    const got = await client.send(new GetScheduleCommand(named));

    expect(ScheduleArn).toBe(
      "arn:aws:scheduler:us-east-1:000000000000:schedule/fixture-lists/wl_1",
    );
    expect(got).toMatchObject({
      ...schedule({ StartDate }),
      Arn: ScheduleArn,
      State: "ENABLED",
      ScheduleExpressionTimezone: "UTC",
      ActionAfterCompletion: "NONE",
    });
    expect(got.CreationDate).toBeInstanceOf(Date);
  });

  it("replaces the whole schedule in an update", async () => {
    const { client } = await start();
    await client.send(new CreateScheduleCommand(schedule({ Description: "before" })));

    await client.send(
      new UpdateScheduleCommand(
        schedule({
          ScheduleExpression: "cron(0 9 * * ? *)",
          StartDate: undefined,
          State: "DISABLED",
        }),
      ),
    );
    const got = await client.send(new GetScheduleCommand(named));

    expect(got).toMatchObject({ ScheduleExpression: "cron(0 9 * * ? *)", State: "DISABLED" });
    expect(got.Description).toBeUndefined();
    expect(got.StartDate).toBeUndefined();
  });

  it("lists schedules by group and name prefix, page by page", async () => {
    const { client } = await start();
    for (const Name of ["wl_1", "wl_2", "wl_3", "other"]) {
      await client.send(new CreateScheduleCommand(schedule({ Name })));
    }
    const query = { GroupName: "fixture-lists", NamePrefix: "wl_", MaxResults: 2 };

    const first = await client.send(new ListSchedulesCommand(query));
    const second = await client.send(
      new ListSchedulesCommand({ ...query, NextToken: first.NextToken }),
    );

    expect(first.Schedules?.map(({ Name }) => Name)).toEqual(["wl_1", "wl_2"]);
    expect(second.Schedules?.map(({ Name }) => Name)).toEqual(["wl_3"]);
    expect(second.NextToken).toBeUndefined();
    expect(
      (await client.send(new ListSchedulesCommand({ GroupName: "default" }))).Schedules,
    ).toEqual([]);
  });

  it("keeps its schedules after a restart, except deleted schedules", async () => {
    const dir = temporaryFolder();
    const before = await start(dir);
    await before.client.send(new CreateScheduleCommand(schedule()));
    await before.client.send(new CreateScheduleCommand(schedule({ Name: "wl_2" })));
    await before.client.send(new DeleteScheduleCommand(named));
    await before.stop();

    const { client } = await start(dir);

    await expect(client.send(new GetScheduleCommand(named))).rejects.toThrow("does not exist");
    expect((await client.send(new GetScheduleCommand({ ...named, Name: "wl_2" }))).Name).toBe(
      "wl_2",
    );
  });

  it("accepts a repeated request to create a schedule if the client token of the requests is the same", async () => {
    const { client } = await start();

    const create = new CreateScheduleCommand(schedule({ ClientToken: "one" }));

    const first = await client.send(create);
    const second = await client.send(create);

    expect(second.ScheduleArn).toBe(first.ScheduleArn);
  });
});

describe("the local Scheduler API", () => {
  it("refuses to create a second schedule of the same name, with a ConflictException", async () => {
    const { client } = await start();
    await client.send(new CreateScheduleCommand(schedule()));

    await expect(client.send(new CreateScheduleCommand(schedule()))).rejects.toMatchObject({
      name: "ConflictException",
      $metadata: { httpStatusCode: 409 },
    });
  });

  it("refuses a request for a missing schedule or group with a ResourceNotFoundException", async () => {
    const { client } = await start();
    const notFound = {
      name: "ResourceNotFoundException",
      $metadata: { httpStatusCode: 404 },
    };

    await expect(client.send(new GetScheduleCommand(named))).rejects.toMatchObject(notFound);
    await expect(client.send(new DeleteScheduleCommand(named))).rejects.toMatchObject(notFound);
    await expect(client.send(new UpdateScheduleCommand(schedule()))).rejects.toMatchObject(
      notFound,
    );
    await expect(
      client.send(new CreateScheduleCommand(schedule({ GroupName: "ghosts" }))),
    ).rejects.toMatchObject(notFound);
  });

  it.each([
    ["an invalid expression", { ScheduleExpression: "every 5 minutes" }],
    ["a start date in the distant past", { StartDate: new Date(Date.now() - 6 * 60_000) }],
    ["a time in the past", { ScheduleExpression: "at(2020-01-01T00:00:00)" }],
    ["a time zone other than UTC", { ScheduleExpressionTimezone: "Europe/Berlin" }],
    ["an invalid name", { Name: "a b" }],
    [
      "a role that the Scheduler cannot assume",
      { Target: { Arn: "arn:aws:sqs:us-east-1:000000000000:x", RoleArn: roles[1] } },
    ],
    [
      "a role that no template creates",
      { Target: { Arn: "arn:aws:sqs:us-east-1:000000000000:x", RoleArn: "arn:aws:iam::0:role/x" } },
    ],
  ])(
    "refuses an invalid request with a ValidationException (the request has %s)",
    async (_name, more) => {
      const { client } = await start();

      await expect(
        client.send(new CreateScheduleCommand(schedule(more as never))),
      ).rejects.toMatchObject({ name: "ValidationException", $metadata: { httpStatusCode: 400 } });
    },
  );
});

async function fires(fired: unknown[], count: number): Promise<void> {
  await expect.poll(() => fired.length).toBe(count);
}

describe("the local Scheduler", () => {
  it("fires a rate schedule for the first time at its start date", async () => {
    const { client, fired } = await start();
    const StartDate = new Date(Math.ceil(Date.now() / 1000) * 1000);

    await client.send(new CreateScheduleCommand(schedule({ StartDate })));

    await fires(fired, 1);
    expect(fired).toEqual([{ name: "wl_1", at: StartDate.toISOString() }]);
  });

  it("fires a one-time schedule, and then deletes the schedule if the schedule is configured so", async () => {
    const { client, fired, store } = await start();
    const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 1_000).toISOString().slice(0, 19);

    await client.send(
      new CreateScheduleCommand(
        schedule({ ScheduleExpression: `at(${at})`, ActionAfterCompletion: "DELETE" }),
      ),
    );

    await fires(fired, 1);
    await expect.poll(() => store.all()).toEqual([]);
  });

  it("fires a schedule only once at a restart that follows several missed times, and then at the schedule's usual times", async () => {
    const dir = temporaryFolder();
    const before = await start(dir);
    await before.client.send(new CreateScheduleCommand(schedule()));
    const [stored] = before.store.all();
    await before.stop();
    const folder = openDataFolder(dir, false);
    const store = openScheduleStore(folder);
    const minute = Math.floor(Date.now() / 60_000) * 60_000;
    const started = minute - 24 * 60_000;
    if (!stored) throw new Error("nothing was stored");
    store.put({
      ...stored,
      definition: { ...stored.definition, StartDate: started / 1000 },
      handledUntil: started,
    });
    store.close();
    folder.release();

    const after = await start(dir);

    await fires(after.fired, 1);
    expect(after.fired[0]?.at).toBe(new Date(started + 20 * 60_000).toISOString());
    await expect.poll(() => (after.store.all()[0]?.handledUntil ?? 0) >= minute).toBe(true);
    expect(after.fired).toHaveLength(1);
  });

  it("does not fire a disabled schedule", async () => {
    const { client, fired } = await start();
    const StartDate = new Date();
    await client.send(new CreateScheduleCommand(schedule({ StartDate, State: "DISABLED" })));
    await client.send(new CreateScheduleCommand(schedule({ Name: "wl_2", StartDate })));

    await fires(fired, 1);

    expect(fired[0]?.name).toBe("wl_2");
  });
});

describe("keepTemplateSchedules, at the start of a local world,", () => {
  it("creates the schedules of the templates, and deletes schedules that are not in the templates", async () => {
    const { store } = await start();
    keepTemplateSchedules(templates, store);
    expect(store.all().map(({ name }) => name)).toEqual(["Fixture-service-EveryMinute"]);

    keepTemplateSchedules(resolveTemplates([], ""), store);

    expect(store.all()).toEqual([]);
  });
});
