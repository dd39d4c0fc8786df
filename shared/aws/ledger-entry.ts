import { derivedId } from "../base/ids.ts";
import type { CreditSource, EntryType } from "../credits/ledger.ts";
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
  readonly source?: CreditSource;
}

/** The stored form of a ledger entry. */
export function ledgerEntry(entry: Entry): RowKey & Record<string, unknown> {
  const { source } = entry;
  return {
    ...ledgerKeys.entry(entry.accountId, entry.sequence),
    id: derivedId("creditTransaction", entry.accountId, entry.sequence),
    account_id: entry.accountId,
    sequence: entry.sequence,
    type: entry.type,
    credits: entry.credits,
    balance_before: entry.balanceBefore,
    balance_after: entry.balanceAfter,
    created_at: entry.createdAt,
    hold_id: entry.holdId,
    request_id: source !== undefined && "requestId" in source ? source.requestId : undefined,
    run_id: source !== undefined && "runId" in source ? source.runId : undefined,
    step: source !== undefined && "runId" in source ? source.step : undefined,
  };
}
