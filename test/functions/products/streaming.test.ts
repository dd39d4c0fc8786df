import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHandler } from "../../../functions/products/handler.ts";
import { provideStreaming, responseStream } from "../../../tools/local/response-stream.ts";
import { startTestWorld, type World } from "../../support/local-world.ts";
import { createAccount, createApiKey } from "../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../shared/aws/accounts/account-store.ts";
import { documentClient } from "../../../shared/aws/table/dynamo.ts";
import { afterReadingMs } from "../../support/after-reading.ts";
import { expectDocumented } from "../../support/openapi.ts";
import { systemRandom, systemClock } from "../../../shared/base/system.ts";

let world: World;
let key: string;

beforeAll(async () => {
  world = await startTestWorld();
  const tables = world.environmentOf("products");
  const accounts = dynamoAccountStore(documentClient(), {
    accounts: tables["ACCOUNTS_TABLE"] ?? "",
  });
  const deps = { accounts, clock: systemClock, random: systemRandom };
  const account = await createAccount(
    { name: "Streams", email: "s@example.com", signupCredits: 100_000 },
    deps,
  );
  key = (await createApiKey({ account, name: "streams" }, deps)).key;
});
afterAll(() => world.stop());

const asins = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `B${String(100_000_000 + n)}`);

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly bytes: Buffer;
}

/** Makes a call without `fetch`, which would decompress the response. */
function call(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${world.baseUrl}/v1/products`,
      {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            bytes: Buffer.concat(chunks),
          });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(JSON.stringify(body));
  });
}

const parsed = (
  bytes: Buffer,
): { results: Record<string, unknown>[]; stats: Record<string, number>; credits: number } =>
  JSON.parse(bytes.toString("utf8")) as never;

describe("POST /v1/products in streaming mode", () => {
  it("returns 10,000 items at tier 'pulse' in one call, each once and in order", async () => {
    const ids = asins(10_000);
    const answer = await call({ platform: "retailer_a", tier: "pulse", ids });
    expect(answer.status).toBe(200);
    const { results, stats, credits } = parsed(answer.bytes);
    expectDocumented("POST /v1/products", answer.status, JSON.parse(answer.bytes.toString()));
    expect(results.map((result) => result["id"])).toEqual(ids);
    expect(stats["requested"]).toBe(10_000);
    const charged = (stats["ok"] ?? 0) + (stats["notFound"] ?? 0);
    expect(credits).toBe(Math.ceil(charged / 4));
    expect(answer.headers["x-service-credits"]).toBe(String(credits));
  });

  it("returns 2,000 items at tier 'full', with more bytes than a buffered Lambda response may have", async () => {
    const answer = await call({ platform: "retailer_a", tier: "full", ids: asins(2_000) });
    expect(answer.status).toBe(200);
    expect(answer.bytes.length).toBeGreaterThan(6 * 1_024 * 1_024);
    expect(parsed(answer.bytes).results).toHaveLength(2_000);
  });

  it("compresses its response only for a client that accepts gzip", async () => {
    const body = { platform: "retailer_a", tier: "lite", ids: asins(500) };
    const zipped = await call(body, { "Accept-Encoding": "gzip" });
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect(parsed(gunzipSync(zipped.bytes)).results).toHaveLength(500);
    for (const accepted of [{}, { "Accept-Encoding": "gzip;q=0" }, { "Accept-Encoding": "br" }]) {
      const plain = await call(body, accepted);
      expect(plain.headers["content-encoding"]).toBeUndefined();
      expect(parsed(plain.bytes).results).toHaveLength(500);
    }
  });

  it("returns items that were not read by the deadline with the status 'unavailable', and refunds their credits", async () => {
    provideStreaming();
    const handler = createHandler(world.environmentOf("products")) as unknown as (
      ...args: unknown[]
    ) => Promise<void>;
    const chunks: Buffer[] = [];
    const stream = responseStream({
      begin: () => {},
      write: async (chunk) => {
        chunks.push(chunk);
      },
    });
    const event = {
      httpMethod: "POST",
      path: "/v1/products",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ platform: "retailer_d", ids: ["9000008"] }),
      isBase64Encoded: false,
      requestContext: { path: "/v1/products", identity: { sourceIp: "127.0.0.1" } },
    };
    // The call has one second to read in, and the slow ID takes three.
    const context = { getRemainingTimeInMillis: () => afterReadingMs + 1_000 };
    await handler(event, stream, context);
    const { results, credits, stats } = parsed(Buffer.concat(chunks));
    expect(results).toMatchObject([{ id: "9000008", status: "unavailable" }]);
    expect(stats).toMatchObject({ ok: 0, unavailable: 1 });
    expect(credits).toBe(0);
  });
});
