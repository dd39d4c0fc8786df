import { createApiKey } from "../../../shared/accounts/create-account.ts";
import { hashApiKey } from "../../../shared/accounts/api-key.ts";
import { dynamoAccountStore } from "../../../shared/aws/accounts/account-store.ts";
import { documentClient } from "../../../shared/aws/table/dynamo.ts";
import { keyAdmission } from "../../../shared/aws/accounts/key-admission.ts";
import type { RandomSource } from "../../../shared/base/clock.ts";
import { systemRandom, systemClock } from "../../../shared/base/system.ts";
import { defaultRules } from "../model/contention.ts";
import {
  type Consumption,
  consuming,
  modelledDynamo,
  noConsumption,
} from "../model/dynamo-model.ts";
import { virtualTime } from "../model/virtual-time.ts";
import { seededGenerator } from "../../../tools/stand-ins/seeded.ts";
import { slidingSeconds } from "./sliding-seconds.ts";

/** A load on one API key. */
export interface KeyCase {
  /** The number of calls that start per second. */
  readonly attempts: number;
  readonly environments: number;
  /** The seconds that are measured, without the warm-up before them. */
  readonly seconds: number;
  /** The largest difference in milliseconds between an environment's clock and the true time. */
  readonly skewMs: number;
  readonly seed: number;
}

/** The results for one key: numbers per second, except `environments`. */
export interface KeyMetrics {
  readonly attempts: number;
  readonly environments: number;
  /**
   * Admitted calls: `admitted` is the average per second. `least` and `most` are the minimum and
   * maximum within any second, whenever it starts.
   */
  readonly admitted: number;
  readonly least: number;
  readonly most: number;
  /** Calls that an environment admitted without a request to DynamoDB, based on its local count. */
  readonly uncounted: number;
  readonly refused: number;
  /** Admitted and refused calls that needed no request to DynamoDB. */
  readonly "without a request": number;
  readonly requests: number;
  readonly "write units": number;
  readonly throttles: number;
}

const warmUpMs = 5_000;

/**
 * Creates an API key in a table, and simulates its calls to Lambda environments at random times, in
 * virtual time.
 * @param options.attempts The calls that start per second.
 * @param options.environments The number of environments, among which the calls are spread.
 * @param options.seconds The measured seconds, after a warm-up.
 * @param options.skewMs The largest clock error of an environment, in milliseconds.
 * @param options.seed The seed of the random numbers.
 * @param world.endpoint The address of DynamoDB.
 * @param world.table The name of the table.
 */
export async function measureKey(
  { attempts, environments, seconds, skewMs, seed }: KeyCase,
  { endpoint, table }: { readonly endpoint: string; readonly table: string },
): Promise<KeyMetrics> {
  const fraction = seededGenerator(seed);
  const accounts = dynamoAccountStore(documentClient(), { accounts: table });
  const wanted = { account: { id: `acct_${attempts}_${seed}`, demo: false }, name: "bench" };
  const dependencies = { accounts, clock: systemClock, random: systemRandom };
  const keyHash = hashApiKey((await createApiKey(wanted, dependencies)).key);

  const time = virtualTime(systemClock.now());
  const client = modelledDynamo({ endpoint, time, rules: defaultRules, random: fraction });
  const random: RandomSource = { ...systemRandom, fraction };
  const idle = Array.from({ length: environments }, () => ({
    admit: keyAdmission(client, table, random),
    aheadMs: Math.round((2 * fraction() - 1) * skewMs),
  }));
  const from = time.now() + warmUpMs;
  const until = from + seconds * 1_000;
  const isMeasured = (ms: number): boolean => ms >= from && ms < until;
  const admittedAt: number[] = [];
  const used = noConsumption();
  const counts = { uncounted: 0, refused: 0, withoutRequest: 0 };

  const attempt = async (): Promise<void> => {
    const [environment] = idle.splice(Math.floor(fraction() * idle.length), 1);
    // Refuses a call that finds no free environment, as Lambda does.
    if (environment === undefined) return;
    const { admit, aheadMs } = environment;
    const at = time.now();
    const consumption = noConsumption();
    const admission = await consuming(consumption, () => admit(keyHash, new Date(at + aheadMs)));
    idle.push(environment);
    if (admission.outcome === "admitted") admittedAt.push(at);
    if (!isMeasured(at)) return;
    add(used, consumption);
    if (admission.outcome === "admitted") counts.uncounted += admission.countedHere ? 1 : 0;
    else counts.refused += 1;
    if (consumption.requests === 0) counts.withoutRequest += 1;
  };
  const offer = async (): Promise<void> => {
    const underWay: Promise<void>[] = [];
    while (time.now() < until) {
      underWay.push(attempt());
      await time.sleep((-Math.log(1 - fraction()) * 1_000) / attempts);
    }
    await Promise.all(underWay);
  };
  await time.through(offer());
  client.destroy();

  const perSecond = (count: number): number => Number((count / seconds).toFixed(1));
  return {
    attempts,
    environments,
    admitted: perSecond(admittedAt.filter(isMeasured).length),
    ...slidingSeconds(admittedAt, { from, until }),
    uncounted: perSecond(counts.uncounted),
    refused: perSecond(counts.refused),
    "without a request": perSecond(counts.withoutRequest),
    requests: perSecond(used.requests),
    "write units": perSecond(used.writeUnits),
    throttles: perSecond(used.throttles),
  };
}

function add(to: Consumption, { requests, writeUnits, throttles }: Consumption): void {
  to.requests += requests;
  to.writeUnits += writeUnits;
  to.throttles += throttles;
}
