import type { AccountStore } from "../../../shared/accounts/account-store.ts";
import type { Ledger } from "../../../shared/credits/ledger.ts";
import { type Consumption, consuming, noConsumption } from "../model/dynamo-model.ts";
import type { VirtualTime } from "../model/virtual-time.ts";

/** A Lambda execution environment, with a separate cached state. */
export interface Environment {
  readonly accounts: Pick<AccountStore, "admit">;
  readonly ledger: Ledger;
}

export interface LoadOptions {
  readonly environments: readonly Environment[];
  readonly accountId: string;
  /** The hashes of the account's API keys. Each environment uses one of them. */
  readonly keyHashes: readonly string[];
  /** The milliseconds that a call waits for its source. */
  readonly workMs: number;
  /**
   * The number of calls that start per second. 0: each environment starts a call as soon as its
   * previous call has ended.
   */
  readonly rate: number;
  /** Watchlists whose runs reserve and settle steps on the same account during the calls. */
  readonly watchlists: number;
  /** The duration of the measurement in seconds, without the warm-up before it. */
  readonly seconds: number;
  readonly time: VirtualTime;
  readonly random: () => number;
}

/** The times of one item call that got a response, and the DynamoDB requests of the call. */
export interface CallMetrics {
  readonly admissionMs: number;
  /** The milliseconds that the call spent on reserving and settling. */
  readonly ledgerMs: number;
  readonly consumption: Consumption;
}

/** The results of a simulated load on one account. */
export interface LoadMetrics {
  readonly calls: readonly CallMetrics[];
  /** Calls per second, counted over the measured seconds. */
  readonly callsPerSecond: number;
  /** Calls refused because of their key's rate limit, or because no environment was free. */
  readonly limited: number;
  /** Calls that were refused because they got no concurrency slot. */
  readonly withoutSlot: number;
  /** The number of calls and steps that ended with an error. */
  readonly failed: number;
  /** The number of run steps that were reserved and settled. */
  readonly steps: number;
  /** The credits of all settled calls and steps, including the warm-up. */
  readonly charged: number;
}

const warmUpMs = 2_000;
const callCredits = 1;
const stepCredits = 100;
const stepMs = 2_000;
const workOfCall = { endpoint: "POST /v1/products", scraper: "retailer_a.lite", items: 1 };
const workOfStep = { scraper: "retailer_a.lite", items: 100 };
const watchlistId = `wl_${"0".repeat(24)}`;
/** The milliseconds that a refused caller waits before its next attempt. */
const pauseMs = 100;
const callHoldMs = 120_000;
const stepHoldMs = 24 * 60 * 60 * 1_000;

/**
 * Simulates the item calls and run steps of one account in virtual time: a warm-up of 2 s, then the
 * seconds to measure. Returns the measurements.
 */
export async function offerLoad(options: LoadOptions): Promise<LoadMetrics> {
  const { time, seconds, environments, watchlists, random } = options;
  const from = time.now() + warmUpMs;
  const until = from + seconds * 1_000;
  const counts = { limited: 0, withoutSlot: 0, failed: 0, steps: 0, charged: 0 };
  const ended: CallMetrics[] = [];
  let started = 0;
  const call = async (environment: Environment, key: number): Promise<void> => {
    started += 1;
    const metrics = await makeCall(options, { environment, key, number: started });
    if (typeof metrics === "object") {
      counts.charged += callCredits;
      if (time.now() >= from && time.now() < until) ended.push(metrics);
    } else {
      counts[metrics] += 1;
      await time.sleep(pauseMs);
    }
  };
  const withoutPause = async (environment: Environment, n: number): Promise<void> => {
    await time.sleep(random() * options.workMs);
    while (time.now() < until) await call(environment, n);
  };
  const offered = async (): Promise<void> => {
    const idle = environments.map((environment, n) => ({ environment, n }));
    const calls: Promise<void>[] = [];
    while (time.now() < until) {
      await time.sleep((-Math.log(1 - random()) * 1_000) / options.rate);
      const next = idle.shift();
      // A call that finds no free environment is refused, as in Lambda.
      if (next === undefined) counts.limited += 1;
      else calls.push(call(next.environment, next.n).finally(() => void idle.push(next)));
    }
    await Promise.all(calls);
  };
  const runs = Array.from({ length: watchlists }, async (_, n) => {
    await time.sleep(random() * stepMs);
    for (let step = 1; time.now() < until; step += 1) {
      const environment = environments[n % environments.length];
      if (environment === undefined) return;
      const outcome = await makeStep(options, environment, `wlrun_${n}_${step}`);
      if (outcome === "failed") counts.failed += 1;
      if (outcome !== "settled") continue;
      counts.steps += 1;
      counts.charged += stepCredits;
    }
  });
  await Promise.all([
    ...(options.rate === 0 ? environments.map(withoutPause) : [offered()]),
    ...runs,
  ]);
  return { calls: ended, callsPerSecond: ended.length / seconds, ...counts };
}

async function makeCall(
  { accountId, keyHashes, workMs, time }: LoadOptions,
  { environment, key, number }: { environment: Environment; key: number; number: number },
): Promise<CallMetrics | "limited" | "withoutSlot" | "failed"> {
  const consumption = noConsumption();
  const { accounts, ledger } = environment;
  return consuming(consumption, async () => {
    try {
      const startedAt = time.now();
      const admission = await accounts.admit(
        keyHashes[key % keyHashes.length] ?? "",
        time.clock.now(),
      );
      const admittedAt = time.now();
      if (admission.outcome !== "admitted") return "limited";
      const holdId = `req_${String(number).padStart(24, "0")}`;
      const { outcome } = await ledger.reserve({
        accountId,
        holdId,
        credits: callCredits,
        slot: true,
        source: { requestId: holdId, ...workOfCall },
        now: time.clock.now(),
        expiresAt: new Date(time.now() + callHoldMs),
      });
      if (outcome !== "reserved") return "withoutSlot";
      const reservedAt = time.now();
      await time.sleep(workMs);
      const settlingAt = time.now();
      await ledger.settle({
        accountId,
        holdId,
        credits: callCredits,
        succeeded: true,
        now: time.clock.now(),
      });
      const ledgerMs = reservedAt - admittedAt + (time.now() - settlingAt);
      return { admissionMs: admittedAt - startedAt, ledgerMs, consumption };
    } catch {
      return "failed";
    }
  });
}

async function makeStep(
  { accountId, time }: LoadOptions,
  { ledger }: Environment,
  holdId: string,
): Promise<"settled" | "refused" | "failed"> {
  try {
    const { outcome } = await ledger.reserve({
      accountId,
      holdId,
      credits: stepCredits,
      slot: false,
      source: { runId: holdId, step: "check", watchlistId, runNumber: 1, ...workOfStep },
      now: time.clock.now(),
      expiresAt: new Date(time.now() + stepHoldMs),
    });
    await time.sleep(stepMs);
    if (outcome !== "reserved") return "refused";
    const settled = { accountId, holdId, credits: stepCredits, succeeded: true };
    await ledger.settle({ ...settled, now: time.clock.now() });
    return "settled";
  } catch {
    // A real step that cannot reach the ledger is repeated only when its queue message returns. The
    // simulated step waits as long as a step takes.
    await time.sleep(stepMs);
    return "failed";
  }
}
