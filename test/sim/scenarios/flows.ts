import { checkCalls, type RecordedCall } from "../checks/calls.ts";
import { watchLedgers } from "../checks/ledger-watch.ts";
import type { ApiAnswer, ApiRequest } from "../api.ts";
import type { Scenario } from "../scenario.ts";
import type { User, World } from "../world.ts";
import { changeItems, patch, playRuns, type RunsPlan } from "./runs.ts";
import type { WatchlistScene, RunsScene } from "./runs-scene.ts";
import { type WatchlistRequest, offersPipeline } from "./runs-watchlists.ts";
import { presentPipeline } from "../../../shared/pipelines/default.ts";

/**
 * Short deterministic workloads. `--exhaustive` injects a single fault at each of their requests. A
 * client repeats a call that got no response or a status of 500 or above.
 */
export const flows: readonly Scenario[] = [
  calling("read products", (user) => [products(user, "lite")]),
  calling("read offers", (user) => [
    post(user, "/v1/offers", { platform: "retailer_a", ids: someIds }),
  ]),
  calling("read beyond the credits", (user) => [products(user, "full")], 3),
  calling("make, list and revoke a key", (user) => [
    post(user, "/v1/api_keys", { name: "another" }),
    { method: "GET", path: "/v1/api_keys", key: user.key },
    { method: "GET", path: "/v1/account", key: user.key },
  ]),
  running("run a first time", { every: "5m" }),
  running("run again on a schedule", { every: "5m" }, { minutes: 6 }),
  running(
    "run by cron in a zone",
    { cron: "*/5 * * * *", timezone: "Europe/Berlin" },
    { minutes: 6 },
  ),
  running("run through offers and offer checks", {
    every: "1h",
    pipeline: presentPipeline(offersPipeline),
  }),
  running(
    "run out of credits",
    { every: "5m" },
    {
      minutes: 6,
      credits: 3,
    },
  ),
  running(
    "change items while it runs",
    { every: "5m" },
    {
      minutes: 6,
      act: async (scene, list) => {
        await scene.world.pause(200);
        await changeItems(scene, list, {
          add: list.request.others,
          remove: list.request.ids.slice(0, 1),
        });
      },
    },
  ),
  running(
    "delete a watchlist while it runs",
    { every: "5m" },
    {
      act: async ({ world }, list) => {
        await world.pause(300);
        list.isDeletionAsked = true;
        const path = `/v1/watchlists/${list.id}`;
        const answer = await insist(world, { method: "DELETE", path, key: list.user.key });
        if (answer.status === 200) list.deletedAt = world.tasks.now();
      },
    },
  ),
  running(
    "pause, run manually and resume",
    { every: "1h" },
    {
      minutes: 6,
      act: async (scene, list) => {
        const { world } = scene;
        const path = `/v1/watchlists/${list.id}/run`;
        await patch(scene, list, { status: "paused" });
        await world.pause(60_000);
        await insist(world, { method: "POST", path, key: list.user.key });
        await patch(scene, list, { status: "active" });
      },
    },
  ),
];

const someIds = ["B000000001", "B000000002"];

const post = (user: User, path: string, body: unknown): ApiRequest => ({
  method: "POST",
  path,
  key: user.key,
  body,
});
const products = (user: User, tier: string): ApiRequest =>
  post(user, "/v1/products", { platform: "retailer_a", ids: someIds, tier });

const triesMax = 4;
const waitMs = 2_000;

/**
 * Calls the API until the status is below 500.
 * @throws Error after four calls
 */
async function insist(world: World, request: ApiRequest): Promise<ApiAnswer> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const answer = await world.call(request);
    if (answer !== undefined && answer.status < 500) return answer;
    await world.pause(waitMs);
  }
  throw new Error(`${request.method} ${request.path} failed ${triesMax} times`);
}

function calling(
  name: string,
  requests: (user: User) => readonly ApiRequest[],
  credits = 5_000,
): Scenario {
  return {
    name,
    about: "calls of one client",
    async play(world) {
      const user = await world.newUser("tenant", credits);
      const histories = await watchLedgers(world, [user]);
      const recorded: RecordedCall[] = [];
      world.begin("client", async () => {
        for (const request of requests(user)) {
          const calledAt = world.tasks.now();
          const answer = await insist(world, request);
          recorded.push({ user, request, answer, calledAt, answeredAt: world.tasks.now() });
        }
      });
      await world.until(() => world.users() === 0, "the client has finished");
      world.faults.stop();
      const calmAt = world.tasks.now();
      await world.until(async () => world.isIdle() && (await world.dues()).length === 0, "quiet");
      await checkCalls(world, [user], { recorded, histories, calmAt });
    },
  };
}

interface Differences {
  readonly minutes?: number;
  readonly credits?: number;
  readonly act?: (scene: RunsScene, list: WatchlistScene) => Promise<void>;
}

function running(
  name: string,
  settings: Pick<WatchlistRequest, "every" | "cron" | "timezone" | "pipeline">,
  { minutes = 1, credits = 5_000, act = async () => {} }: Differences = {},
): Scenario {
  const plan: RunsPlan = {
    tenants: [
      {
        credits,
        hooks: [null],
        bucket: { prefix: "", compression: "gzip" },
        lists: [
          {
            name: "list",
            platform: "retailer_a",
            ids: ["B000000001", "B000000002", "B000000003", "B000000004"],
            others: ["B000000005"],
            ...settings,
          },
        ],
      },
    ],
    minutes,
    runsOnceMore: true,
    act,
  };
  return { name, about: "a watchlist and its runs", play: (world) => playRuns(world, plan) };
}
