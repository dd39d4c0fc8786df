import {
  type DynamoDBDocumentClient,
  GetCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import {
  array,
  type InferOutput,
  nullable,
  number,
  object,
  parse,
  picklist,
  string,
} from "valibot";
import type { RandomSource, Clock } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import { eventTypes } from "../../events/event.ts";
import type { EventFeed, FeedEntry, FeedRun } from "../../events/event-feed.ts";
import { cancellationReasons, type Row, retryWhileContended } from "../table/dynamo.ts";
import { queryRows } from "../table/query-rows.ts";
import { deliveryKeys, epochSeconds, type RowKey } from "../table/table.ts";

interface Options {
  readonly tableName: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

interface Process extends Options {
  readonly client: DynamoDBDocumentClient;
}

const retentionSeconds = limits.eventRetentionDays * 24 * 60 * 60;
/**
 * Maximum pause between attempts, in milliseconds. Runs of up to 100 watchlists of an account may
 * end at the same moment, and all of them write the account's count row.
 */
const waitMsMax = 2_000;
/** Milliseconds after a transaction from which a query returns either all of its rows or none. */
const settledMs = 10_000;
/** The highest sequence of a feed entry. Keys pad sequences to 12 digits, so that they sort. */
const sequenceMax = 999_999_999_999;

/** The account's newest run in the feed: its sequence, and the time at which it was added. */
const countRow = object({ last: number(), appended_at: string() });
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
export function dynamoEventFeed(client: DynamoDBDocumentClient, options: Options): EventFeed {
  const process: Process = { ...options, client };
  return {
    append: (accountId, run) =>
      retryWhileContended({ ...options, waitMsMax }, () => append(process, accountId, run)),
    after: (accountId, sequence, limit) => after(process, accountId, { sequence, limit }),
    before: (accountId, since) => before(process, accountId, since),
    between: (accountId, range) => between(process, accountId, range),
  };
}

async function append(
  process: Process,
  accountId: string,
  run: FeedRun,
): Promise<undefined | "again"> {
  const { client, tableName: TableName, clock } = process;
  const marker = deliveryKeys.feedRun(accountId, run);
  const newest = await count(process, accountId);
  const sequence = newest.last + 1;
  // `appendedAt` must not be earlier than the `appendedAt` of a lower sequence, because `before`
  // uses a binary search. It must not be earlier than the end of the run (`run.createdAt`) either.
  const appendedAt = [newest.appended_at, run.createdAt, clock.now().toISOString()].reduce((a, b) =>
    a > b ? a : b,
  );
  const row = rowOf({ ...run, sequence }, appendedAt);
  const absent = "attribute_not_exists(pk)";
  const entry = { ...deliveryKeys.feedEntry(accountId, sequence), ...row };
  try {
    await client.send(
      new TransactWriteCommand({
        TransactItems: [
          { Put: { TableName, Item: { ...marker, ...row }, ConditionExpression: absent } },
          {
            Update: {
              TableName,
              Key: deliveryKeys.feedCount(accountId),
              UpdateExpression: "SET #last = :next, appended_at = :at",
              ConditionExpression: newest.last === 0 ? absent : "#last = :last",
              ExpressionAttributeNames: { "#last": "last" },
              ExpressionAttributeValues: {
                ":next": sequence,
                ":at": appendedAt,
                ...(newest.last === 0 ? {} : { ":last": newest.last }),
              },
            },
          },
          { Put: { TableName, Item: entry, ConditionExpression: absent } },
        ],
      }),
    );
    return undefined;
  } catch (error) {
    const reasons = cancellationReasons(error);
    if (reasons === undefined) throw error;
    // The run's row is the first write. If it already exists, the run is in the feed.
    if (reasons[0]?.code === "ConditionalCheckFailed") return undefined;
    // Another run has this sequence, or rows are contended. The next attempt reads the count again.
    return "again";
  }
}

async function after(
  process: Process,
  accountId: string,
  { sequence, limit }: { readonly sequence: number; readonly limit: number },
): Promise<readonly FeedEntry[]> {
  const entries: FeedEntry[] = [];
  const now = process.clock.now();
  let previous = sequence;
  for await (const row of rowsIn(process, numbersFrom(accountId, sequence + 1), limit)) {
    // A query may return rows of a transaction before rows of an earlier one, so a gap between
    // recent rows may still be filled. An older gap is an expired run.
    const isRecent = Math.abs(now.getTime() - Date.parse(row.appended_at)) < settledMs;
    if (row.sequence > previous + 1 && isRecent) break;
    previous = row.sequence;
    if (isKept(row, now)) entries.push(entryOf(row));
    if (entries.length === limit) break;
  }
  return entries;
}

async function between(
  process: Process,
  accountId: string,
  { since, until, after: last, limit }: Parameters<EventFeed["between"]>[1],
): Promise<readonly FeedEntry[]> {
  const entries: FeedEntry[] = [];
  const now = process.clock.now();
  const range = {
    pk: deliveryKeys.feedRun(accountId, { createdAt: "", runId: "" }).pk,
    // A space sorts before every character of an ID, and "~" sorts after every character.
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
  const newest = await count(process, accountId);
  if (newest.appended_at < wanted) return newest.last;
  let low = 1;
  let high = newest.last;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const foundEntry = await firstFrom(process, accountId, middle);
    if (foundEntry === undefined || foundEntry.appended_at >= wanted) high = middle;
    else low = foundEntry.sequence + 1;
  }
  return high - 1;
}

async function firstFrom(process: Process, accountId: string, sequence: number) {
  for await (const row of rowsIn(process, numbersFrom(accountId, sequence), 1)) return row;
  return undefined;
}

async function read({ client, tableName }: Process, Key: RowKey): Promise<Row | undefined> {
  const command = new GetCommand({ TableName: tableName, Key, ConsistentRead: true });
  return (await client.send(command)).Item;
}

async function count(process: Process, accountId: string) {
  const row = await read(process, deliveryKeys.feedCount(accountId));
  return row === undefined ? { last: 0, appended_at: "" } : parse(countRow, row);
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
