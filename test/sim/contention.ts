import { conflictOf, itemsWritten } from "../../scripts/bench/account/conflicts.ts";
import { ledgerWriteOf } from "./ledger-writes.ts";
import type { Random } from "./random.ts";
import type { Attempt } from "./sdk.ts";

/** What became of a write that met others in flight on an item. */
export const meetings = [
  "transaction cancelled by a transaction",
  "transaction cancelled by a plain write",
  "plain write refused by a transaction",
  "plain write queued behind a plain write",
] as const;
export type Meeting = (typeof meetings)[number];

/** A write in flight, from its arrival at its items until it takes effect. */
export interface Flight {
  /** Milliseconds that it takes at least. */
  readonly milliseconds: number;
  /** True when no plain write that arrived before is left on its item. */
  isNext(): boolean;
  end(): void;
}

/**
 * Conflicts as DynamoDB makes them: a write is in flight for some virtual time, and one that arrives
 * at an item meanwhile is refused or queues, by the rules that `npm run bench -- account` has too.
 * Nothing here is left to chance but how long a write takes.
 */
export interface Contention {
  /** False for reads, and for batches of writes: whatever they meet, they neither wait nor fail here. */
  takesTime(attempt: Attempt): boolean;
  /**
   * A write reaches its items.
   * @throws TransactionConflictException, TransactionCanceledException
   */
  arrive(attempt: Attempt): Flight;
  /** How often each meeting happened. */
  readonly met: ReadonlyMap<Meeting, number>;
  /** How often one ledger write met another, as `transfer meets reserve`. */
  readonly pairs: ReadonlyMap<string, number>;
}

/** About as long as on AWS (`defaultRules` of the bench), where a call of the simulation takes 1 to 4 ms. */
const plainMs = [1, 3] as const;
const transactionMs = [5, 9] as const;

const transaction = "TransactWriteItems";
const timed: ReadonlySet<string> = new Set(["PutItem", "UpdateItem", "DeleteItem", transaction]);

interface InFlight extends Flight {
  readonly attempt: Attempt;
  readonly isTransaction: boolean;
}

export function contention(random: Random): Contention {
  const lines = new Map<string, readonly InFlight[]>();
  const met = new Map<Meeting, number>();
  const pairs = new Map<string, number>();
  // A process that dies while its write is in flight died before it: the other side is a fault.
  const lineOf = (item: string): readonly InFlight[] =>
    (lines.get(item) ?? []).filter(({ attempt: { task } }) => task.state !== "dead");
  const count = <Name extends string>(counts: Map<Name, number>, name: Name): void =>
    void counts.set(name, (counts.get(name) ?? 0) + 1);
  const noteMeeting = (isTransaction: boolean, attempt: Attempt, ahead: readonly InFlight[]) => {
    const [other] = ahead;
    if (other === undefined) return;
    count(met, meetingOf(isTransaction, other.isTransaction));
    const [one, before] = [ledgerWriteOf(attempt), ledgerWriteOf(other.attempt)];
    if (one !== undefined && before !== undefined) count(pairs, `${one} meets ${before}`);
  };
  return {
    takesTime: ({ service, operation }) => service === "dynamo" && timed.has(operation),
    arrive(attempt) {
      const isTransaction = attempt.operation === transaction;
      const items = itemsWritten(attempt.operation, attempt.input).map(
        ({ pk, sk }) => `${pk} ${sk}`,
      );
      const found = items.map(lineOf);
      noteMeeting(isTransaction, attempt, found.flat());
      const conflict = conflictOf(
        isTransaction,
        found.map((line) => ({
          isLocked: line.some((one) => one.isTransaction),
          isOccupied: line.some((one) => !one.isTransaction),
        })),
      );
      if (conflict !== undefined) throw conflict;
      const [least, most] = isTransaction ? transactionMs : plainMs;
      const flight: InFlight = {
        attempt,
        isTransaction,
        milliseconds: random.between(least, most),
        isNext: () => items.every((item) => lineOf(item)[0] === flight),
        end() {
          for (const item of items) {
            const left = lineOf(item).filter((one) => one !== flight);
            if (left.length === 0) lines.delete(item);
            else lines.set(item, left);
          }
        },
      };
      for (const item of items) lines.set(item, [...lineOf(item), flight]);
      return flight;
    },
    met,
    pairs,
  };
}

function meetingOf(isTransaction: boolean, isOtherTransaction: boolean): Meeting {
  if (isTransaction) {
    return isOtherTransaction
      ? "transaction cancelled by a transaction"
      : "transaction cancelled by a plain write";
  }
  return isOtherTransaction
    ? "plain write refused by a transaction"
    : "plain write queued behind a plain write";
}
