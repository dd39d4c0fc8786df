import * as v from "valibot";
import { quantity } from "../../shared/base/quantity.ts";
import { type ApiClient, apiClient } from "../../tools/customer/api-client.ts";
import { adminCommands } from "../tour/admin-commands.ts";
import type { Narrator } from "../tour/narrator.ts";
import { runReconcileCommand } from "../tour/reconcile.ts";
import { createWatchlist, openAccount } from "../tour/run-tour.ts";
import type { TourTarget } from "../tour/runs.ts";
import {
  addressOf,
  checkDeadLetters,
  checkWarnings,
  createDeployment,
  type Place,
  type Release,
  rollBackDeployment,
  type Smoke,
  thisRelease,
  upgradeDeployment,
  withDeployment,
} from "./deployment.ts";
import { sandboxIds } from "./smoke.ts";
import { smokeStage } from "./stacks.ts";
import { startTraffic } from "./traffic.ts";

/** Enough items for several batches, so that a run takes some seconds. */
const items = 3_000;
const firstId = 8_000_000;
const ids = [sandboxIds[0], ...Array.from({ length: items - 1 }, (_, n) => String(firstId + n))];
const freeCredits = 5_000;
const grantedCredits = 10_000_000;
const runSecondsMax = 180;

interface Customer {
  readonly api: ApiClient;
  readonly watchlistId: string;
}

/**
 * Deploys a previous release, upgrades it to this release, rolls it back, and upgrades it again.
 * Runs and calls are in progress during each of these changes. After each change, checks that
 * nothing was lost. First deletes the remains of an interrupted test, and finally deletes the
 * deployment, even after a failure.
 * @throws Error if a check fails, or if a stack exists that no smoke test created.
 */
export function upgradeSmoke(place: Place, previous: Release, narrator: Narrator): Promise<void> {
  return withDeployment(place, narrator, async (smoke) => {
    await createDeployment(smoke, previous);
    const customer = await openCustomer(smoke, previous);
    await duringRuns(smoke, customer, [upgradeDeployment, thisRelease]);
    await duringRuns(smoke, customer, [rollBackDeployment, previous]);
    await duringRuns(smoke, customer, [upgradeDeployment, thisRelease]);
    await checkDeadLetters(smoke);
    await checkWarnings(smoke);
  });
}

const adminOf = ({ root }: Release): TourTarget["admin"] =>
  adminCommands(["--stage", smokeStage], {}, root);

async function openCustomer(smoke: Smoke, release: Release): Promise<Customer> {
  const { narrator } = smoke;
  const baseUrl = await addressOf(smoke);
  const target: TourTarget = {
    baseUrl,
    admin: adminOf(release),
    ids: [sandboxIds[0], ...ids.slice(1)],
    movePrice: () => {},
  };
  const api = apiClient(baseUrl, await openAccount(target, narrator));
  const { body } = await api.get("/account");
  const credits = ["--id", "smoke", "--credits", String(grantedCredits)];
  await target.admin("grant", "--account", String(body["id"]), ...credits);
  return { api, watchlistId: await createWatchlist(api, target, narrator) };
}

async function duringRuns(
  smoke: Smoke,
  customer: Customer,
  [deploy, release]: readonly [typeof upgradeDeployment, Release],
): Promise<void> {
  const { narrator } = smoke;
  const { api, watchlistId } = customer;
  const traffic = startTraffic({ api, watchlistId, ids: sandboxIds });
  try {
    await narrator.wait("a run in progress", runSecondsMax, async () =>
      (await newestStatus(customer)) === "running" ? true : undefined,
    );
    await deploy(smoke, release);
  } finally {
    await traffic.stop();
  }
  const report = traffic.report();
  narrator.chapter(`The calls and runs during the deployment of ${release.name}`);
  for (const line of report.failures) narrator.note(line);
  narrator.note(`the emulator ended ${quantity(report.interrupted, "invocation")} of calls`);
  narrator.check(
    `all of ${quantity(report.calls, "call")} succeeded, except those that the emulator ended`,
    report.failures.length === 0,
  );
  await narrator.wait("the end of the last run", runSecondsMax, async () =>
    (await newestStatus(customer)) === "running" ? undefined : true,
  );
  await checkRuns(customer, narrator);
  await checkEvents(customer, narrator);
  await checkCredits(api, narrator);
  await runReconcileCommand({ admin: adminOf(release) }, narrator);
}

const runSchema = v.object({
  run_number: v.number(),
  status: v.string(),
  stats: v.object({ tracked: v.number(), delisted: v.number() }),
});
type Run = v.InferOutput<typeof runSchema>;
const runPage = v.object({ data: v.array(runSchema), has_more: v.boolean() });
const eventPage = v.object({
  data: v.array(v.object({ data: v.object({ run_number: v.number() }) })),
  has_more: v.boolean(),
  next_after: v.nullable(v.string()),
});

async function newestStatus({ api, watchlistId }: Customer): Promise<string | undefined> {
  const { body } = await api.get(`/watchlists/${watchlistId}/runs?limit=1`);
  return v.parse(runPage, body).data[0]?.status;
}

async function runsOf({ api, watchlistId }: Customer): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (let query = "limit=100"; ; query = `limit=100&before_run=${runs.at(-1)?.run_number}`) {
    const { body } = await api.get(`/watchlists/${watchlistId}/runs?${query}`);
    const page = v.parse(runPage, body);
    runs.push(...page.data);
    if (!page.has_more) return runs;
  }
}

async function checkRuns(customer: Customer, narrator: Narrator): Promise<void> {
  const runs = await runsOf(customer);
  narrator.check(
    `the numbers of ${quantity(runs.length, "run")} have no gap`,
    runs.every(({ run_number: number }, index) => number === runs.length - index),
  );
  let expected = items;
  const incomplete = runs.toReversed().filter(({ status, stats }) => {
    const isComplete = status === "completed" && stats.tracked === expected;
    expected -= stats.delisted;
    return !isComplete;
  });
  for (const run of incomplete) narrator.note(JSON.stringify(run));
  narrator.check(
    `each run completed with all of ${items} items that were not delisted before`,
    incomplete.length === 0,
  );
}

/** Checks that each run is in the event feed exactly once. */
async function checkEvents(customer: Customer, narrator: Narrator): Promise<void> {
  const runs = await runsOf(customer);
  const ended = await narrator.wait("the events of every run", runSecondsMax, async () => {
    const foundRuns = await endedRuns(customer.api);
    return foundRuns.length >= runs.length ? foundRuns : undefined;
  });
  narrator.check(
    "each run is in the event feed once",
    ended.length === runs.length && new Set(ended).size === runs.length,
  );
}

async function endedRuns(api: ApiClient): Promise<readonly unknown[]> {
  const ended: unknown[] = [];
  for (let after = ""; ;) {
    const { body } = await api.get(`/events?type=watchlist.run.completed&limit=100${after}`);
    const page = v.parse(eventPage, body);
    ended.push(...page.data.map(({ data }) => data.run_number));
    if (!page.has_more) return ended;
    after = `&after=${page.next_after}`;
  }
}

async function checkCredits(api: ApiClient, narrator: Narrator): Promise<void> {
  const { body } = await api.get("/account");
  const balance = Number(body["credit_balance"]);
  const spent = Number(body["credits_spent"]);
  narrator.note(`balance ${balance}, spent ${spent}`);
  narrator.check(
    "the spent and the remaining credits add up to the granted credits",
    balance + spent === freeCredits + grantedCredits,
  );
}
