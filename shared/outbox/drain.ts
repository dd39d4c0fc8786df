import type { RandomSource, Clock } from "../base/clock.ts";
import type { MetricsSink } from "../observability/metrics.ts";
import type { AttemptCounts } from "./attempt-counts.ts";
import { type EntryList, entryList } from "./entry-list.ts";
import { messageDelay, newLease, sliceSecondsMax, targetsAtOnceMax } from "./lease.ts";
import {
  type ClaimResult,
  type DeliveryTarget,
  entryName,
  type Lease,
  type OutboxEntry,
  type OutboxQueue,
  type OutboxStore,
} from "./outbox.ts";
import { LeaseLost, recorder } from "./recorder.ts";
import type { OutboxChange } from "./change.ts";

/** A time slice in which a process drains the outbox of a delivery target. */
export interface TimeSlice<LogRecord> {
  /**
   * Queues a change, which is stored with other changes in one transaction within about a second.
   * Waits while a transaction is in progress.
   * @throws LeaseLost if another process has claimed the target
   */
  record(change: OutboxChange<LogRecord>): Promise<void>;
  /**
   * Stores a change and all queued changes before it returns.
   * @throws LeaseLost if another process has claimed the target
   */
  store(change: OutboxChange<LogRecord>): Promise<void>;
  /**
   * Returns true if the time slice has ended. Entries that were not removed stay in the outbox for
   * the next slice.
   */
  isOver(): boolean;
}

/** Processes the entries of one delivery target during one time slice. */
export interface Session<LogRecord> {
  /**
   * Returns the current state of the delivery target. Called before each read of entries, because a
   * client or an operator may change the target during the session.
   */
  target(): Promise<TargetState>;
  /**
   * Begins the reads that the work on these due entries needs, so that one request makes all of
   * these reads. The session may end before it processes some of the entries.
   */
  prepare?(entries: readonly OutboxEntry[]): void;
  /** Processes one entry. Throws only if the service itself fails, not if the receiver fails. */
  work(entry: OutboxEntry, slice: TimeSlice<LogRecord>): Promise<void>;
  /**
   * Returns the state for the target's next session, as a JSON value. It is stored with every
   * change.
   */
  state?(): unknown;
  /** Called before each due entry is processed, with the milliseconds since its due time. */
  late?(milliseconds: number): void;
  /** The attempts of the session so far. */
  readonly attempts?: AttemptCounts;
  /** Releases the session's resources. */
  close(): void;
}

/** The state of a delivery target that a session depends on. */
export interface TargetState {
  /**
   * True if the delivery target is deleted or disabled. The session then ends all entries of the
   * target, including those that are not due.
   */
  readonly hasEnded: boolean;
  /** Number of entries that the session processes in parallel. */
  readonly parallel: number;
}

/** Opens a session. `state`: the stored state of the target's last session, or undefined. */
export type OpenSession<LogRecord> = (
  target: DeliveryTarget,
  state: unknown,
) => Promise<Session<LogRecord>>;

export interface DrainDependencies<LogRecord> {
  readonly outbox: OutboxStore<LogRecord>;
  readonly open: OpenSession<LogRecord>;
  readonly queue: OutboxQueue;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Called with each entry before it is processed. */
  readonly begins?: (entry: OutboxEntry) => void;
  /** Receives the metrics of the receiver at the end of a session. */
  readonly report?: MetricsSink;
}

/**
 * Number of due entries that a session reads together: at least `entriesAtOnceMin`, and at least
 * `entriesPerLoop` for each parallel loop. The session reads further entries only after all loops
 * have ended, so each loop needs several entries to stay busy.
 */
const entriesAtOnceMin = 25;
const entriesPerLoop = 6;
/** Number of parallel loops that a session assumes before it has read the target. */
const parallelAtStart = 1;
/**
 * Maximum number of entries that a session prepares together. A session caches the indexes of at
 * most 32 runs.
 */
const preparedMax = 25;

/**
 * Drains the outbox of a delivery target for up to 30 s, under a lease. Returns immediately if it
 * cannot claim the target, for example because another process holds the lease. Stops without an
 * error if another process claims the target later. At the end, releases the lease and sends a
 * wake-up message for the remaining entries.
 * @throws the first error of the service itself, after all other entries were processed and stored
 */
export async function drain<LogRecord>(
  target: DeliveryTarget,
  dependencies: DrainDependencies<LogRecord>,
): Promise<void> {
  const { outbox, open, clock, random } = dependencies;
  const now = clock.now();
  const lease = newLease(now, random);
  const claimed = await outbox.claim(target, { lease, now });
  if (claimed === null) return;
  const session = await open(target, claimed.state);
  const stopAt = now.getTime() + sliceSecondsMax * 1_000;
  const work: Work<LogRecord> = {
    target,
    session,
    dependencies,
    recorder: recorder({
      target,
      token: lease.token,
      outbox,
      clock,
      state: () => session.state?.(),
    }),
    entries: entryList(target, outbox, claimed.entries),
    isOver: () => clock.now().getTime() >= stopAt,
    failed: new Set(),
    errors: [],
  };
  const result = await drainClaimed(work, { claimed, lease, now });
  if (result.outcome !== "drained") return;
  if (result.next !== null) await wakeAgain(result.next, work);
  if (result.crowded) await wakeWaiting(target, dependencies);
  if (work.errors.length > 0) throw work.errors[0];
}

/** The claim of a delivery target, with its lease and its time. */
interface ClaimedTarget {
  readonly claimed: ClaimResult;
  readonly lease: Lease;
  readonly now: Date;
}

/** The result of a time slice. */
type DrainResult =
  /** Another process has claimed the target. */
  | { readonly outcome: "lost" }
  /** The account was at its limit, so the lease was released and no entry was processed. */
  | { readonly outcome: "refused" }
  /** The lease was released. */
  | {
      readonly outcome: "drained";
      /** The earliest due time of the remaining entries; null if there are none. */
      readonly next: Date | null;
      /** True if waiting targets of the account must be woken (see `Admission`). */
      readonly crowded: boolean;
    };

/**
 * Processes the due entries of a claimed target until no entry is due or the time slice ends, and
 * releases the lease. Closes the session in every case.
 * @throws the error of a failed transaction. An error of a single entry is kept in `work.errors`.
 */
async function drainClaimed<LogRecord>(
  work: Work<LogRecord>,
  { claimed, lease, now }: ClaimedTarget,
): Promise<DrainResult> {
  const { target, session, dependencies } = work;
  try {
    await work.entries.load(entriesAtOnceMin);
    // The session begins its reads without waiting for the admission, because one request then
    // reads the rows for both. Otherwise each session would take one more request. If the account
    // is at its limit, which is rare, the session does not need what it has read.
    const [due, admission] = await Promise.all([
      nextEntries(work, parallelAtStart),
      dependencies.outbox.admit(target, { lease, now, due: claimed.due }),
    ]);
    if (admission === null) return { outcome: "refused" };
    const next = await untilNothingIsDue(work, { due, additions: claimed.additions });
    return { outcome: "drained", next, crowded: admission.crowded };
  } catch (error) {
    if (error instanceof LeaseLost) return { outcome: "lost" };
    throw error;
  } finally {
    session.close();
    dependencies.report?.(session.attempts?.metrics() ?? []);
  }
}

/** Sends the wake-up message for the remaining entries, unless the sweeper wakes the target. */
async function wakeAgain<LogRecord>(next: Date, work: Work<LogRecord>): Promise<void> {
  const delay = await delayUntil(next, work);
  // After an error, the sweeper wakes the target later. A message now would repeat the error
  // immediately.
  if (delay === null || work.errors.length > 0) return;
  await work.dependencies.queue.send([work.target], delay);
}

/**
 * Returns the delay of the next wake-up message, in seconds. Returns 0 for a deleted or disabled
 * target, and null if the delay exceeds the maximum of a message.
 */
async function delayUntil<LogRecord>(
  next: Date,
  { session, dependencies }: Work<LogRecord>,
): Promise<number | null> {
  const now = dependencies.clock.now();
  return next > now && (await session.target()).hasEnded ? 0 : messageDelay(next, now);
}

/** Wakes targets of the account that no worker could claim while the account was at its limit. */
async function wakeWaiting<LogRecord>(
  { accountId, targetId }: DeliveryTarget,
  { outbox, queue, clock }: DrainDependencies<LogRecord>,
): Promise<void> {
  const waiting = await outbox.waiting(accountId, clock.now());
  const others = waiting.filter((other) => other.targetId !== targetId);
  if (others.length > 0) await queue.send(others.slice(0, targetsAtOnceMax), 0);
}

interface Work<LogRecord> {
  readonly target: DeliveryTarget;
  readonly session: Session<LogRecord>;
  readonly dependencies: DrainDependencies<LogRecord>;
  readonly recorder: ReturnType<typeof recorder<LogRecord>>;
  readonly entries: EntryList;
  readonly isOver: () => boolean;
  /** Names of the entries that this slice could not process because the service itself failed. */
  readonly failed: Set<string>;
  readonly errors: unknown[];
}

/** Entries to process, and the number of them to process in parallel. */
interface DueEntries {
  readonly entries: readonly OutboxEntry[];
  readonly parallel: number;
}

/**
 * Processes entries until no entry is due or the time slice ends, and releases the lease. Returns
 * the earliest due time of the remaining entries; null if there are none.
 * @throws LeaseLost if another process has claimed the target
 */
async function untilNothingIsDue<LogRecord>(
  work: Work<LogRecord>,
  claimed: { readonly due: DueEntries; readonly additions: number },
): Promise<Date | null> {
  const { entries, recorder: changeRecorder } = work;
  let { due, additions } = claimed;
  for (;;) {
    while (due.entries.length > 0) {
      await workOn(due, work);
      // The entries of a large outbox are read from the store. Queued removals must be stored
      // first, because otherwise the next read returns entries that this session has processed.
      if (entries.remaining() === null) await changeRecorder.flush();
      due = await nextEntries(work, due.parallel);
      // Without this write, the next session would repeat the attempts of this loop after a crash.
      // If no entry is due, the release stores the changes.
      if (due.entries.length > 0) await changeRecorder.flush();
    }
    const held = { additions, remaining: entries.remaining() };
    const released = await changeRecorder.release(held);
    if (released.outcome === "lost") throw new LeaseLost();
    if (released.outcome === "released") return released.next;
    ({ additions } = released);
    entries.forget();
    due = await nextEntries(work, due.parallel);
  }
}

/**
 * Returns the next due entries. Empty if the time slice has ended or no entries remain.
 * @param parallelBefore number of parallel loops, from the last read of the target in this session
 */
const nextEntries = async <LogRecord>(
  work: Work<LogRecord>,
  parallelBefore: number,
): Promise<DueEntries> =>
  work.isOver() || work.entries.remaining()?.length === 0
    ? { entries: [], parallel: parallelBefore }
    : dueEntries(work, parallelBefore);

/**
 * Returns due entries, and the number of entries that the target now allows in parallel. Chooses
 * the entries before it reads the target, so that one request reads the target and the rows that
 * the session prepares. It does not know the new number at this time, so the number of chosen
 * entries depends on `parallelBefore`.
 */
async function dueEntries<LogRecord>(
  { entries, session, dependencies, failed }: Work<LogRecord>,
  parallelBefore: number,
): Promise<DueEntries> {
  const now = dependencies.clock.now();
  const wanted = Math.max(entriesAtOnceMin, entriesPerLoop * parallelBefore);
  const choose = async (by: Date | null): Promise<readonly OutboxEntry[]> => {
    const { first, later } = await entries.due(by, wanted + failed.size);
    const due = alternately(first, later).filter((entry) => !failed.has(entryName(entry)));
    return firstOfEachKey(due).slice(0, wanted);
  };
  await entries.load(entriesAtOnceMin + failed.size);
  const due = await choose(now);
  session.prepare?.(due.slice(0, preparedMax));
  const { hasEnded, parallel } = await session.target();
  return { entries: hasEnded ? await choose(null) : due, parallel };
}

/**
 * Returns the first entry of each key. Other entries of the key stay in the outbox, so that entries
 * with the same key are processed one after the other.
 */
function firstOfEachKey(entries: readonly OutboxEntry[]): readonly OutboxEntry[] {
  const keys = new Set<string>();
  return entries.filter(({ key }) => {
    const isFirst = !keys.has(key);
    keys.add(key);
    return isFirst;
  });
}

/** Takes entries from the two lanes alternately, so that no lane waits until the other is empty. */
const alternately = (first: readonly OutboxEntry[], later: readonly OutboxEntry[]): OutboxEntry[] =>
  Array.from({ length: Math.max(first.length, later.length) }, (_, n) => [first[n], later[n]])
    .flat()
    .filter((entry) => entry !== undefined);

/**
 * Processes due entries in parallel loops until they are processed or the time slice ends. An error
 * of one entry is kept in `work.errors`, and the loops continue with the other entries.
 * @throws the error of a failed transaction, after all loops have ended
 */
async function workOn<LogRecord>(
  { entries: due, parallel }: DueEntries,
  work: Work<LogRecord>,
): Promise<void> {
  const { session, recorder: changeRecorder, entries, isOver, dependencies } = work;
  const waiting = [...due];
  const record = (change: OutboxChange<LogRecord>): Promise<void> => {
    entries.apply(change);
    return changeRecorder.record(change);
  };
  const track = async (): Promise<void> => {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
      if (isOver()) return;
      const lateMs = dependencies.clock.now().getTime() - new Date(entry.dueAt).getTime();
      if (lateMs >= 0) session.late?.(lateMs);
      dependencies.begins?.(entry);
      try {
        await session.work(entry, {
          record,
          async store(change) {
            await record(change);
            await changeRecorder.flush();
          },
          isOver,
        });
      } catch (error) {
        if (changeRecorder.hasFailed()) throw error;
        work.failed.add(entryName(entry));
        work.errors.push(error);
      }
    }
  };
  // All parallel loops must end before the session closes the connections that they use.
  const tracks = await Promise.allSettled(Array.from({ length: parallel }, track));
  for (const ended of tracks) if (ended.status === "rejected") throw ended.reason;
}
