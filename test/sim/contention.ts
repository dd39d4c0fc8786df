import { conflictOf, itemsLockedBy } from "../../tools/dynamodb/conflicts.ts";
import type { Random } from "./random.ts";
import type { Attempt } from "./attempt.ts";

/** What can happen to a write while another write to the same item is in flight. */
export const overlapKinds = [
  "transaction canceled by a transaction",
  "transaction canceled by a plain write",
  "plain write refused by a transaction",
  "plain write queued behind a plain write",
] as const;
export type Overlap = (typeof overlapKinds)[number];

/** A write in flight: it has reached DynamoDB and has not taken effect yet. */
export interface Flight {
  /** The shortest time in flight, in milliseconds. */
  readonly milliseconds: number;
  /** Returns true if no earlier plain write to its items is in flight. */
  isNext(): boolean;
  /** Ends the flight, so that the write no longer delays or refuses other writes. */
  end(): void;
}

/**
 * Models DynamoDB's write conflicts. A write is in flight for some virtual time. During that time,
 * another write to its items is refused or queued, by the same rules as in `npm run bench --
 * account`. Only the time in flight is random.
 */
export interface Contention {
  /**
   * Returns true for a write that is in flight for some time. Returns false for reads and batch
   * writes, which take no time and have no conflicts in this model.
   */
  takesTime(attempt: Attempt): boolean;
  /**
   * Puts a write in flight on its items.
   * @throws TransactionConflictException or TransactionCanceledException if another write in flight
   * prevents it
   */
  arrive(attempt: Attempt): Flight;
  /** The number of overlaps of each kind. */
  readonly overlaps: ReadonlyMap<Overlap, number>;
  /** How often each pair of ledger writes overlapped. A key is like `transfer meets reserve`. */
  readonly pairs: ReadonlyMap<string, number>;
}

/**
 * The minimum and maximum time of a plain write in flight, in milliseconds. The times are close to
 * `defaultRules` of the bench.
 */
const plainMs = [1, 3] as const;
const transactionMs = [5, 9] as const;

const transaction = "TransactWriteItems";
const timed: ReadonlySet<string> = new Set(["PutItem", "UpdateItem", "DeleteItem", transaction]);

interface InFlight extends Flight {
  readonly attempt: Attempt;
  readonly isTransaction: boolean;
}

/** Creates the model of write conflicts for a seed. */
export function contention(random: Random): Contention {
  const lines = new Map<string, readonly InFlight[]>();
  const overlaps = new Map<Overlap, number>();
  const pairs = new Map<string, number>();
  // Excludes the writes in flight of crashed processes: these writes never take effect, so they
  // prevent no other write. A process with the fault `crash_after` has no write in flight when it
  // crashes, because it crashes after its write took effect.
  const lineOf = (item: string): readonly InFlight[] =>
    (lines.get(item) ?? []).filter(({ attempt: { task } }) => task.state !== "dead");
  const count = <Name extends string>(counts: Map<Name, number>, name: Name): void =>
    void counts.set(name, (counts.get(name) ?? 0) + 1);
  const countOverlap = (isTransaction: boolean, attempt: Attempt, ahead: readonly InFlight[]) => {
    const [other] = ahead;
    if (other === undefined) return;
    count(overlaps, overlapOf(isTransaction, other.isTransaction));
    const [one, before] = [ledgerWriteOf(attempt), ledgerWriteOf(other.attempt)];
    if (one !== undefined && before !== undefined) count(pairs, `${one} meets ${before}`);
  };
  return {
    takesTime: ({ service, operation }) => service === "dynamo" && timed.has(operation),
    arrive(attempt) {
      const isTransaction = attempt.operation === transaction;
      const items = itemsLockedBy(attempt.operation, attempt.input).map(
        ({ pk, sk }) => `${pk} ${sk}`,
      );
      const found = items.map(lineOf);
      countOverlap(isTransaction, attempt, found.flat());
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
    overlaps,
    pairs,
  };
}

function overlapOf(isTransaction: boolean, isOtherTransaction: boolean): Overlap {
  if (isTransaction) {
    return isOtherTransaction
      ? "transaction canceled by a transaction"
      : "transaction canceled by a plain write";
  }
  return isOtherTransaction
    ? "plain write refused by a transaction"
    : "plain write queued behind a plain write";
}

/**
 * Returns the name of the ledger operation that a write to shards belongs to; undefined for writes
 * to other rows.
 */
function ledgerWriteOf({ operation, input }: Attempt): string | undefined {
  const rows = itemsLockedBy(operation, input);
  const shards = rows.filter(({ sk }) => sk === "shard").length;
  if (operation === "UpdateItem") return shards === 1 ? plainWriteOf(input) : undefined;
  if (operation !== "TransactWriteItems") return undefined;
  const has = (pattern: RegExp): boolean => rows.some(({ sk }) => pattern.test(sk));
  if (has(/^account$/)) return shards > 0 ? "migration or purchase" : "the previous release";
  if (shards === 0) return undefined;
  if (has(/^page#/)) return "copy of a journal";
  if (has(/^hold#/)) return "step or cancellation";
  return shards > 1 ? "transfer" : "other transaction";
}

function plainWriteOf({ UpdateExpression }: Attempt["input"]): string {
  const expression = String(UpdateExpression);
  if (expression.includes("#holds.#hold = :hold")) return "reserve";
  if (expression.includes("REMOVE #holds.#hold")) return "settle";
  if (/due_(kind|at)/.test(expression)) return "due mark";
  return expression.includes("fence") ? "fence of a listing" : "other write";
}
