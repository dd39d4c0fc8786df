import type { Clock } from "../base/clock.ts";
import { taskChain } from "../base/task-chain.ts";
import type { Change } from "./change.ts";
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
  // One transaction at a time: they all write the target's row and would cancel each other.
  const transactions = taskChain();
  let waiting: Change<LogRecord>[] = [];
  let keptAt = clock.now().getTime();

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
  const isDue = (): boolean =>
    takeFitting(waiting).length < waiting.length || clock.now().getTime() - keptAt >= keptWithinMs;
  return {
    hasFailed: () => transactions.hasFailed(),
    async record(change) {
      if (transactions.hasFailed()) return transactions.done();
      waiting.push(change);
      if (!isDue()) return;
      // The work goes on beside one transaction, and waits for the one before it.
      const before = transactions.done();
      void transactions.add(keepSome);
      await before;
    },
    async flush() {
      await transactions.done();
      while (waiting.length > 0) await transactions.add(keepSome);
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
