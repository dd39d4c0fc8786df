import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { readLedgerState, sumOf, takenBack } from "./checks/ledger-state.ts";
import type { Engine } from "./engine.ts";
import {
  type Fault,
  faults,
  type PairProcess,
  pairProcess,
  type PairScene,
  type PlannedFault,
  plannedErrors,
} from "./ledger-pair-process.ts";
import {
  afterAll,
  afterExpiry,
  type StepResult,
  type AccountKind,
  pairs,
  prepare,
  type StepName,
  steps,
} from "./ledger-pair-steps.ts";
import type { Random } from "./random.ts";
import type { SimResult } from "./report.ts";
import type { Stage } from "./stage.ts";
import { type Progress, progressOf } from "../../tools/command-line/progress.ts";

async function resultOf(
  step: StepName,
  process: PairProcess,
  scene: PairScene,
): Promise<StepResult> {
  try {
    return await steps[step](process, scene);
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (!plannedErrors.has(name)) throw error;
    return "unknown";
  } finally {
    await process.idle();
  }
}

export interface Plan {
  readonly kind: AccountKind;
  readonly outer: StepName;
  /**
   * True if the process that runs the outer step has also reserved the hold. The process then has
   * the shard in its cache when the step begins.
   */
  readonly isReservedByOuter?: boolean;
  readonly inner: StepName;
  /** The number of the outer step's request, from 1, before which the inner step runs. */
  readonly at: number;
  /** The fault of that request of the outer step. */
  readonly outerFault?: Fault | undefined;
  readonly innerFault?: PlannedFault | undefined;
}

/**
 * Runs a plan on a new account: the outer ledger step, and the inner ledger step before one request
 * of the outer step. Then checks the ledger. Returns the number of requests of each step.
 * @param name the name of the account
 * @throws the first violation
 */
export async function playPair(
  stage: Pick<Stage, "client" | "table">,
  plan: Plan,
  name: string,
): Promise<{ readonly outer: number; readonly inner: number }> {
  const { kind, outer, inner, at, outerFault, innerFault, isReservedByOuter = false } = plan;
  const { scene, outerProcess, bystander } = await prepare(stage, {
    kind,
    outer,
    isReservedByOuter,
    name,
  });
  const { accountId } = scene;
  const innerProcess = pairProcess(scene);
  innerProcess.begin({ fault: innerFault });
  const results: StepResult[] = [];
  outerProcess.begin({
    stopsAt: at,
    async interleave() {
      results.push(await resultOf(inner, innerProcess, scene));
    },
    fault: outerFault && { at, kind: outerFault },
  });
  results.push(await resultOf(outer, outerProcess, scene));
  const sent = { outer: outerProcess.sent(), inner: innerProcess.sent() };
  for (const takeEffect of scene.later) await takeEffect().catch(() => undefined);
  if (kind === "without bystander") await checkSwept(scene);
  await pairProcess(scene).ledger.releaseExpired(accountId, afterExpiry);
  // The buyer repeats the purchase, as after an unknown outcome. The repetition must have no effect
  // if the first purchase took effect.
  const purchases = [outer, inner].includes("purchase") ? 1 : 0;
  if (purchases > 0) await resultOf("purchase", pairProcess(scene), scene);
  await bystander.ledger.release({ accountId, holdId: "bystander", now: afterExpiry });
  await bystander.idle();
  const cancels = [inner, outer].flatMap((step, n) =>
    step.startsWith("cancel") ? [results[n]] : [],
  );
  if (scene.violations.length > 0) throw scene.violations[0];
  await checkEnd(scene, { results, purchases, cancels });
  return sent;
}

/** A limit above the number of accounts in any table. */
const accountsMax = 10_000;

/**
 * Checks that the due index contains an account with an open hold, and that the sweeper releases
 * the hold.
 */
async function checkSwept(scene: PairScene): Promise<void> {
  const { accountId } = scene;
  const { ledger } = pairProcess(scene, afterAll);
  const { held } = await readLedgerState(scene, accountId);
  if (held > 0) {
    const due = await ledger.accountsWithExpiredHolds(afterAll, accountsMax);
    assert(due.includes(accountId), "the due index lacks the account of an open hold");
  }
  await ledger.releaseExpired(accountId, afterAll);
}

interface End {
  readonly results: readonly StepResult[];
  readonly purchases: number;
  /** The results of the steps that canceled the hold. */
  readonly cancels: readonly (StepResult | undefined)[];
}

/**
 * Checks that each hold was reserved once and resolved once, and that all callers got the same
 * result. A cancellation may change an earlier resolution. After a successful cancellation, there
 * must be no charge.
 */
async function checkEnd(scene: PairScene, { results, purchases, cancels }: End): Promise<void> {
  const { entries, holds, held } = await readLedgerState(scene, scene.accountId);
  const bought = entries.filter(({ type }) => type === "purchase");
  assert.equal(bought.length, purchases, "the purchase counts once");
  assert.equal(held, 0, "no credits stay held");
  for (const { id, state, charged, credits } of holds) {
    assert.notEqual(state, "open", `${id} is still open`);
    const own = entries.filter(({ holdId }) => holdId === id);
    const sums = ["reserve", "charge", "refund"].map((type) => sumOf(own, type));
    assert.deepEqual(sums, [credits, charged + takenBack(own), credits - charged], id);
    if (id === "one" && cancels.includes("done")) assert.equal(charged, 0, id);
    for (const one of cancels.length > 0 ? [] : results) {
      if (typeof one === "object" && one.holdId === id) {
        assert.equal(one.credits, charged, `${id}: charge in the result of a step`);
      }
    }
  }
}

/** The numbers of played plans and of violations. */
export interface PairsPlayed {
  readonly played: number;
  readonly violations: number;
}

/**
 * Runs each pair of an outer and an inner ledger step many times: with the inner step before each
 * request of the outer step, and with each fault in either step. `passed` is false after a
 * violation.
 * @param options.workers the number of processes. @default the number of CPU cores
 * @param options.from the number of the first pair, from 1
 */
export async function playLedgerPairs({
  workers = availableParallelism(),
  from,
}: {
  readonly workers?: number;
  readonly from: number;
}): Promise<SimResult> {
  const startedAt = performance.now();
  const numbers = [...allPairs.keys()].slice(from - 1);
  const progress = progressOf(numbers.length, { everyMs: 10_000 });
  const waiting = numbers.values();
  const total = { played: 0, violations: 0 };
  const children = Array.from({ length: workers }, async () => {
    for await (const { played, violations } of playInWorker(waiting, progress)) {
      total.played += played;
      total.violations += violations;
    }
  });
  await Promise.all(children);
  const { played, violations } = total;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(
    `${numbers.length} pairs of ledger steps, ${played} times, ${violations} violations, ${seconds} s`,
  );
  return { passed: violations === 0 && played > 0, pairs: numbers.length, played, violations };
}

/** Runs the waiting pairs, given by their numbers, one after the other in a separate process. */
async function* playInWorker(
  waiting: Iterable<number>,
  progress: Progress,
): AsyncGenerator<PairsPlayed> {
  const child = fork(new URL("ledger-pairs-worker.ts", import.meta.url));
  const failed = once(child, "exit").then(([code, signal]): never => {
    throw new Error(`A worker of the ledger pairs ended early: ${code ?? signal}`);
  });
  for (const n of waiting) {
    progress.begin(`pair ${n + 1}: ${nameOf(pairNumber(n))}`);
    child.send(n);
    const [played] = await Promise.race([once(child, "message"), failed]);
    yield played as PairsPlayed;
  }
  failed.catch(() => {});
  child.disconnect();
}

const playsOfTable = 50;

/**
 * Runs a pair of ledger steps with every fault, and prints each violation. Returns the number of
 * plays and of violations.
 * @param n the index of the pair, from 0
 */
export async function playFaultsOfPair(engine: Engine, n: number): Promise<PairsPlayed> {
  const pair = pairNumber(n);
  let stage = await engine.stage();
  let [played, violations] = [0, 0];
  const play = async (plan: Plan): Promise<{ readonly outer: number; readonly inner: number }> => {
    // Takes a new table after some accounts. The due index grows with every account, and some
    // checks read the whole index.
    if (played > 0 && played % playsOfTable === 0) {
      await stage.end();
      stage = await engine.stage();
    }
    played += 1;
    try {
      return await playPair(stage, plan, `pair ${played}`);
    } catch (error) {
      violations += 1;
      console.log(`VIOLATION in ${JSON.stringify(plan)}:`, error);
      return { outer: 0, inner: 0 };
    }
  };
  for (let at = 1; ; at += 1) {
    const sent = await play({ ...pair, at });
    // The outer step ended before request `at`, so the inner step did not run.
    if (sent.outer < at) break;
    for (const plan of faultyPlans({ ...pair, at }, sent.inner)) await play(plan);
  }
  await stage.end();
  return { played, violations };
}

const pairsOf = (kind: AccountKind): readonly Omit<Plan, "at">[] =>
  pairs[kind].flatMap(([outer, inners]) =>
    inners.flatMap((inner) =>
      outer.startsWith("settle")
        ? [
            { kind, outer, inner },
            { kind, outer, inner, isReservedByOuter: true },
          ]
        : [{ kind, outer, inner }],
    ),
  );

const allPairs: readonly Omit<Plan, "at">[] = (Object.keys(pairs) as AccountKind[]).flatMap(
  pairsOf,
);

function pairNumber(n: number): Omit<Plan, "at"> {
  const pair = allPairs[n];
  assert(pair !== undefined, `There is no pair ${n + 1} of ledger steps`);
  return pair;
}

const nameOf = ({ outer, inner, kind }: Omit<Plan, "at">): string =>
  `${outer} with ${inner}, ${kind}`;

/**
 * Returns the plans with one fault in either step. Also combines each fault of the inner step with
 * the loss of a response to the outer step.
 */
function faultyPlans(plan: Plan, innerRequests: number): readonly Plan[] {
  const ofOuter = faults.map((outerFault): Plan => ({ ...plan, outerFault }));
  const innerFaults = Array.from({ length: innerRequests }, (_, n) =>
    faults.map((kind): PlannedFault => ({ at: n + 1, kind })),
  ).flat();
  const ofInner = innerFaults.flatMap((innerFault): readonly Plan[] => [
    { ...plan, innerFault },
    { ...plan, innerFault, outerFault: "answer lost" },
  ]);
  return [...ofOuter, ...ofInner];
}

/**
 * The highest request number at which a fault or the inner step is placed. Most of the relevant
 * cases occur in the first requests.
 */
const requestsMax = 6;

/** Draws a random pair of ledger steps with its faults. */
export function planFrom(random: Random): Plan {
  const kind = random.pick([...(Object.keys(pairs) as AccountKind[]), "two shards" as const]);
  const pair = random.pick(pairsOf(kind));
  const faultAt = (): PlannedFault => ({
    at: random.between(1, requestsMax),
    kind: random.pick(faults),
  });
  return {
    ...pair,
    at: random.between(1, requestsMax),
    outerFault: random.isHit(0.5) ? random.pick(faults) : undefined,
    innerFault: random.isHit(0.5) ? faultAt() : undefined,
  };
}
