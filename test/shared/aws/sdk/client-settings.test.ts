import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, expect, it } from "vitest";
import { clientSettings, type ClientTimes } from "../../../../shared/aws/sdk/client-settings.ts";
import { isDependencyFailure } from "../../../../shared/base/dependency-failure.ts";
import { retryBudget, withRetryBudget } from "../../../../shared/base/retry-budget.ts";
import { systemClock } from "../../../../shared/base/system.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/**
 * Creates a store that responds to every request in the same way, and a client that calls this
 * store.
 */
async function storeThat(answer: Answer, times: ClientTimes) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = new DynamoDBClient({
    ...clientSettings(times),
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  stops.push(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  return {
    requests: () => requests,
    send: () => client.send(new ListTablesCommand({})).catch((error: unknown) => error),
  };
}

const never: Answer = () => {};

it("an AWS request that gets no response fails with a dependency failure after its last attempt", async () => {
  const store = await storeThat(never, { attemptMs: 20, attemptsMax: 2 });
  const error = await store.send();
  expect(error).toMatchObject({ name: "TimeoutError", $metadata: { attempts: 2 } });
  expect(isDependencyFailure(error)).toBe(true);
});

it("an AWS request whose response never ends fails with a dependency failure", async () => {
  const store = await storeThat(
    (_, response) => void response.writeHead(200, { "Content-Length": "100" }).write("{"),
    { attemptMs: 20, attemptsMax: 1 },
  );
  expect(isDependencyFailure(await store.send())).toBe(true);
});

it("an AWS request to an unreachable service fails with a dependency failure", async () => {
  const store = await storeThat((request) => void request.socket.destroy(), { attemptsMax: 1 });
  expect(isDependencyFailure(await store.send())).toBe(true);
});

it("an AWS request is not retried after its retry budget is used up, even if the SDK would allow more attempts", async () => {
  const store = await storeThat(never, { attemptMs: 60_000, attemptsMax: 3 });
  let ms = 0;
  // Each read of the clock is 30 ms later than the previous read.
  const clock = { ...systemClock, now: () => new Date((ms += 30)) };
  const budget = retryBudget({ clock, lossMs: 30 });
  const error = await withRetryBudget(budget, () => store.send());
  expect(isDependencyFailure(error)).toBe(true);
  expect(budget.leftMs()).toBe(0);
  expect(store.requests()).toBeLessThanOrEqual(1);
});

it("no AWS request is sent when its retry budget leaves no time", async () => {
  const store = await storeThat(never, {});
  const budget = retryBudget({ clock: systemClock, lossMs: 0 });
  expect(await withRetryBudget(budget, () => store.send())).toMatchObject({
    name: "OutOfTimeError",
  });
  expect(store.requests()).toBe(0);
});

it("every AWS client of the service is created with the shared client settings", () => {
  const root = join(import.meta.dirname, "../../../..");
  const made = ["functions", "shared"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => {
        const text = readFileSync(join(root, folder, name), "utf8");
        const clients = text.matchAll(/new (?:DynamoDB|KMS|S3|SQS|SSM|STS|\w+)Client\([^;]*/g);
        return [...clients].map(([client]) => `${folder}/${name}: ${client}`);
      }),
  );
  expect(made.length).toBeGreaterThanOrEqual(9);
  const other = made.filter((client) => !/(?:client|body)Settings\(/.test(client));
  // The client for customers' buckets uses the address policy of webhook receivers and separate
  // timeouts.
  expect(other.map((client) => client.split(":")[0])).toEqual([
    "shared/aws/exports/customer-bucket.ts",
  ]);
});
