import { setTimeout as delay } from "node:timers/promises";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { watchlistKeys } from "../../shared/aws/table/table.ts";
import type { World } from "../../tools/local/world.ts";
import type { ApiClient } from "../../tools/customer/api-client.ts";

interface InventedWatchlist {
  readonly body: Readonly<Record<string, unknown>>;
  /** The number of runs, including the first. */
  readonly runs: number;
  /** The minutes between two scheduled runs. */
  readonly everyMinutes: number;
  readonly paused?: true;
  /** How many deliveries of the last run the receiver refuses. */
  readonly refused?: number;
}

/** Returns `count` item IDs from `first` on, with irregular gaps, as between real IDs. */
const idsFrom = (first: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => String(first + n * 7_919 + ((n * n) % 613)));

/** Sandbox items whose price and stock change with every read or every minute. */
const movingIds = ["9000001", "9000002", "9000004"];

const lists = (endpointUrl: string): readonly InventedWatchlist[] => [
  {
    body: {
      name: "Key items",
      platform: "retailer_d",
      ids: [...movingIds, "9000005", "9000006", ...idsFrom(9_101_234, 31)],
      every: "15m",
    },
    runs: 5,
    everyMinutes: 15,
  },
  {
    body: {
      name: "Offers, weekdays at noon in Berlin",
      platform: "retailer_a",
      ids: ["B0SANDBOX1", ...idsFrom(1_234_567, 17).map((digits) => `B0C${digits}`)],
      cron: "0 12 * * MON-FRI",
      timezone: "Europe/Berlin",
      webhook_url: endpointUrl,
    },
    runs: 3,
    everyMinutes: 24 * 60,
    refused: 1,
  },
  {
    body: {
      name: "Price match",
      platform: "retailer_b",
      ids: [...movingIds, ...idsFrom(91_450_118, 57)],
      every: "6h",
    },
    runs: 4,
    everyMinutes: 6 * 60,
  },
  {
    body: {
      name: "Promotion, until spring",
      platform: "retailer_c",
      ids: idsFrom(81_450_118, 24),
      every: "1d",
    },
    runs: 1,
    everyMinutes: 24 * 60,
    paused: true,
  },
];

/**
 * Creates watchlists with runs, changes and deliveries, and waits until the runs have ended. Then
 * moves the times of the runs into the past, except those of the last run of each watchlist.
 * @param endpointUrl The webhook URL that receives the events of one of the watchlists.
 * @throws Error if a watchlist is not created, or if a run does not end in time.
 */
export async function inventLists(
  world: World,
  api: ApiClient,
  endpointUrl: string,
): Promise<void> {
  for (const list of lists(endpointUrl)) {
    const { body, status } = await api.send("POST", "/watchlists", list.body);
    if (status !== 201) {
      throw new Error(
        `POST /watchlists returned HTTP ${status} (expected 201): ${JSON.stringify(body)}. Correct the body of the watchlist in scripts/dashboard/invented-lists.ts.`,
      );
    }
    const path = `/watchlists/${String(body["id"])}`;
    await runsEnded(api, path, 1);
    for (let run = 2; run <= list.runs; run += 1) {
      if (run === list.runs) await failNextDeliveries(world, list.refused ?? 0);
      await runAgain(api, path);
      await runsEnded(api, path, run);
    }
    await moveRunsBack(world, api, { path, ...list });
    if (list.paused) await api.send("PATCH", path, { status: "paused" });
  }
}

const patienceMs = 60_000;
const lookMs = 150;

/**
 * Polls until a condition holds.
 * @throws Error if it does not hold in time
 */
async function waitUntil(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await isSo())) {
    if (Date.now() > deadline)
      throw new Error(
        `Timed out after ${patienceMs / 1_000} s while waiting for ${what}. Check the output of the local world.`,
      );
    await delay(lookMs);
  }
}

interface ShownRun {
  readonly run_number: number;
  readonly status: string;
  readonly started_at: string;
  readonly finished_at: string;
}

async function runsOf(api: ApiClient, path: string): Promise<readonly ShownRun[]> {
  const { body } = await api.get(`${path}/runs`);
  return Array.isArray(body["data"]) ? body["data"] : [];
}

const runsEnded = (api: ApiClient, path: string, count: number): Promise<void> =>
  waitUntil(`run ${count} of ${path}`, async () => {
    const ended = (await runsOf(api, path)).filter(({ status }) => status !== "running");
    return ended.length >= count;
  });

/**
 * Starts another run. Repeats the call while the API refuses it because the previous run is in
 * progress.
 */
const runAgain = (api: ApiClient, path: string): Promise<void> =>
  waitUntil(
    `another run of ${path}`,
    async () => (await api.send("POST", `${path}/run`)).status === 202,
  );

async function failNextDeliveries(world: World, times: number): Promise<void> {
  const body = JSON.stringify({ status: 503, times });
  await fetch(`${world.receiverUrl}/behavior`, { method: "POST", body });
}

/**
 * Changes the times of runs to the times of the schedule in the past. A run starts shortly after
 * its due time.
 */
async function moveRunsBack(
  world: World,
  api: ApiClient,
  { path, everyMinutes }: { readonly path: string; readonly everyMinutes: number },
): Promise<void> {
  const runs = await runsOf(api, path);
  const last = Math.max(...runs.map(({ run_number: n }) => n));
  for (const run of runs) {
    const back = (last - run.run_number) * everyMinutes * 60_000;
    const moved = (time: string): string => new Date(Date.parse(time) - back).toISOString();
    await documentClient().send(
      new UpdateCommand({
        TableName: world.environmentOf("watchlists")["WATCHLISTS_TABLE"] ?? "",
        Key: watchlistKeys.run(path.split("/").at(-1) ?? "", run.run_number),
        UpdateExpression: "SET started_at = :start, finished_at = :end, #trigger = :trigger",
        ExpressionAttributeNames: { "#trigger": "trigger" },
        ExpressionAttributeValues: {
          ":start": moved(run.started_at),
          ":end": moved(run.finished_at),
          ":trigger": run.run_number === 1 ? "initial" : "schedule",
        },
      }),
    );
  }
}
