import type { Row } from "../../../shared/aws/table/dynamo.ts";

/**
 * What one record of a shard's journal changes: the balance, the held and the spent credits. The
 * checks parse records separately, because they must find errors in the service's parser.
 */
export interface RecordMoves extends Moves {
  readonly type: string;
  readonly credits: number;
}

interface Moves {
  /** The change of the balance in credits. */
  readonly moves: number;
  readonly held: number;
  readonly spent: number;
}

/**
 * Parses a record of a shard's journal. Returns two changes for a settlement that both charges and
 * refunds, and one change for any other record.
 * @throws Error if the type of the record is unknown
 */
export function movesOf(record: Row): readonly RecordMoves[] {
  const [credits, refunded] = [Number(record["c"]), Number(record["r"] ?? 0)];
  const one = (type: string, by: Partial<Moves>): RecordMoves => ({
    type,
    credits: Math.abs(type === "refund" ? (by.moves ?? 0) : credits),
    moves: 0,
    held: 0,
    spent: 0,
    ...by,
  });
  switch (record["t"]) {
    case "r":
      return [one("reserve", { moves: -credits, held: credits })];
    case "s":
      return [
        ...(credits > 0 || refunded === 0
          ? [one("charge", { held: -credits, spent: credits })]
          : []),
        ...(refunded > 0 ? [one("refund", { moves: refunded, held: -refunded })] : []),
      ];
    case "b":
      return [one("refund", { moves: credits, spent: -credits })];
    case "g":
      return [one("grant", { moves: credits })];
    case "p":
      return [one("purchase", { moves: credits })];
    case "j":
      return [one("adjust", { moves: credits })];
    case "x":
      return [one("transfer", { moves: credits })];
    default:
      throw new Error(`Unknown type of a journal record: ${JSON.stringify(record)}`);
  }
}

/**
 * Returns true for a change that is a ledger entry. A transfer between shards is not a ledger
 * entry.
 */
export const isEntry = ({ type }: RecordMoves): boolean => type !== "transfer";

/** The sums of the records of an account or shard, up to one of the records. */
export interface Sums {
  readonly balance: number;
  readonly held: number;
  readonly spent: number;
  readonly sequence: number;
  /** The sum of all additions to the balance. */
  readonly added: number;
}

/** The sums before the first record. */
export const noSums: Sums = { balance: 0, held: 0, spent: 0, sequence: 0, added: 0 };

/**
 * Adds the changes of records to `before`, the sums before the first record. Returns the sums after
 * the last record.
 */
export function foldOf(before: Sums, records: readonly Row[]): Sums {
  return records.flatMap(movesOf).reduce(
    (sums, move) => ({
      balance: sums.balance + move.moves,
      held: sums.held + move.held,
      spent: sums.spent + move.spent,
      sequence: sums.sequence + (isEntry(move) ? 1 : 0),
      added: sums.added + Math.max(0, move.moves),
    }),
    before,
  );
}

/**
 * Returns the usage of records by UTC date. Each value is `[requests, successful, failed,
 * credits]`.
 */
export function usageOf(records: readonly Row[]): Readonly<Record<string, readonly number[]>> {
  const days: Record<string, number[]> = {};
  const add = (date: string, ...more: readonly number[]): void => {
    days[date] = more.map((by, n) => by + (days[date]?.[n] ?? 0));
  };
  for (const record of records) {
    const credits = Number(record["c"]);
    if (record["t"] === "s") {
      const day = new Date(Math.floor(Number(record["a"]) / 1_000)).toISOString().slice(0, 10);
      add(day, 1, ...(record["k"] === true ? [1, 0] : [0, 1]), credits);
    }
    if (record["t"] === "b") add(String(record["d"]).slice(0, 10), 0, -1, 1, -credits);
  }
  return days;
}
