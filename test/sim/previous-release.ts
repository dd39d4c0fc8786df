import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { concurrencyFor } from "../../shared/accounts/account.ts";
import { dueAt } from "../../shared/aws/table/due-partitions.ts";
import { type Row, type TransactItem, transact } from "../../shared/aws/table/dynamo.ts";
import { numberedId } from "../../shared/base/ids.ts";
import { accountKeys, ledgerKeys } from "../../shared/aws/table/table.ts";
import { partitionRows, shardPartitions } from "./checks/ledger-state.ts";
import type { Stage } from "./stage.ts";

/**
 * An account, and the table with its rows. In the format of the previous release, all credits of an
 * account are in one row.
 */
type Place = Pick<Stage, "client" | "table"> & { readonly accountId: string };

const sums = ["balance", "held", "spent", "sequence", "in_flight"] as const;
type Moves = Readonly<Partial<Record<(typeof sums)[number], number>>>;

/**
 * Converts a new account to the format of the previous release. The account must have no credits
 * except its signup grant, and no calls.
 */
export async function convertToPreviousRelease(
  { client, table, accountId }: Place,
  now: Date,
): Promise<void> {
  const key = accountKeys.account(accountId);
  const account = await accountRow({ client, table, accountId });
  const { shards: _, received, ...kept } = account;
  const credits = Number(received);
  const concurrency = concurrencyFor(Number(account["lifetime"]));
  const counts = { balance: credits, held: 0, spent: 0, sequence: 1, in_flight: 0, concurrency };
  const grant = { type: "grant", credits, before: 0, after: credits, sequence: 1 };
  const items: TransactItem[] = [
    { Put: { TableName: table, Item: { ...kept, ...key, ...counts } } },
    entryPut({ table, accountId }, grant, { created_at: now.toISOString() }),
    ...shardPartitions(accountId, account).map((pk) => ({
      Delete: { TableName: table, Key: { pk, sk: "shard" } },
    })),
  ];
  await client.send(new TransactWriteCommand({ TransactItems: items }));
}

async function accountRow({ client, table, accountId }: Place): Promise<Row> {
  const rows = await partitionRows({ client, table }, accountKeys.account(accountId).pk);
  return rows.find(({ sk }) => sk === "account") ?? {};
}

export interface OldHold {
  readonly holdId: string;
  readonly credits: number;
  /** True for a call, which occupies a slot, and false for a step of a run. */
  readonly slot: boolean;
  readonly now: Date;
  readonly expiresAt: Date;
}

/**
 * Reserves credits as the previous release did. Returns false if the reservation is refused or if
 * the account changed during the write.
 */
export async function reserveAsPreviousRelease(place: Place, hold: OldHold): Promise<boolean> {
  const { accountId, table } = place;
  const { holdId, credits, slot, now, expiresAt } = hold;
  const account = await accountRow(place);
  if (account["shards"] !== undefined || Number(account["balance"]) < credits) return false;
  if (slot && Number(account["in_flight"]) >= Number(account["concurrency"])) return false;
  const key = accountKeys.hold(accountId, holdId);
  const source = slot ? { request_id: holdId } : { run_id: "run_of_before", step: holdId };
  const moves = { balance: -credits, held: credits, in_flight: slot ? 1 : 0 };
  const item = {
    ...key,
    ...dueAt("hold", key, expiresAt),
    account_id: accountId,
    hold_id: holdId,
    state: "open",
    credits,
    slot,
    created_at: now.toISOString(),
    ...source,
  };
  const put = {
    Put: { TableName: table, Item: item, ConditionExpression: "attribute_not_exists(pk)" },
  };
  return change(place, { account, moves, type: "reserve", credits, hold, source }, put);
}

/**
 * Charges the whole hold as the previous release did. Returns false if the settlement is refused or
 * if the account changed during the write.
 */
export async function settleAsPreviousRelease(place: Place, hold: OldHold): Promise<boolean> {
  const { accountId, table } = place;
  const { holdId, credits, slot, now } = hold;
  const account = await accountRow(place);
  if (account["shards"] !== undefined) return false;
  const moves = { held: -credits, spent: credits, in_flight: slot ? -1 : 0 };
  const update = {
    Update: {
      TableName: table,
      Key: accountKeys.hold(accountId, holdId),
      UpdateExpression:
        "SET #state = :settled, charged = :charged, resolved_at = :now REMOVE due_kind, due_at",
      ConditionExpression: "#state = :open",
      ExpressionAttributeNames: { "#state": "state" },
      ExpressionAttributeValues: {
        ":settled": "settled",
        ":open": "open",
        ":charged": credits,
        ":now": now.toISOString(),
      },
    },
  };
  const usage = {
    Update: {
      TableName: table,
      Key: accountKeys.usage(accountId, now.toISOString().slice(0, 10)),
      UpdateExpression: "ADD requests :one, successful :one, failed :none, credits :credits",
      ExpressionAttributeValues: { ":one": 1, ":none": 0, ":credits": credits },
    },
  };
  const source = slot ? { request_id: holdId } : { run_id: "run_of_before", step: holdId };
  return change(place, { account, moves, type: "charge", credits, hold, source }, update, usage);
}

interface Change {
  readonly account: Row;
  readonly moves: Moves;
  readonly type: string;
  readonly credits: number;
  readonly hold: OldHold;
  readonly source: Row;
}

/** Changes the account's row and writes the ledger entry in one transaction. */
async function change(
  { client, table, accountId }: Place,
  { account, moves, type, credits, hold, source }: Change,
  ...more: readonly TransactItem[]
): Promise<boolean> {
  const before = Object.fromEntries(sums.map((name) => [name, Number(account[name])]));
  const after = Object.fromEntries(
    sums.map((name) => [
      name,
      Number(account[name]) + (moves[name] ?? (name === "sequence" ? 1 : 0)),
    ]),
  );
  const update = {
    Update: {
      TableName: table,
      Key: accountKeys.account(accountId),
      UpdateExpression:
        "SET balance = :balance, held = :held, spent = :spent, #sequence = :sequence, in_flight = :in_flight",
      ConditionExpression: "#sequence = :expected",
      ExpressionAttributeNames: { "#sequence": "sequence" },
      ExpressionAttributeValues: {
        ...Object.fromEntries(sums.map((name) => [`:${name}`, after[name]])),
        ":expected": before["sequence"],
      },
    },
  };
  const entry = {
    type,
    credits,
    before: Number(before["balance"]),
    after: Number(after["balance"]),
    sequence: Number(after["sequence"]),
  };
  const attributes = { created_at: hold.now.toISOString(), hold_id: hold.holdId, ...source };
  const items = [update, entryPut({ table, accountId }, entry, attributes), ...more];
  return (await transact(client, items)).outcome === "done";
}

interface OldEntry {
  readonly type: string;
  readonly credits: number;
  readonly before: number;
  readonly after: number;
  readonly sequence: number;
}

function entryPut(
  { table, accountId }: Pick<Place, "table" | "accountId">,
  { type, credits, before, after, sequence }: OldEntry,
  attributes: Row,
): TransactItem {
  return {
    Put: {
      TableName: table,
      Item: {
        ...ledgerKeys.entry(accountId, sequence),
        id: numberedId("creditTransaction", sequence, accountId),
        account_id: accountId,
        sequence,
        type,
        credits,
        balance_before: before,
        balance_after: after,
        ...attributes,
      },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}
