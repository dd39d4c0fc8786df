import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { journalOf, journalPageOf } from "../../shared/aws/ledger/journal-page.ts";
import { shardOf } from "../../shared/aws/ledger/shard-row.ts";
import { customerBucketReader } from "../../tools/customer/bucket.ts";
import { eventually, type RunningWorld, startRunningWorld } from "../support/running-world.ts";

/**
 * Reserved IDs of the sandbox. The read of the first one takes 3 s, so the whole batch takes 3 s.
 * The price of the second one changes every millisecond.
 */
const ids = ["9000008", "9000001", "9000000", "9000007"];
const firstRunCredits = 4;
/** Longer than the lease of a delivery whose worker died. */
const patienceSeconds = 100;

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

let world: RunningWorld;
let receiver: Server;
const received: Event[] = [];

beforeAll(async () => {
  // The receiver is a separate server, which stays up when the world is killed.
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push(JSON.parse(Buffer.concat(chunks).toString("utf8")) as Event);
      response.end();
    });
  });
  await new Promise<void>((resolve) => {
    receiver.listen(0, "127.0.0.1", resolve);
  });
  world = await startRunningWorld();
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  await made("POST", "/webhook_endpoints", { url });
  const destination = {
    bucket: world.ready["export_bucket"],
    region: "us-east-1",
    endpoint: world.ready["s3_endpoint"],
    auth: "access_key",
    access_key_id: "customer",
    secret_access_key: "customer-secret",
  };
  await made("PUT", "/s3_destination", destination);
});

afterAll(async () => {
  await world.dispose();
  receiver.close();
});

/**
 * Creates a resource. Returns its ID.
 * @throws Error if the response does not have status 201
 */
async function made(method: "POST" | "PUT", path: string, body: unknown): Promise<string> {
  const answer = await world.api.send(method, path, body);
  if (answer.status !== 201)
    throw new Error(`${method} ${path} returned ${answer.status}, not 201`);
  return String(answer.body["id"]);
}

const createList = (): Promise<string> =>
  made("POST", "/watchlists", { name: "Killed", platform: "retailer_d", ids, every: "1h" });

async function endedRun(watchlistId: string): Promise<Record<string, unknown>> {
  return eventually("the run to end", patienceSeconds, async () => {
    const { body } = await world.api.get(`/watchlists/${watchlistId}/runs`);
    const [run] = body["data"] as Record<string, unknown>[];
    return run?.["status"] === "completed" && run["finished_at"] !== null ? run : undefined;
  });
}

async function rows(table: string | undefined): Promise<Record<string, unknown>[]> {
  const base = new DynamoDBClient({ endpoint: world.ready["dynamodb_endpoint"] ?? "" });
  const client = DynamoDBDocumentClient.from(base);
  const { Items = [] } = await client.send(new ScanCommand({ TableName: table }));
  base.destroy();
  return Items;
}

const moments = [
  { moment: "right after the creation of a watchlist", afterMs: 0 },
  { moment: "while the run starts", afterMs: 60 },
  { moment: "while the step reads", afterMs: 1_500 },
  { moment: "around the end of the step", afterMs: 3_080 },
  { moment: "while the run ends and delivers", afterMs: 3_130 },
];
/**
 * Each restart takes seconds of processor time. Without NIGHTLY=1, only the moments are tested at
 * which a run has the most unfinished work.
 */
const tested =
  process.env["NIGHTLY"] === "1"
    ? moments
    : moments.filter(({ afterMs }) => afterMs === 1_500 || afterMs === 3_130);

describe("the local world", () => {
  it.each(tested)(
    "that is restarted after a kill -9 $moment finishes the run, charges the run exactly once and loses no event",
    async ({ afterMs }) => {
      const before = Number((await world.api.get("/account")).body["credit_balance"]);
      const watchlistId = await createList();
      await delay(afterMs);
      await world.kill();
      await world.start();

      const run = await endedRun(watchlistId);
      expect(run).toMatchObject({
        credits: firstRunCredits,
        stats: { tracked: 4, steps: { check: { requested: 4, ok: 3, not_found: 1 } } },
      });
      const completed = await eventually(
        "run completed at the receiver",
        patienceSeconds,
        async () => received.find((event) => event.data["id"] === run["id"]),
      );
      const counts = completed.data["events"] as Record<string, number>;
      expect(counts).toEqual({ "watchlist.product.delisted": 1, "watchlist.run.completed": 1 });
      const delisted = received.find((event) => event.data["run_id"] === run["id"]);
      expect(delisted?.data["products"]).toMatchObject([{ id: "9000007", last_snapshot: null }]);

      const account = (await world.api.get("/account")).body;
      expect(account["credit_balance"]).toBe(before - firstRunCredits);
      expect(Number(account["credit_balance"]) + Number(account["credits_spent"])).toBe(5_000);

      const bucket = customerBucketReader(
        world.ready["s3_endpoint"] ?? "",
        world.ready["export_bucket"] ?? "",
      );
      await eventually("the manifest", patienceSeconds, async () => {
        const keys = (await bucket.keys()).filter((key) => key.includes(watchlistId));
        return keys.some((key) => key.endsWith("_manifest.json")) && keys.length === 3
          ? keys
          : undefined;
      });
      bucket.close();
    },
  );

  it("has no open hold after several kills, and the charges in the ledger equal the spent credits", async () => {
    const stored = await rows(world.ready["accounts_table"]);
    const shards = stored.filter(({ sk }) => sk === "shard").map(shardOf);
    expect(shards.flatMap((shard) => [...shard.holds.keys()])).toEqual([]);
    // Only holds of run steps have rows.
    const holds = stored.filter((row) => String(row["sk"]).startsWith("hold#"));
    expect(holds.length).toBeGreaterThanOrEqual(tested.length);
    expect(holds.filter((hold) => hold["state"] === "open")).toEqual([]);
    const pages = (await rows(world.ready["ledger_table"])).map(journalPageOf);
    const records = [...pages, ...shards.map(journalOf)].flatMap((page) => page.records);
    const spent = records
      .filter((record) => record.type === "settle")
      .reduce((sum, { charged }) => sum + charged, 0);
    expect(spent).toBe(Number((await world.api.get("/account")).body["credits_spent"]));
  });
});
