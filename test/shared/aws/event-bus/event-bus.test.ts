import {
  EventBridgeClient,
  type PutEventsCommandInput,
  type PutEventsCommandOutput,
} from "@aws-sdk/client-eventbridge";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventBridgeBus } from "../../../../shared/aws/event-bus/event-bus.ts";
import type { BusEntry } from "../../../../shared/event-bus/event-bus.ts";
import { openDataFolder } from "../../../../tools/local/data-folder.ts";
import { eventBusEndpoint } from "../../../../tools/local/event-bus-endpoint.ts";
import { openBusRules } from "../../../../tools/local/event-bus-rules.ts";
import { serveFrom } from "../../../../tools/local/local-server.ts";
import { eventBusContract } from "../../../contracts/event-bus.contract.ts";
import { temporaryFolder } from "../../../tools/local/temporary-folder.ts";

async function open() {
  const arrived: BusEntry[] = [];
  const sources = new Set<string>();
  const folder = openDataFolder(temporaryFolder(), false);
  const endpoint = eventBusEndpoint({
    buses: ["events"],
    rules: openBusRules(folder),
    send: async () => expect.unreachable("there are no rules"),
    onEvent({ "detail-type": type, source, time, resources: [watchlistId = ""] }, detail) {
      sources.add(source);
      arrived.push({ type, createdAt: time, watchlistId, detail });
    },
  });
  const server = await serveFrom(0, endpoint);
  const client = new EventBridgeClient({
    endpoint: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  });
  const stop = async (): Promise<void> => {
    client.destroy();
    await server.close();
    folder.release();
  };
  onTestFinished(stop);
  return { bus: eventBridgeBus(client, { busName: "events" }), client, arrived, sources, server };
}

/** Makes a busy EventBridge refuse the entries at these positions of the client's next call. */
function refuseNext(client: EventBridgeClient, positions: readonly number[]): void {
  let refused: readonly number[] = positions;
  client.middlewareStack.add(
    (next) => async (args) => {
      const now = refused;
      refused = [];
      const input = args.input as PutEventsCommandInput;
      const { Entries = [] } = input;
      const passed = Entries.filter((_, n) => !now.includes(n));
      const result = await next({ ...args, input: { ...input, Entries: passed } });
      const output = result.output as PutEventsCommandOutput;
      const accepted = [...(output.Entries ?? [])];
      const all = Entries.map((_, n) =>
        now.includes(n)
          ? { ErrorCode: "InternalFailure", ErrorMessage: "busy" }
          : (accepted.shift() ?? {}),
      );
      return { ...result, output: { ...output, Entries: all } };
    },
    { step: "initialize" },
  );
}

describe("the adapter of the EventBridge event bus", () => {
  eventBusContract(async () => {
    const { bus, client, arrived } = await open();
    return {
      bus,
      arrived: async () => arrived,
      refuseNext: (positions) => refuseNext(client, positions),
    };
  });

  it("names the service as the source of each entry that it puts on the bus", async () => {
    const { bus, sources } = await open();
    const entry = { type: "t", createdAt: "2026-11-20T10:00:00.000Z", watchlistId: "wl_1" };

    await bus.put([{ ...entry, detail: "{}" }]);

    expect([...sources]).toEqual(["retail-product-data"]);
  });

  it("reports every entry as failed if EventBridge cannot be reached", async () => {
    const { bus, server } = await open();
    await server.close();
    const entry = { type: "t", createdAt: "2026-11-20T10:00:00.000Z", watchlistId: "wl_1" };

    const outcomes = await bus.put([{ ...entry, detail: "{}" }]);

    expect(outcomes).toEqual([{ outcome: "failed", reason: expect.any(String) }]);
  });
});
