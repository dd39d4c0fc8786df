import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import {
  array,
  boolean,
  type InferOutput,
  nullable,
  number,
  object,
  optional,
  parse,
  picklist,
  string,
} from "valibot";
import type { RandomSource, Clock } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import { eventTypes } from "../../events/event.ts";
import type { EventFeed, FeedEntry, FeedRun } from "../../events/event-feed.ts";
import {
  attemptUnlessThrottled,
  type CancellationReason,
  isRefused,
  type Row,
  retryWhileContended,
  transact,
} from "../table/dynamo.ts";
import { queryRows } from "../table/query-rows.ts";
import { readRow } from "../table/row-reads.ts";
import { deliveryKeys, epochSeconds } from "../table/table.ts";
import type { Write } from "./outbox-writes.ts";

/** The deliveries table, with the clock and the random source for pauses before retries. */
export interface FeedOptions {
  readonly tableName: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

interface Process extends FeedOptions {
  readonly client: DynamoDBDocumentClient;
}

const retentionSeconds = limits.eventRetentionDays * 24 * 60 * 60;
/**
 * Maximum pause between attempts, in milliseconds. Runs of up to 100 watchlists of an account may
 * end at the same moment, and each of them writes the same row, the account's `feedCount`.
 */
const waitMsMax = 2_000;
/** Milliseconds after the addition of a run during which a query may still miss the run. */
const settledMs = 10_000;
/** The highest sequence of a feed entry. Keys pad sequences to 12 digits, so that they sort. */
const sequenceMax = 999_999_999_999;

/** The account's newest run in the feed: its sequence, and the time at which it was added. */
const countRow = object({ last: optional(number(), 0), appended_at: optional(string(), "") });
/** The previous release writes rows without the attribute. */
const markerRow = object({ has_outboxes: optional(boolean(), false) });
const entryRow = object({
  sequence: number(),
  run_id: string(),
  watchlist_id: string(),
  webhook_endpoint_id: nullable(string()),
  created_at: string(),
  types: array(picklist(eventTypes)),
  appended_at: string(),
});
type EntryRow = InferOutput<typeof entryRow>;

/**
 * Creates the event feed in DynamoDB. Each run has a row by its sequence and a row by its end time,
 * and each account has a count row. One transaction assigns a sequence and increments the count, so
 * sequences are assigned in order and have no gaps.
 */
export function dynamoEventFeed(client: DynamoDBDocumentClient, options: FeedOptions): EventFeed {
  const process: Process = { ...options, client };
  return {
    async append(accountId, run) {
      await appendRun(client, options, {
        accountId,
        run,
        newest: await newestRun(process, accountId),
      });
    },
    after: (accountId, sequence, limit) => after(process, accountId, { sequence, limit }),
    before: (accountId, since) => before(process, accountId, since),
    between: (accountId, range) => between(process, accountId, range),
  };
}

/** The account's newest run in the feed; sequence 0 for an empty feed. */
export interface NewestRun {
  readonly sequence: number;
  /** Time at which the run was added; empty for an empty feed. */
  readonly appendedAt: string;
}

interface Appending {
  readonly accountId: string;
  readonly run: FeedRun;
  /** The newest run, read before the call. An outdated value costs another attempt. */
  readonly newest: NewestRun;
  /**
   * Further writes of the same transaction, without conditions: the outbox entries, the archive and
   * the export of the run. Absent if the run has none. The feed stores whether a run was added with
   * such writes.
   */
  readonly others?: readonly Write[];
}

/** `appended`: the run was added. `known`: the feed already had the run; nothing was written. */
export type AppendOutcome =
  | { readonly outcome: "appended" }
  | {
      readonly outcome: "known";
      /** True if the transaction that added the run had `others`. */
      readonly hadOthers: boolean;
    };

/**
 * Adds a run to the feed with the next sequence, and makes other writes in the same transaction.
 * @throws 503 UNAVAILABLE if rows stay contended or throttled
 */
export function appendRun(
  client: DynamoDBDocumentClient,
  options: FeedOptions,
  { newest, ...appending }: Appending,
): Promise<AppendOutcome> {
  const process: Process = { ...options, client };
  let known: NewestRun = newest;
  return retryWhileContended({ ...options, waitMsMax }, (note) =>
    attemptUnlessThrottled<AppendOutcome | "again">(note, async () => {
      const writes = appendWrites(process, { ...appending, newest: known });
      const result = await transact(client, writes);
      if (result.outcome === "done") return { outcome: "appended" };
      const [marker, count] = result.reasons;
      if (isRefused(marker)) {
        const { has_outboxes: hadOthers } = parse(markerRow, rowIn(marker));
        return { outcome: "known", hadOthers };
      }
      // Another run has used the sequence, or rows are contended.
      if (isRefused(count)) known = newestIn(rowIn(count));
      return "again";
    }),
  );
}

const rowIn = ({ item }: NonNullable<CancellationReason>): Row =>
  item === undefined ? {} : unmarshall(item);

/**
 * Builds the writes that add a run: its row by end time, the account's count row, its row by
 * sequence, and `others`.
 */
function appendWrites(
  { tableName: TableName, clock }: Process,
  { accountId, run, newest, others }: Appending,
): readonly Write[] {
  const sequence = newest.sequence + 1;
  // The latest of three times. A lower sequence must not have a later `appendedAt`, because
  // `before` uses a binary search. No run may be added before its end (`run.createdAt`).
  const appendedAt = [newest.appendedAt, run.createdAt, clock.now().toISOString()].reduce((a, b) =>
    a > b ? a : b,
  );
  const row = rowOf({ ...run, sequence }, appendedAt);
  const marker = {
    ...deliveryKeys.feedRun(accountId, run),
    ...row,
    ...(others !== undefined && { has_outboxes: true }),
  };
  const absent = "attribute_not_exists(pk)";
  const shown = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;
  return [
    { Put: { TableName, Item: marker, ConditionExpression: absent, ...shown } },
    {
      Update: {
        TableName,
        Key: deliveryKeys.feedCount(accountId),
        UpdateExpression: "SET #last = :next, appended_at = :at",
        ConditionExpression: newest.sequence === 0 ? absent : "#last = :last",
        ExpressionAttributeNames: { "#last": "last" },
        ExpressionAttributeValues: {
          ":next": sequence,
          ":at": appendedAt,
          ...(newest.sequence === 0 ? {} : { ":last": newest.sequence }),
        },
        ...shown,
      },
    },
    {
      Put: {
        TableName,
        Item: { ...deliveryKeys.feedEntry(accountId, sequence), ...row },
        ConditionExpression: absent,
      },
    },
    ...(others ?? []),
  ];
}

/** Lists the first `limit` runs after a sequence, up to a gap that may still be filled. */
async function after(
  process: Process,
  accountId: string,
  { sequence, limit }: { readonly sequence: number; readonly limit: number },
): Promise<readonly FeedEntry[]> {
  const entries: FeedEntry[] = [];
  const now = process.clock.now();
  let previous = sequence;
  for await (const row of rowsIn(process, numbersFrom(accountId, sequence + 1), limit)) {
    // A query may return the rows of a transaction before those of an earlier one. A gap between
    // recent rows may therefore still be filled, and reading past it would lose a run. An older gap
    // is an expired run.
    const isRecent = Math.abs(now.getTime() - Date.parse(row.appended_at)) < settledMs;
    if (row.sequence > previous + 1 && isRecent) break;
    previous = row.sequence;
    if (isKept(row, now)) entries.push(entryOf(row));
    if (entries.length === limit) break;
  }
  return entries;
}

/** Lists the first `limit` runs that ended in a time span, after the run `after`. */
async function between(
  process: Process,
  accountId: string,
  { since, until, after: last, limit }: Parameters<EventFeed["between"]>[1],
): Promise<readonly FeedEntry[]> {
  const entries: FeedEntry[] = [];
  const now = process.clock.now();
  const range = {
    pk: deliveryKeys.feedRun(accountId, { createdAt: "", runId: "" }).pk,
    // A space sorts before every character of an ID, so `from` is just after the run `last`. "~"
    // sorts after every character, so the range includes all runs that ended at `until`.
    from: last === null ? isoTime(since) : `${deliveryKeys.feedRun(accountId, last).sk} `,
    to: `${isoTime(until)}#~`,
  };
  for await (const row of rowsIn(process, range, limit)) {
    if (isKept(row, now)) entries.push(entryOf(row));
    if (entries.length === limit) break;
  }
  return entries;
}

/**
 * Returns the sequence of the last run that was added before the time `since`; 0 if there is none.
 * Uses a binary search, because a higher sequence never has an earlier `appended_at`.
 */
async function before(process: Process, accountId: string, since: string): Promise<number> {
  const wanted = isoTime(since);
  const newest = await newestRun(process, accountId);
  if (newest.appendedAt < wanted) return newest.sequence;
  let low = 1;
  let high = newest.sequence;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const foundEntry = await firstFrom(process, accountId, middle);
    if (foundEntry === undefined || foundEntry.appended_at >= wanted) high = middle;
    else low = foundEntry.sequence + 1;
  }
  return high - 1;
}

/** Reads the first run with this sequence or a higher one. */
async function firstFrom(process: Process, accountId: string, sequence: number) {
  for await (const row of rowsIn(process, numbersFrom(accountId, sequence), 1)) return row;
  return undefined;
}

/**
 * Reads the sequence of the account's newest run in the feed, and the time at which this run was
 * added. For an empty feed, the sequence is 0 and the time is empty.
 */
export async function newestRun(
  { client, tableName }: Pick<Process, "client" | "tableName">,
  accountId: string,
): Promise<NewestRun> {
  return newestIn((await readRow(client, tableName, deliveryKeys.feedCount(accountId))) ?? {});
}

function newestIn(row: Row): NewestRun {
  const { last: sequence, appended_at: appendedAt } = parse(countRow, row);
  return { sequence, appendedAt };
}

interface KeyRange {
  readonly pk: string;
  /** First sort key, inclusive. */
  readonly from: string;
  /** Last sort key, inclusive. */
  readonly to: string;
}

const numbersFrom = (accountId: string, sequence: number): KeyRange => ({
  pk: deliveryKeys.feedEntry(accountId, sequence).pk,
  from: deliveryKeys.feedEntry(accountId, sequence).sk,
  to: deliveryKeys.feedEntry(accountId, sequenceMax).sk,
});

/** Yields the rows of a key range. `rowsAtOnce` is the number of rows that one request reads. */
async function* rowsIn(
  { client, tableName }: Process,
  { pk, from, to }: KeyRange,
  rowsAtOnce: number,
): AsyncGenerator<EntryRow> {
  if (from > to) return;
  const rows = queryRows(client, {
    TableName: tableName,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":pk": pk, ":from": from, ":to": to },
    Limit: rowsAtOnce,
  });
  for await (const row of rows) yield parse(entryRow, row);
}

const rowOf = (entry: FeedEntry, appendedAt: string): Row => ({
  sequence: entry.sequence,
  run_id: entry.runId,
  watchlist_id: entry.watchlistId,
  webhook_endpoint_id: entry.webhookEndpointId,
  created_at: entry.createdAt,
  types: entry.types,
  appended_at: appendedAt,
  ttl: epochSeconds(new Date(entry.createdAt)) + retentionSeconds,
});

const entryOf = (row: EntryRow): FeedEntry => ({
  sequence: row.sequence,
  runId: row.run_id,
  watchlistId: row.watchlist_id,
  webhookEndpointId: row.webhook_endpoint_id,
  createdAt: row.created_at,
  types: row.types,
});

/** Returns false for an expired row. DynamoDB may delete such a row only days after its TTL. */
const isKept = (row: EntryRow, now: Date): boolean =>
  now.getTime() < Date.parse(row.created_at) + retentionSeconds * 1_000;

/** Converts a time to the format of the sort keys. */
const isoTime = (time: string): string => new Date(time).toISOString();
