import {
  DeleteRuleCommand,
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from "@aws-sdk/client-eventbridge";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDataFolder } from "../../../tools/local/data-folder.ts";
import { type BusEvent, eventBusEndpoint } from "../../../tools/local/event-bus-endpoint.ts";
import { openBusRules } from "../../../tools/local/event-bus-rules.ts";
import { serveFrom } from "../../../tools/local/local-server.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const bus = "retail-product-data-dev";
const queueArn = "arn:aws:sqs:us-east-1:000000000000:mine";

async function start(dir = temporaryFolder()) {
  const folder = openDataFolder(dir, false);
  const sent: { arn: string; event: BusEvent }[] = [];
  const endpoint = eventBusEndpoint({
    buses: [bus],
    rules: openBusRules(folder),
    send: async (arn, event) => void sent.push({ arn, event }),
  });
  const server = await serveFrom(0, endpoint);
  const client = new EventBridgeClient({
    endpoint: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  });
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    client.destroy();
    await server.close();
    folder.release();
  };
  onTestFinished(stop);
  const rule = async (pattern: unknown): Promise<void> => {
    const EventPattern = JSON.stringify(pattern);
    await client.send(new PutRuleCommand({ Name: "mine", EventBusName: bus, EventPattern }));
    const Targets = [{ Id: "queue", Arn: queueArn }];
    await client.send(new PutTargetsCommand({ Rule: "mine", EventBusName: bus, Targets }));
  };
  const put = (type: string, detail: string, name = bus) =>
    client.send(
      new PutEventsCommand({
        Entries: [
          {
            EventBusName: name,
            Source: "retail-product-data",
            DetailType: type,
            Detail: detail,
            Resources: ["wl_1"],
            Time: new Date("2026-11-20T10:00:00.000Z"),
          },
        ],
      }),
    );
  return { client, url: server.url, sent, rule, put, stop };
}

describe("the local EventBridge endpoint", () => {
  it("sends an event to the queues of all rules whose pattern matches the event", async () => {
    const { rule, put, sent } = await start();
    await rule({
      source: ["retail-product-data"],
      "detail-type": [{ prefix: "watchlist.product." }],
      resources: ["wl_1", "wl_2"],
      detail: { data: { part: [1] } },
    });

    await put("watchlist.product.changed", '{"data":{"part":1}}');
    await put("watchlist.product.changed", '{"data":{"part":2}}');
    await put("watchlist.run.completed", '{"data":{"part":1}}');

    expect(sent).toEqual([
      {
        arn: queueArn,
        event: {
          version: "0",
          id: expect.any(String),
          "detail-type": "watchlist.product.changed",
          source: "retail-product-data",
          account: "000000000000",
          time: "2026-11-20T10:00:00.000Z",
          region: "us-east-1",
          resources: ["wl_1"],
          detail: { data: { part: 1 } },
        },
      },
    ]);
  });

  it("keeps its rules after a restart until a client deletes them", async () => {
    const dir = temporaryFolder();
    const first = await start(dir);
    await first.rule({ source: ["retail-product-data"] });
    await first.stop();

    const second = await start(dir);
    await second.put("watchlist.run.completed", "{}");
    expect(second.sent).toHaveLength(1);
    await second.client.send(new DeleteRuleCommand({ Name: "mine", EventBusName: bus }));
    await second.put("watchlist.run.completed", "{}");
    expect(second.sent).toHaveLength(1);
  });

  it("returns the latest events at the path /events", async () => {
    const { put, url } = await start();
    await put("watchlist.run.completed", '{"id":"evt_1"}');

    const answer = await fetch(`${url}/events`);

    expect(await answer.json()).toMatchObject({ events: [{ detail: { id: "evt_1" } }] });
  });

  it("refuses an event detail that is not a JSON object, as EventBridge does", async () => {
    const { put } = await start();

    expect(await put("watchlist.run.completed", "[]")).toMatchObject({
      FailedEntryCount: 1,
      Entries: [{ ErrorCode: "MalformedDetail" }],
    });
  });

  it("accepts and drops an event for an unknown bus, as EventBridge does", async () => {
    const { put, url } = await start();

    expect(await put("watchlist.run.completed", "{}", "other")).toMatchObject({
      FailedEntryCount: 0,
    });
    expect(await (await fetch(`${url}/events`)).json()).toEqual({ events: [] });
  });

  it("matches the pattern of an object if one entry of a list in the event matches, as EventBridge does", async () => {
    const { rule, put, sent } = await start();
    await rule({ detail: { data: { changes: { field: ["price"], before: [10] } } } });

    const price = { field: "price", before: 10 };
    const stock = { field: "stock", before: 1 };
    await put("t", JSON.stringify({ data: { changes: [stock, price] } }));
    expect(sent).toHaveLength(1);
    await put("t", JSON.stringify({ data: { changes: [stock, { ...price, before: 9 }] } }));
    await put("t", JSON.stringify({ data: { changes: [] } }));
    expect(sent).toHaveLength(1);
  });

  it.each([
    [{ source: [{ "anything-but": ["a"] }] }, '{"anything-but":["a"]} in source.0'],
    [{ source: [{ "anything-but": { prefix: "a" } }] }, "in source.0"],
    [{ source: [{ prefix: { "equals-ignore-case": "a" } }] }, "in source.0"],
    [{ source: [{ suffix: "a" }] }, "in source.0"],
    [{ source: [{ "equals-ignore-case": "a" }] }, "in source.0"],
    [{ source: [{ wildcard: "a*" }] }, "in source.0"],
    [{ source: [{ cidr: "10.0.0.0/24" }] }, "in source.0"],
    [{ source: ["a", { exists: false }] }, '{"exists":false} in source.1'],
    [{ detail: { data: { part: [{ numeric: [">", 0] }] } } }, "in detail.data.part.0"],
    [{ $or: [{ source: ["a"] }, { source: ["b"] }] }, "in $or.0"],
    [{ source: [["a"]] }, '["a"] in source.0'],
    [{ source: "a" }, '"a" in source'],
    [{ source: [] }, "[] in source"],
    [{ detail: {} }, "{} in detail"],
    [{}, "{} in the pattern"],
    [[{ source: ["a"] }], "in the pattern"],
  ])(
    "refuses the unsupported pattern %j, and names the unsupported part",
    async (pattern, place) => {
      const { rule, put, sent } = await start();
      const refused = rule(pattern);
      await expect(refused).rejects.toMatchObject({ name: "InvalidEventPatternException" });
      await expect(refused).rejects.toThrow(place);
      await put("watchlist.run.completed", "{}");
      expect(sent).toEqual([]);
    },
  );

  it("refuses a pattern that is not JSON, or that contains a number that EventBridge compares as text", async () => {
    const { client } = await start();
    const putRule = (EventPattern: string) =>
      client.send(new PutRuleCommand({ Name: "mine", EventBusName: bus, EventPattern }));
    await expect(putRule("{")).rejects.toMatchObject({ name: "InvalidEventPatternException" });
    await expect(putRule('{"detail":{"part":[1.0]}}')).rejects.toThrow(
      "so 1.0 does not match 1. Write 1 in the pattern.",
    );
  });

  it("refuses a rule of an unknown bus", async () => {
    const { client } = await start();
    const unknown = { Name: "mine", EventBusName: "other", EventPattern: '{"source":["a"]}' };
    await expect(client.send(new PutRuleCommand(unknown))).rejects.toMatchObject({
      name: "ResourceNotFoundException",
    });
  });
});
