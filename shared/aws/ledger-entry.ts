import { numberedId } from "../base/ids.ts";
import type { CreditTransaction } from "../credits/credit-history.ts";
import type { CreditSource, EntryType } from "../credits/ledger.ts";
import type { Row } from "./dynamo.ts";
import { ledgerKeys, type RowKey } from "./table.ts";

export interface Entry {
  readonly accountId: string;
  /** Gapless per account, from 1. */
  readonly sequence: number;
  readonly type: EntryType;
  /** Credits moved, never negative; the type says in which direction. */
  readonly credits: number;
  readonly balanceBefore: number;
  readonly balanceAfter: number;
  readonly createdAt: string;
  readonly holdId?: string;
  /** Of the grant, purchase or adjustment behind it. */
  readonly changeId?: string;
  readonly source?: CreditSource;
  /** Of a refund that takes back a charge: when that was made. */
  readonly chargedAt?: string;
}

/** The stored form of a ledger entry. */
export function ledgerEntry(entry: Entry): RowKey & Record<string, unknown> {
  const { source } = entry;
  return {
    ...ledgerKeys.entry(entry.accountId, entry.sequence),
    id: numberedId("creditTransaction", entry.sequence, entry.accountId),
    account_id: entry.accountId,
    sequence: entry.sequence,
    type: entry.type,
    credits: entry.credits,
    balance_before: entry.balanceBefore,
    balance_after: entry.balanceAfter,
    created_at: entry.createdAt,
    hold_id: entry.holdId,
    charged_at: entry.chargedAt,
    change_id: entry.changeId,
    request_id: source !== undefined && "requestId" in source ? source.requestId : undefined,
    run_id: source !== undefined && "runId" in source ? source.runId : undefined,
    step: source !== undefined && "runId" in source ? source.step : undefined,
  };
}

/** The entry in a stored row. */
export const transactionOf = (row: Row): CreditTransaction => ({
  sequence: Number(row["sequence"]),
  type: row["type"] as EntryType,
  credits: Number(row["credits"]),
  balanceBefore: Number(row["balance_before"]),
  balanceAfter: Number(row["balance_after"]),
  source: sourceOf(row),
  createdAt: String(row["created_at"]),
  chargedAt: typeof row["charged_at"] === "string" ? row["charged_at"] : null,
});

/** What a hold or an entry was made for. */
export function sourceOf(row: Row): CreditSource | null {
  if (typeof row["request_id"] === "string") return { requestId: row["request_id"] };
  if (typeof row["run_id"] !== "string") return null;
  return { runId: row["run_id"], step: String(row["step"]) };
}
