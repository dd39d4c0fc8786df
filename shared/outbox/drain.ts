import type { Chance, Clock } from "../base/clock.ts";
import { messageDelay, newLease, sliceSecondsMax, targetsAtOnceMax } from "./lease.ts";
import { type Entry, nameOf, type OutboxQueue, type OutboxStore, type Target } from "./outbox.ts";
import { LeaseLost, recorder } from "./recorder.ts";
import type { Change } from "./change.ts";

/** What a session sees of the process that works a target off. */
export interface Slice<LogRecord> {
  /**
   * Hands over a change, to be kept with others in one transaction a little later; waits while too
   * many are waiting.
   * @throws LeaseLost when somebody else has taken the target over.
   */
  record(change: Change<LogRecord>): Promise<void>;
  /**
   * Stores a change, and everything handed over before it, before it returns.
   * @throws LeaseLost as `record` does.
   */
  store(change: Change<LogRecord>): Promise<void>;
  /** True when the rest is for another slice: an entry that is not removed comes again. */
  timeIsUp(): boolean;
}

/** Works a target's entries off; opened for one slice. */
export interface Session<LogRecord> {
  /** Entries worked on at once. */
  readonly parallel: number;
  /**
   * True when the target is owed nothing any more: its entries are ended now, due or not. Asked
   * each time that entries are looked for, as a target may come back.
   */
  ended(): Promise<boolean>;
  /** Works on one entry. Throws only when something of the service itself fails. */
  work(entry: Entry, slice: Slice<LogRecord>): Promise<void>;
  /** What the target's next session is opened with, as JSON; stored with every change. */
  state?(): unknown;
  close(): void;
}

/** `state`: what the target's last session returned from `state()`; undefined when none did. */
export type OpenSession<LogRecord> = (
  target: Target,
  state: unknown,
) => Promise<Session<LogRecord>>;

export interface DrainDependencies<LogRecord> {
  readonly outbox: OutboxStore<LogRecord>;
  readonly open: OpenSession<LogRecord>;
  readonly queue: OutboxQueue;
  readonly clock: Clock;
  readonly chance: Chance;
  /** Told of an entry that is worked on, how long it had been due, in milliseconds. */
  readonly late?: (milliseconds: number) => void;
  /** Told of an entry before it is worked on. */
  readonly begins?: (entry: Entry) => void;
}

/** Entries looked at in one go: no more than a slice may hold in memory. */
const entriesAtOnce = 25;

/**
 * Works off what a target is owed, for up to half a minute, if nobody else is at it; then gives it
 * back and wakes the delivery for what is left.
 * @throws what of the service itself failed, once everything else was done and kept.
 */
export async function drain<LogRecord>(
  target: Target,
  dependencies: DrainDependencies<LogRecord>,
): Promise<void> {
  const { outbox, open, queue, clock, chance } = dependencies;
  const now = clock.now();
  const lease = newLease(now, chance);
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
    timeIsUp: () => clock.now().getTime() >= stopAt,
    failed: new Set(),
    errors: [],
  };
  let next: Date | null;
  try {
    next = await untilNothingIsDue(work, { token: lease.token, additions: claimed.additions });
  } catch (error) {
    if (error instanceof LeaseLost) return;
    throw error;
  } finally {
    session.close();
  }
  const delay = next === null ? null : await delayUntil(next, work);
  // What failed is left to the sweeper, so that it does not come again at once.
  if (delay !== null && work.errors.length === 0) await queue.send([target], delay);
  if (claimed.crowded) await wakeWaiting(target, dependencies);
  if (work.errors.length > 0) throw work.errors[0];
}

/** How long a message for what is left waits; null when it cannot. What has ended waits for nothing. */
async function delayUntil<LogRecord>(
  next: Date,
  { session, dependencies }: Work<LogRecord>,
): Promise<number | null> {
  const now = dependencies.clock.now();
  return next > now && (await session.ended()) ? 0 : messageDelay(next, now);
}

/** Others of the account may have found it at its limit: they can have the places now. */
async function wakeWaiting<LogRecord>(
  { accountId, targetId }: Target,
  { outbox, queue, clock }: DrainDependencies<LogRecord>,
): Promise<void> {
  const waiting = await outbox.waiting(accountId, clock.now());
  const others = waiting.filter((other) => other.targetId !== targetId);
  if (others.length > 0) await queue.send(others.slice(0, targetsAtOnceMax), 0);
}

interface Work<LogRecord> {
  readonly target: Target;
  readonly session: Session<LogRecord>;
  readonly dependencies: DrainDependencies<LogRecord>;
  readonly recorder: ReturnType<typeof recorder<LogRecord>>;
  readonly timeIsUp: () => boolean;
  /** Entries that something of the service itself kept from being worked on in this slice. */
  readonly failed: Set<string>;
  readonly errors: unknown[];
}

/** When the earliest entry that is left is due; null when none is left. */
async function untilNothingIsDue<LogRecord>(
  work: Work<LogRecord>,
  claimed: { readonly token: string; readonly additions: number },
): Promise<Date | null> {
  const { outbox } = work.dependencies;
  let { additions } = claimed;
  for (;;) {
    while (!work.timeIsUp()) {
      const due = await dueEntries(work);
      if (due.length === 0) break;
      await workOn(due, work);
      await work.recorder.flush();
    }
    const released = await outbox.release(work.target, { token: claimed.token, additions });
    if (released.outcome === "lost") throw new LeaseLost();
    if (released.outcome === "released") return released.next;
    ({ additions } = released);
  }
}

async function dueEntries<LogRecord>(work: Work<LogRecord>): Promise<readonly Entry[]> {
  const { target, session, dependencies, failed } = work;
  const { outbox, clock } = dependencies;
  const limit = entriesAtOnce + failed.size;
  const by = (await session.ended()) ? null : clock.now();
  const [first, later] = await Promise.all([
    outbox.entries(target, { lane: "first", by, limit }),
    outbox.entries(target, { lane: "later", by, limit }),
  ]);
  const due = alternately(first, later).filter((entry) => !failed.has(nameOf(entry)));
  return firstOfEachKey(due).slice(0, entriesAtOnce);
}

/** Two entries about the same thing are worked on one after the other. */
function firstOfEachKey(entries: readonly Entry[]): readonly Entry[] {
  const keys = new Set<string>();
  return entries.filter(({ key }) => {
    const isFirst = !keys.has(key);
    keys.add(key);
    return isFirst;
  });
}

/** Neither lane waits for the whole of the other. */
const alternately = (first: readonly Entry[], later: readonly Entry[]): Entry[] =>
  Array.from({ length: Math.max(first.length, later.length) }, (_, n) => [first[n], later[n]])
    .flat()
    .filter((entry) => entry !== undefined);

async function workOn<LogRecord>(due: readonly Entry[], work: Work<LogRecord>): Promise<void> {
  const { session, recorder: kept, timeIsUp, dependencies } = work;
  const waiting = [...due];
  const track = async (): Promise<void> => {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
      if (timeIsUp()) return;
      const lateMs = dependencies.clock.now().getTime() - new Date(entry.dueAt).getTime();
      if (lateMs >= 0) dependencies.late?.(lateMs);
      dependencies.begins?.(entry);
      try {
        await session.work(entry, {
          record: (change) => kept.record(change),
          async store(change) {
            await kept.record(change);
            await kept.flush();
          },
          timeIsUp,
        });
      } catch (error) {
        if (kept.hasFailed()) throw error;
        work.failed.add(nameOf(entry));
        work.errors.push(error);
      }
    }
  };
  // Whoever sends is let finish before the session closes what they send through.
  const tracks = await Promise.allSettled(Array.from({ length: session.parallel }, track));
  for (const ended of tracks) if (ended.status === "rejected") throw ended.reason;
}
