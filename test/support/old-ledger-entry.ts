import { sourceRow } from "../../shared/aws/ledger/entry-row.ts";
import { ledgerKeys, type RowKey } from "../../shared/aws/table/table.ts";
import { numberedId } from "../../shared/base/ids.ts";
import type { CreditSource, EntryType } from "../../shared/credits/ledger.ts";

/** An unsharded ledger entry. */
interface UnshardedEntry {
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
 * Builds the row of an unsharded ledger entry, including its key. The service reads these rows, but
 * no longer writes them.
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
