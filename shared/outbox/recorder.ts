import type { Clock } from "../base/clock.ts";
import { taskChain } from "../base/task-chain.ts";
import type { OutboxChange } from "./change.ts";
import { leaseUntil } from "./lease.ts";
import {
  type OutboxChanges,
  type OutboxEntry,
  type Lease,
  entryName,
  type HeldTarget,
  type OutboxStore,
  type DeliveryTarget,
  type ReleaseResult,
} from "./outbox.ts";

/**
 * Error: this process no longer holds the lease, because another process has claimed the delivery
 * target. That process repeats the work whose result was not stored.
 */
export class LeaseLost extends Error {}

/**
 * Limits of one transaction. DynamoDB allows 100 rows and 4 MB, and a log record may have 75 KB of
 * response excerpts.
 */
const rowsMax = 90;
const recordsMax = 25;
/**
 * Maximum time between transactions while changes are queued, in milliseconds. After a crash, the
 * next session repeats the work whose changes were queued but not stored: about the last second.
 */
const keptWithinMs = 1_000;

/** Stores the changes of a lease holder in few transactions. */
export interface Recorder<LogRecord> {
  /**
   * Queues a change. Stores queued changes if they fill a transaction or the last transaction is a
   * second old.
   * @throws LeaseLost if another process has claimed the target; any error of an earlier
   * transaction
   */
  record(change: OutboxChange<LogRecord>): Promise<void>;
  /**
   * Returns true if a transaction has failed. The results of further work would not be stored, so a
   * later session would repeat the work.
   */
  hasFailed(): boolean;
  /**
   * Stores all queued changes before it returns.
   * @throws LeaseLost if another process has claimed the target; any other error of a transaction
   */
  flush(): Promise<void>;
  /**
   * Stores all queued changes and releases the lease, in one transaction if `held.remaining` lists
   * the entries. If another process has added entries, stores the changes without releasing the
   * lease.
   * @throws any error of a transaction
   */
  release(held: Omit<HeldTarget, "token">): Promise<ReleaseResult>;
}

export interface RecorderOptions<LogRecord> {
  readonly target: DeliveryTarget;
  readonly token: string;
  readonly outbox: Pick<OutboxStore<LogRecord>, "record" | "release">;
  readonly clock: Clock;
  /** Returns the session state. Each transaction stores it for the next session of the target. */
  readonly state: () => unknown;
}

/**
 * Creates the recorder of a lease holder. It combines changes of the outbox and the log into few
 * transactions. Each transaction succeeds only under the lease, and extends the lease. Its methods
 * throw LeaseLost if another process has claimed the target.
 */
export function recorder<LogRecord>(options: RecorderOptions<LogRecord>): Recorder<LogRecord> {
  const { target, token, outbox, clock, state } = options;
  // Only one transaction is in progress at a time. All of them write the target's row, so parallel
  // ones would conflict.
  const transactions = taskChain();
  let waiting: OutboxChange<LogRecord>[] = [];
  let keptAt = clock.now().getTime();

  const keepSome = async (): Promise<void> => {
    const taken = takeFitting(waiting);
    if (taken.length === 0) return;
    waiting = waiting.slice(taken.length);
    const now = clock.now();
    keptAt = now.getTime();
    const lease: Lease = { token, until: leaseUntil(now) };
    const change = { lease, changes: mergeChanges(taken), state: state() };
    if (!(await outbox.record(target, change))) throw new LeaseLost();
  };
  const flush = async (): Promise<void> => {
    await transactions.done();
    while (waiting.length > 0) await transactions.add(keepSome);
  };
  const isDue = (): boolean =>
    takeFitting(waiting).length < waiting.length || clock.now().getTime() - keptAt >= keptWithinMs;
  return {
    hasFailed: () => transactions.hasFailed(),
    async record(change) {
      if (transactions.hasFailed()) return transactions.done();
      waiting.push(change);
      if (!isDue()) return;
      // Waits only for the transactions before the new one, so that the caller continues while the
      // new one is in progress.
      const before = transactions.done();
      void transactions.add(keepSome);
      await before;
    },
    flush,
    async release(held) {
      await transactions.done();
      const fits = takeFitting(waiting).length === waiting.length;
      if (held.remaining === null || !fits || waiting.length === 0) {
        await flush();
        return outbox.release(target, { ...held, token });
      }
      const last = { changes: mergeChanges(waiting), state: state() };
      const released = await outbox.release(target, { ...held, token }, last);
      if (released.outcome === "more") await flush();
      return released;
    },
  };
}

/** Returns as many of the first changes as fit into one transaction, at least one. */
function takeFitting<LogRecord>(
  changes: readonly OutboxChange<LogRecord>[],
): OutboxChange<LogRecord>[] {
  const taken: OutboxChange<LogRecord>[] = [];
  let rows = 0;
  let records = 0;
  for (const change of changes) {
    records += change.records?.length ?? 0;
    rows += rowsOf(change);
    if (taken.length > 0 && (rows > rowsMax || records > recordsMax)) return taken;
    taken.push(change);
  }
  return taken;
}

const rowsOf = <LogRecord>({
  removed,
  added = [],
  records = [],
}: OutboxChange<LogRecord>): number =>
  (removed === undefined ? 0 : 1) + added.length + records.length;

/**
 * Merges successive changes into one. If several changes add or remove the same entry, the last one
 * applies.
 */
function mergeChanges<LogRecord>(
  changes: readonly OutboxChange<LogRecord>[],
): OutboxChanges<LogRecord> {
  const removed = new Map<string, OutboxEntry>();
  const added = new Map<string, OutboxEntry>();
  for (const change of changes) {
    if (change.removed !== undefined) {
      removed.set(entryName(change.removed), change.removed);
      added.delete(entryName(change.removed));
    }
    for (const entry of change.added ?? []) {
      removed.delete(entryName(entry));
      added.set(entryName(entry), entry);
    }
  }
  return {
    removed: [...removed.values()],
    added: [...added.values()],
    records: changes.flatMap(({ records = [] }) => records),
  };
}
