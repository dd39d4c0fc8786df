import type { CreditTransaction } from "../../credits/credit-history.ts";
import type { CreditSource, EntryType } from "../../credits/ledger.ts";
import type { Row } from "../table/dynamo.ts";

/** Returns the attributes that store the source of a hold or an entry: an item call or a step. */
export function sourceRow(source: CreditSource): Row {
  const { scraper, items } = source;
  return "requestId" in source
    ? {
        request_id: source.requestId,
        endpoint: source.endpoint,
        api_key_id: source.apiKeyId,
        watchlist_id: source.watchlistId,
        scraper,
        items,
      }
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
 * Parses the row of an unsharded ledger entry, which an earlier release stored. Does not validate
 * the row, because only this service writes these rows.
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
 * Returns the call or step that caused a hold or an entry, from the row of the hold or entry.
 * Returns null if the row names neither a call nor a step.
 */
export function creditSourceOf(row: Row): CreditSource | null {
  const { request_id: requestId, run_id: runId, endpoint, scraper, items } = row;
  const { watchlist_id: watchlistId, run_number: runNumber, api_key_id: apiKeyId } = row;
  const work = {
    ...(typeof watchlistId === "string" && { watchlistId }),
    ...(typeof scraper === "string" && { scraper }),
    ...(typeof items === "number" && { items }),
  };
  if (typeof requestId === "string") {
    return {
      requestId,
      ...(typeof endpoint === "string" && { endpoint }),
      ...(typeof apiKeyId === "string" && { apiKeyId }),
      ...work,
    };
  }
  if (typeof runId !== "string") return null;
  return {
    runId,
    step: String(row["step"]),
    ...(typeof runNumber === "number" && { runNumber }),
    ...work,
  };
}
