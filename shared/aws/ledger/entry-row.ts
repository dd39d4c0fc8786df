import { numberedId } from "../../base/ids.ts";
import type { CreditTransaction } from "../../credits/credit-history.ts";
import type { CreditSource, EntryType } from "../../credits/ledger.ts";
import type { Row } from "../table/dynamo.ts";
import { ledgerKeys, type RowKey } from "../table/table.ts";

/** A ledger entry from before the account had shards. */
export interface UnshardedEntry {
  readonly accountId: string;
  /** Number of the entry in its account, from 1, without gaps. */
  readonly sequence: number;
  readonly type: EntryType;
  /** Credits added or removed, never negative; the type gives the direction. */
  readonly credits: number;
  readonly balanceBefore: number;
  readonly balanceAfter: number;
  readonly createdAt: string;
  readonly holdId?: string;
  /** ID of the grant, purchase or adjustment that caused the entry. */
  readonly changeId?: string;
  readonly source?: CreditSource;
  /** Time of the charge that a refund reverses, ISO 8601. Absent for other entries. */
  readonly chargedAt?: string;
  /** Number of charged items, for charges and refunds. */
  readonly itemsCharged?: number | undefined;
}

/**
 * The row of a ledger entry from before the account had shards, including its key. Only tests call
 * it, because the service no longer writes such rows.
 */
export function ledgerEntryRow(entry: UnshardedEntry): RowKey & Record<string, unknown> {
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
    items_charged: entry.itemsCharged,
    ...(entry.source === undefined ? {} : sourceRow(entry.source)),
  };
}

/** The attributes of a row that store the call or step for which a hold or an entry was made. */
export function sourceRow(source: CreditSource): Row {
  const { scraper, items } = source;
  return "requestId" in source
    ? { request_id: source.requestId, endpoint: source.endpoint, scraper, items }
    : {
        run_id: source.runId,
        step: source.step,
        watchlist_id: source.watchlistId,
        run_number: source.runNumber,
        scraper,
        items,
      };
}

/**
 * Parses the row of a ledger entry from before the account had shards. Unchecked, because only this
 * service writes these rows.
 */
export const transactionOf = (row: Row): CreditTransaction => ({
  sequence: Number(row["sequence"]),
  type: row["type"] as EntryType,
  credits: Number(row["credits"]),
  balanceBefore: Number(row["balance_before"]),
  balanceAfter: Number(row["balance_after"]),
  source: creditSourceOf(row),
  ...(typeof row["items_charged"] === "number" && { itemsCharged: row["items_charged"] }),
  createdAt: String(row["created_at"]),
  chargedAt: typeof row["charged_at"] === "string" ? row["charged_at"] : null,
});

/**
 * The call or step for which a hold or an entry was made, from its row; null if the row names
 * neither.
 */
export function creditSourceOf(row: Row): CreditSource | null {
  const { request_id: requestId, run_id: runId, endpoint, scraper, items } = row;
  const work = {
    ...(typeof scraper === "string" && { scraper }),
    ...(typeof items === "number" && { items }),
  };
  if (typeof requestId === "string") {
    return { requestId, ...(typeof endpoint === "string" && { endpoint }), ...work };
  }
  if (typeof runId !== "string") return null;
  const { watchlist_id: watchlistId, run_number: runNumber } = row;
  return {
    runId,
    step: String(row["step"]),
    ...(typeof watchlistId === "string" && { watchlistId }),
    ...(typeof runNumber === "number" && { runNumber }),
    ...work,
  };
}
