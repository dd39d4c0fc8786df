import { setTimeout as delay } from "node:timers/promises";
import { isItemCall, isPublic, type RouteKey, routes } from "../../functions/routes.ts";
import { inParallel } from "../../shared/base/in-parallel.ts";
import { apiClient } from "../../tools/customer/api-client.ts";
import type { FreshWorld } from "../../tools/local/fresh-world.ts";
import { type Accounts, type TestAccount, untilTrue } from "./accounts.ts";
import type { Observation } from "./rules.ts";
import { pathOf, sampleCalls, type Scene } from "./sample-calls.ts";
import type { StoreMode, StoreProxy } from "./store-proxy.ts";

/** A local world whose requests to DynamoDB pass through a proxy that can fail. */
export interface Outage {
  readonly world: FreshWorld;
  readonly proxy: StoreProxy;
  readonly accounts: Accounts;
}

interface Prepared {
  readonly route: RouteKey;
  readonly account: TestAccount;
  readonly path: string;
  readonly body: unknown;
}

/** The number of simultaneous calls. It is below the connection limit of a DynamoDB client (50). */
const parallelCalls = 16;
/** The seconds to wait for a response. The gateway responds within 29 s. */
const answerSecondsMax = 40;
/**
 * Maximum number of seconds to wait until the charges of all failed calls are refunded. A worker
 * cancels the hold of such a call within 40 s, or somewhat later if its first attempt fails.
 */
const recoverySecondsMax = 60;
/**
 * Seconds to wait after the outage until no worker has a failing request in flight: 4 s for an
 * attempt (`attemptMs`) and 2 s for the pause after it (`cancelHoldUntil`). The other 4 s are a
 * margin for a busy machine.
 */
const settleSeconds = 10;
const allRoutes = Object.keys(routes) as RouteKey[];
const chargedRoutes = allRoutes.filter(isItemCall);

/**
 * Calls every route once while the proxy of DynamoDB fails in the given mode, and returns the
 * responses with their charges. In the mode `hanging at the charge`, calls only the routes that
 * charge. Each call uses a separate account, so that the ledger shows the charge of the call.
 * DynamoDB responds normally before and after these calls.
 */
export async function observe(mode: StoreMode, outage: Outage): Promise<readonly Observation[]> {
  const { proxy, world } = outage;
  const called = mode === "hanging at the charge" ? chargedRoutes : allRoutes;
  const prepared = await inParallel(called, parallelCalls, (route) => prepare(route, outage));
  await proxy.set(mode);
  const answers = await inParallel(prepared, parallelCalls, (call) => send(call, world));
  await proxy.set("healthy");
  const costs = await costsAfterRecovery(mode, { prepared, answers, outage });
  return prepared.map(({ route }, n) => {
    const { status, code, headers, seconds } = answers[n] ?? noAnswer;
    const { charged, holdsCredits } = costs[n] ?? noCost;
    return { mode, route, status, code, headers, seconds, charged, holdsCredits };
  });
}

type Cost = Pick<Observation, "charged" | "holdsCredits">;

const noCost: Cost = { charged: 0, holdsCredits: false };

/** Returns the charge of each call. Waits up to a minute, until no failed call is charged. */
async function costsAfterRecovery(
  mode: StoreMode,
  seen: {
    readonly prepared: readonly Prepared[];
    readonly answers: readonly Answer[];
    readonly outage: Outage;
  },
): Promise<readonly Cost[]> {
  const { prepared, answers, outage } = seen;
  const { accounts } = outage;
  if (mode !== "healthy") await delay(settleSeconds * 1_000);
  const costOf = async ({ account: { accountId } }: Prepared): Promise<Cost> => {
    const holdsCredits = await accounts.callsHold(accountId);
    return { charged: await accounts.chargedForCalls(accountId), holdsCredits };
  };
  const failed = prepared.filter((_, n) => answers[n]?.status !== 200);
  await untilTrue(recoverySecondsMax, async () => {
    const costs = await inParallel(failed, parallelCalls, costOf);
    return costs.every(({ charged, holdsCredits }) => charged === 0 && !holdsCredits);
  });
  return inParallel(prepared, parallelCalls, costOf);
}

async function prepare(route: RouteKey, { accounts, world }: Outage): Promise<Prepared> {
  const account = await accounts.open(route);
  const sample = sampleCalls[route];
  const scene: Scene = {
    api: apiClient(world.base_url, account.key),
    receiverUrl: world.webhook_receiver_url,
    bucket: { endpoint: world.s3_endpoint, name: world.export_bucket },
  };
  const id = (await sample.prepare?.(scene)) ?? "";
  return { route, account, path: pathOf(route, id), body: sample.body?.(scene) };
}

type Answer = Omit<Observation, "mode" | "route" | keyof Cost>;

const noAnswer: Answer = {
  status: 0,
  code: undefined,
  headers: new Headers(),
  seconds: answerSecondsMax,
};

async function send({ route, account, path, body }: Prepared, world: FreshWorld): Promise<Answer> {
  const [method = "GET"] = route.split(" ");
  const startedAt = performance.now();
  try {
    const response = await fetch(`${world.base_url}${path}`, {
      method: method === "ANY" ? "GET" : method,
      redirect: "manual",
      headers: {
        // `POST /mcp` refuses a client that does not accept both of its response types.
        Accept: "application/json, text/event-stream, */*",
        ...(isPublic(route) ? {} : { Authorization: `Bearer ${account.key}` }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerSecondsMax * 1_000),
    });
    const code = codeIn(await response.text());
    const seconds = (performance.now() - startedAt) / 1_000;
    return { status: response.status, code, headers: response.headers, seconds };
  } catch {
    return noAnswer;
  }
}

const codeIn = (text: string): string | undefined => /^\{"error":\{"code":"(\w+)"/.exec(text)?.[1];
