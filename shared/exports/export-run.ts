import { object, parse, unknown } from "valibot";
import type { Chance, Clock } from "../base/clock.ts";
import type { SecretBox } from "../base/secret-box.ts";
import { attemptsMax, nextWaitSeconds } from "../outbox/backoff.ts";
import type { DeliveryQueue } from "../webhooks/delivery-queue.ts";
import {
  type ArchivedRun,
  archivedLine,
  archivedRun,
  type EventBodies,
  unpackBody,
  unpackLine,
} from "../events/event-archive.ts";
import {
  done,
  type Lease,
  leaseUntil,
  messageDelay,
  newLease,
  readinessOf,
  type WorkOutcome,
  workSecondsMax,
} from "../webhooks/work.ts";
import type { BucketOutcome, CustomerBucket, CustomerBuckets } from "./customer-bucket.ts";
import { type Destination, destinationSecretContext } from "./destination.ts";
import type { DestinationStore } from "./destination-store.ts";
import type { ExportJob, ExportJobStore } from "./export-job.ts";
import { folderOf, presentManifest } from "./manifest.ts";
import { manifestKey, objectKey } from "./object-key.ts";

export interface ExportRunDependencies {
  readonly exportJobs: ExportJobStore;
  readonly destinations: DestinationStore;
  readonly buckets: CustomerBuckets;
  readonly bodies: EventBodies;
  readonly secrets: SecretBox;
  readonly queue: DeliveryQueue;
  readonly clock: Clock;
  readonly chance: Chance;
}

interface Export {
  readonly accountId: string;
  readonly job: ExportJob;
  readonly run: ArchivedRun;
  readonly destination: Destination;
  readonly bucket: CustomerBucket;
  readonly lease: Lease;
}

type WriteOutcome =
  | { readonly outcome: "written" }
  | { readonly outcome: "paused" }
  | { readonly outcome: "lost" }
  | { readonly outcome: "failed"; readonly reason: string; readonly attempt: number };

/**
 * Writes a run's events to the account's bucket: one object an event in the run's order, then the
 * manifest. Goes on where an attempt before it stopped; keys and bytes are the same on a repeat.
 */
export async function exportRun(
  accountId: string,
  id: string,
  dependencies: ExportRunDependencies,
): Promise<WorkOutcome> {
  const { exportJobs, destinations, buckets, bodies, secrets, clock, chance } = dependencies;
  const found = await exportJobs.get(accountId, id);
  if (found === null) return done;
  const readiness = readinessOf(found, clock.now());
  if (readiness !== "ready") return readiness;
  const destination = await destinations.get(accountId);
  const run = await archivedRun({ accountId, runId: found.runId }, bodies);
  // Whatever of ours can fail comes before the claim, so that it uses up no attempt.
  const secretAccessKey =
    destination === null
      ? ""
      : await secrets.open(destination.secretAccessKey, destinationSecretContext(accountId));
  const now = clock.now();
  const lease = newLease(now, chance);
  const job = { ...found, attempt: found.attempt + 1 };
  if (!(await exportJobs.claim(accountId, id, { ...lease, now, attempt: job.attempt })))
    return done;
  const refusal = refusalOf({ job, run, destination });
  if (run === null || destination === null || refusal !== null) {
    const over = { token: lease.token, state: "failed", dueAt: null, lastError: refusal } as const;
    await exportJobs.settle(accountId, id, over);
    return done;
  }
  const bucket = buckets.open({ ...destination, secretAccessKey });
  const work: Export = { accountId, job, run, destination, bucket, lease };
  await settle(work, await writeRun(work, dependencies), dependencies);
  return done;
}

function refusalOf({
  job,
  run,
  destination,
}: {
  readonly job: ExportJob;
  readonly run: ArchivedRun | null;
  readonly destination: Destination | null;
}): string | null {
  if (destination === null) return "destination_deleted";
  if (!destination.enabled) return "destination_disabled";
  if (run === null) return "events_expired";
  return job.attempt > attemptsMax ? "attempts_lost" : null;
}

async function writeRun(
  work: Export,
  { exportJobs, bodies, clock }: ExportRunDependencies,
): Promise<WriteOutcome> {
  const { accountId, job, run, destination, bucket, lease } = work;
  const stopAt = clock.now().getTime() + workSecondsMax * 1_000;
  const destinationAt = destination.updatedAt;
  let { attempt } = job;
  // A destination that was replaced in between gets the whole run.
  let next = job.destinationAt === destinationAt ? job.next : 0;
  for (let event = run.events[next]; event !== undefined; event = run.events[next]) {
    if (clock.now().getTime() >= stopAt) return { outcome: "paused" };
    const line = await archivedLine({ accountId, runId: run.runId }, event.id, bodies);
    if (line === null) return { outcome: "failed", reason: "events_expired", attempt: attemptsMax };
    const { compression } = destination;
    const name = { number: next + 1, type: event.type, eventId: event.id, compression };
    const put = await bucket.put({
      key: objectKey(folderOf(run, destination.prefix), name),
      bytes: compression === "gzip" ? line : unpackLine(line),
      contentType: compression === "gzip" ? "application/gzip" : "application/x-ndjson",
    });
    if (put.outcome === "failed") return { ...put, attempt };
    next += 1;
    // A store that takes objects is no dead one: the retry schedule begins anew.
    attempt = 1;
    const kept = { token: lease.token, until: leaseUntil(clock.now()) };
    const progress = { lease: kept, next, destinationAt };
    if (!(await exportJobs.advance(accountId, job.id, progress))) return { outcome: "lost" };
  }
  const put = await writeManifest(work, bodies);
  return put.outcome === "failed" ? { ...put, attempt } : { outcome: "written" };
}

async function writeManifest(work: Export, bodies: EventBodies): Promise<BucketOutcome> {
  const { accountId, run, destination, bucket } = work;
  const completed = run.events.find(({ type }) => type === "watchlist.run.completed");
  const line =
    completed === undefined
      ? null
      : await archivedLine({ accountId, runId: run.runId }, completed.id, bodies);
  const runObject = line === null ? null : dataOf(unpackBody(line));
  const manifest = presentManifest({ run, destination, runObject });
  return bucket.put({
    key: manifestKey(folderOf(run, destination.prefix)),
    bytes: Buffer.from(JSON.stringify(manifest)),
    contentType: "application/json",
  });
}

const envelope = object({ data: unknown() });

const dataOf = (body: Uint8Array): unknown =>
  parse(envelope, JSON.parse(Buffer.from(body).toString())).data;

async function settle(
  { accountId, job, lease }: Export,
  written: WriteOutcome,
  { exportJobs, destinations, queue, clock, chance }: ExportRunDependencies,
): Promise<void> {
  if (written.outcome === "lost") return;
  const now = clock.now();
  let dueAt: Date | null = null;
  let state: ExportJob["state"] = "done";
  if (written.outcome === "paused") [state, dueAt] = ["pending", now];
  if (written.outcome === "failed") {
    const failed = { retryAfterSeconds: null, fraction: chance.fraction() };
    const wait = nextWaitSeconds({ ...failed, attempt: written.attempt });
    dueAt = wait === null ? null : new Date(now.getTime() + wait * 1_000);
    state = wait === null ? "failed" : "pending";
  }
  const lastError = written.outcome === "failed" ? written.reason : null;
  const change = { token: lease.token, state, dueAt, lastError };
  if (!(await exportJobs.settle(accountId, job.id, change))) return;
  if (lastError !== null) {
    const givenUp = state === "failed";
    await destinations.report(accountId, { outcome: "failed", error: lastError, givenUp });
  }
  if (state === "done") await destinations.report(accountId, { outcome: "succeeded", at: now });
  const delay = dueAt === null ? null : messageDelay(dueAt, now);
  if (delay !== null) await queue.send([{ kind: "export", accountId, id: job.id }], delay);
}
