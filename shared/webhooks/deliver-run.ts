import {
  type AttemptDependencies,
  attemptDelivery,
  packParcel,
  refusalOf,
  sendAndSettle,
} from "./attempt-delivery.ts";
import { retryWaitsSeconds } from "../outbox/backoff.ts";
import { newDelivery, unsentAttempt } from "./delivery.ts";
import { type ArchivedEvent, archivedRun } from "../events/event-archive.ts";
import type { RunJob, RunJobStore } from "./run-job.ts";
import {
  done,
  type Lease,
  leaseUntil,
  newLease,
  readinessOf,
  type WorkOutcome,
  type WorkPointer,
  workSecondsMax,
} from "./work.ts";

export interface DeliverRunDependencies extends AttemptDependencies {
  readonly jobs: RunJobStore;
}

/** After so many failures in a row, the rest of a run goes straight to the retry schedule. */
const failuresInRowMax = 3;

interface Round {
  readonly accountId: string;
  readonly job: RunJob;
  readonly events: readonly ArchivedEvent[];
  readonly dependencies: DeliverRunDependencies;
}

/** `passed`: there was no attempt that says anything about the receiver. */
type EventOutcome = "delivered" | "failed" | "passed";

/**
 * Makes a run's first attempts to one endpoint, one after the other in the run's order. Taken up
 * again after a crash, it goes on at the event that was not finished.
 */
export async function deliverRun(
  accountId: string,
  id: string,
  dependencies: DeliverRunDependencies,
): Promise<WorkOutcome> {
  const { jobs, bodies, clock, chance } = dependencies;
  const job = await jobs.get(accountId, id);
  if (job === null) return done;
  const readiness = readinessOf(job, clock.now());
  if (readiness !== "ready") return readiness;
  const run = await archivedRun({ accountId, runId: job.runId }, bodies);
  const now = clock.now();
  const lease = newLease(now, chance);
  const attempt = job.attempt + 1;
  if (!(await jobs.claim(accountId, id, { ...lease, now, attempt }))) return done;
  if (run === null) {
    await jobs.close(accountId, id, { token: lease.token, state: "failed" });
    return done;
  }
  const events = run.events.filter(({ type }) => job.types?.includes(type) ?? true);
  await firstAttempts({ accountId, job, events, dependencies }, lease);
  return done;
}

async function firstAttempts(round: Round, claimed: Lease): Promise<void> {
  const { accountId, job, events, dependencies } = round;
  const { jobs, queue, clock } = dependencies;
  const stopAt = clock.now().getTime() + workSecondsMax * 1_000;
  const { token } = claimed;
  let { next, failuresInRow } = job;
  let lease = claimed;
  for (let event = events[next]; event !== undefined; event = events[next]) {
    if (clock.now().getTime() >= stopAt) {
      await jobs.release(accountId, job.id, { token, dueAt: clock.now() });
      await queue.send([{ kind: "run", accountId, id: job.id }], 0);
      return;
    }
    const outcome =
      failuresInRow >= failuresInRowMax
        ? await postpone(event, round)
        : await firstAttempt(event, round, lease);
    if (outcome === "delivered") failuresInRow = 0;
    if (outcome === "failed") failuresInRow += 1;
    next += 1;
    lease = { token, until: leaseUntil(clock.now()) };
    const progress = { next, failuresInRow };
    if (!(await jobs.advance(accountId, job.id, { lease, progress }))) return;
  }
  await jobs.close(accountId, job.id, { token, state: "done" });
}

async function firstAttempt(
  event: ArchivedEvent,
  round: Round,
  lease: Lease,
): Promise<EventOutcome> {
  const { accountId, job, dependencies } = round;
  const { deliveries, endpoints, clock } = dependencies;
  const endpoint = await endpoints.get(accountId, job.endpointId);
  const refusal = refusalOf(endpoint);
  if (refusal !== null) {
    const attempts = [unsentAttempt(1, clock.now(), refusal)];
    const unsent = { ...newDelivery({ ...job, event }, null), attempts, attempt: 1 };
    await deliveries.open(accountId, { ...unsent, state: "failed" }, null);
    return "passed";
  }
  const delivery = { ...newDelivery({ ...job, event }, lease.until), attempt: 1 };
  const parcel = await packParcel({ accountId, delivery, endpoint }, dependencies);
  if (!(await deliveries.open(accountId, delivery, lease))) {
    // A run taken up again finds the event it stopped at: its lease ended with that of the job.
    await attemptDelivery(accountId, delivery.id, dependencies);
    return "passed";
  }
  const sent = await sendAndSettle({ accountId, delivery, parcel, lease }, dependencies);
  return sent ? "delivered" : "failed";
}

/** Puts an event where it would be had its first attempt failed just now. */
async function postpone(event: ArchivedEvent, round: Round): Promise<EventOutcome> {
  const { accountId, job, dependencies } = round;
  const { deliveries, queue, clock } = dependencies;
  const [wait] = retryWaitsSeconds;
  const dueAt = new Date(clock.now().getTime() + wait * 1_000);
  const delivery = newDelivery({ ...job, event }, dueAt);
  await deliveries.open(accountId, delivery, null);
  const pointer: WorkPointer = { kind: "delivery", accountId, id: delivery.id };
  await queue.send([pointer], wait);
  return "passed";
}
