import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { dueAt } from "../../../shared/aws/table/due-partitions.ts";
import { ledgerEntryRow } from "../../support/old-ledger-entry.ts";
import { accountKeys } from "../../../shared/aws/table/table.ts";

/**
 * Writes the rows of an account in the format of releases before shards. The account has a call
 * that was charged 3 of 10 reserved credits. It also has open holds: 40 credits of a call, and 20
 * credits of a run's step.
 */
export async function putOldAccount(
  client: DynamoDBDocumentClient,
  tables: { readonly accounts: string; readonly ledger: string },
  { accountId, now }: { readonly accountId: string; readonly now: Date },
): Promise<void> {
  const createdAt = now.toISOString();
  const done = { holdId: "req_old_done", source: { requestId: "req_old_done", items: 10 } };
  const open = { holdId: "req_old_open", source: { requestId: "req_old_open", items: 40 } };
  const step = {
    holdId: "wlrun_old#check",
    source: { runId: "wlrun_old", step: "check", watchlistId: "wl_old", runNumber: 1 },
  };
  const entries = [
    { type: "grant", credits: 5_000, balanceAfter: 5_000 },
    { type: "purchase", credits: 25_000, balanceAfter: 30_000, changeId: "inv-1" },
    { type: "reserve", credits: 10, balanceAfter: 29_990, ...done },
    { type: "charge", credits: 3, balanceAfter: 29_990, ...done, itemsCharged: 3 },
    { type: "refund", credits: 7, balanceAfter: 29_997, ...done, itemsCharged: 3 },
    { type: "reserve", credits: 40, balanceAfter: 29_957, ...open },
    { type: "reserve", credits: 20, balanceAfter: 29_937, ...step },
  ] as const;
  const rows = entries.map((entry, n) =>
    ledgerEntryRow({
      accountId,
      createdAt,
      sequence: n + 1,
      balanceBefore: entries[n - 1]?.balanceAfter ?? 0,
      ...entry,
    }),
  );
  const put = (TableName: string, Item: Record<string, unknown>) =>
    client.send(new PutCommand({ TableName, Item }));
  for (const row of rows) await put(tables.ledger, row);
  const heldBy = (holdId: string) => ({
    ...accountKeys.hold(accountId, holdId),
    account_id: accountId,
    hold_id: holdId,
    created_at: createdAt,
  });
  const due = (holdId: string) =>
    dueAt("hold", accountKeys.hold(accountId, holdId), new Date(now.getTime() + 600_000));
  for (const row of [
    {
      ...accountKeys.account(accountId),
      id: accountId,
      name: "Acme",
      email: "a@acme.example",
      demo: false,
      balance: 29_937,
      held: 60,
      spent: 3,
      lifetime: 30_000,
      sequence: 7,
      in_flight: 1,
      concurrency: 20,
      created_at: createdAt,
    },
    {
      ...heldBy(done.holdId),
      request_id: done.holdId,
      items: 10,
      state: "settled",
      credits: 10,
      charged: 3,
      slot: true,
      resolved_at: createdAt,
    },
    {
      ...heldBy(open.holdId),
      ...due(open.holdId),
      request_id: open.holdId,
      items: 40,
      state: "open",
      credits: 40,
      slot: true,
    },
    {
      ...heldBy(step.holdId),
      ...due(step.holdId),
      run_id: "wlrun_old",
      step: "check",
      watchlist_id: "wl_old",
      run_number: 1,
      state: "open",
      credits: 20,
      slot: false,
    },
    {
      ...accountKeys.usage(accountId, createdAt.slice(0, 10)),
      requests: 1,
      successful: 1,
      failed: 0,
      credits: 3,
    },
  ]) {
    await put(tables.accounts, row);
  }
}
