import type { Clock } from "../base/clock.ts";
import type { Change } from "./drain.ts";
import { leaseUntil } from "./lease.ts";
import {
  type Changes,
  type Entry,
  type Lease,
  nameOf,
  type OutboxStore,
  type Target,
} from "./outbox.ts";

/** Somebody else has taken the target over; what was not kept yet will be done again by them. */
export class LeaseLost extends Error {}

/** Rows of one transaction: DynamoDB takes 100 and 4 MB; a record can have 75 KB of excerpts. */
const rowsMax = 90;
const recordsMax = 25;
/** What a crash would have done again: the first change after so long keeps all that wait. */
const keptWithinMs = 1_000;

export interface Recorder<LogRecord> {
  record(change: Change<LogRecord>): Promise<void>;
  /** True when something could not be kept: to go on would only make more to do again. */
  hasFailed(): boolean;
  /** Keeps everything handed over so far. */
  flush(): Promise<void>;
}

export interface RecorderOptions<LogRecord> {
  readonly target: Target;
  readonly token: string;
  readonly outbox: Pick<OutboxStore<LogRecord>, "record">;
  readonly clock: Clock;
  /** What is stored for the target's next session with each change. */
  readonly state: () => unknown;
}

/**
 * Gathers changes and keeps them in few transactions, one after the other, each of which holds only
 * while the lease does and makes it longer.
 */
export function recorder<LogRecord>(options: RecorderOptions<LogRecord>): Recorder<LogRecord> {
  const { target, token, outbox, clock, state } = options;
  let waiting: Change<LogRecord>[] = [];
  let keptAt = clock.now().getTime();
  let writing: Promise<void> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;

  const keepSome = async (): Promise<void> => {
    const taken = takeFitting(waiting);
    if (taken.length === 0) return;
    waiting = waiting.slice(taken.length);
    const now = clock.now();
    keptAt = now.getTime();
    const lease: Lease = { token, until: leaseUntil(now) };
    const change = { lease, changes: merged(taken), state: state() };
    if (!(await outbox.record(target, change))) throw new LeaseLost();
  };
  /** One transaction at a time: they all write the target's row and would cancel each other. */
  const begin = (): Promise<void> => {
    writing = writing.then(keepSome);
    // Nobody may be waiting for it: the next change learns of a failure.
    writing.catch((error: unknown) => {
      failure = { error };
    });
    return writing;
  };
  return {
    hasFailed: () => failure !== undefined,
    async record(change) {
      if (failure !== undefined) throw failure.error;
      waiting.push(change);
      const full = takeFitting(waiting).length < waiting.length;
      if (!full && clock.now().getTime() - keptAt < keptWithinMs) return;
      // The work goes on beside one transaction, and waits for the one before it.
      const before = writing;
      void begin();
      await before;
    },
    async flush() {
      await writing;
      while (waiting.length > 0) await begin();
    },
  };
}

/** As many changes from the front as one transaction takes, and at least one. */
function takeFitting<LogRecord>(changes: readonly Change<LogRecord>[]): Change<LogRecord>[] {
  const taken: Change<LogRecord>[] = [];
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

const rowsOf = <LogRecord>({ removed, added = [], records = [] }: Change<LogRecord>): number =>
  (removed === undefined ? 0 : 1) + added.length + records.length;

/** What changes come to one after the other: an entry may come and go, or replace itself. */
function merged<LogRecord>(changes: readonly Change<LogRecord>[]): Changes<LogRecord> {
  const removed = new Map<string, Entry>();
  const added = new Map<string, Entry>();
  for (const change of changes) {
    if (change.removed !== undefined) {
      removed.set(nameOf(change.removed), change.removed);
      added.delete(nameOf(change.removed));
    }
    for (const entry of change.added ?? []) {
      removed.delete(nameOf(entry));
      added.set(nameOf(entry), entry);
    }
  }
  return {
    removed: [...removed.values()],
    added: [...added.values()],
    records: changes.flatMap(({ records = [] }) => records),
  };
}
