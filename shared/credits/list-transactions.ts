import type { InferOutput } from "valibot";
import { invalidParam } from "../base/errors.ts";
import { formatValue } from "../base/shown-value.ts";
import {
  type CreditHistory,
  type ListedTransaction,
  signedCredits,
  type TransactionFilter,
} from "./credit-history.ts";
import type {
  creditTransactionSchema,
  creditTransactionsResponse,
} from "./credit-transaction-schema.ts";
import { placeOfEntry } from "./entry-id.ts";
import type { CreditSource } from "./ledger.ts";

/** Selects a page of an account's ledger entries. */
export interface TransactionQuery {
  readonly accountId: string;
  readonly limit: number;
  /** ID of the last transaction of the previous page, or its `next_starting_after`. */
  readonly startingAfter: string | undefined;
  readonly filter?: TransactionFilter;
}

/**
 * Returns a page of an account's ledger entries, newest first, as an API response.
 * @throws 400 INVALID_PARAM if `startingAfter` is not the ID of an entry of this account
 */
export async function listTransactions(
  { accountId, limit, startingAfter, filter = {} }: TransactionQuery,
  history: CreditHistory,
): Promise<InferOutput<typeof creditTransactionsResponse>> {
  if (startingAfter !== undefined && placeOfEntry(startingAfter, accountId) === undefined) {
    throw invalidParam(
      "starting_after",
      `'starting_after' must be the ID of a credit transaction of this account (got ${formatValue(startingAfter)}). Use the last ID ` +
        "or 'next_starting_after' of the previous page.",
    );
  }
  const { transactions, next } = await history.page(accountId, { limit, startingAfter, filter });
  return {
    object: "list",
    data: transactions.map(presentTransaction),
    has_more: next !== null,
    next_starting_after: next,
  };
}

function presentTransaction(
  transaction: ListedTransaction,
): InferOutput<typeof creditTransactionSchema> {
  const { source, itemsCharged } = transaction;
  return {
    object: "credit_transaction",
    id: transaction.id,
    type: transaction.type,
    credits: signedCredits(transaction),
    balance_before: transaction.balanceBefore,
    balance_after: transaction.balanceAfter,
    sequence: transaction.sequence,
    ...(source !== null && presentSource(source)),
    ...(itemsCharged !== undefined && { items_charged: itemsCharged }),
    created_at: transaction.createdAt,
  };
}

function presentSource(source: CreditSource) {
  const { scraper, items, watchlistId } = source;
  const work = {
    ...(watchlistId !== undefined && { watchlist_id: watchlistId }),
    ...(scraper !== undefined && { scraper }),
    ...(items !== undefined && { items_requested: items }),
  };
  if ("requestId" in source) {
    const { requestId, endpoint, apiKeyId } = source;
    return {
      request_id: requestId,
      ...(endpoint !== undefined && { endpoint }),
      ...(apiKeyId !== undefined && { api_key_id: apiKeyId }),
      ...work,
    };
  }
  const { runId, step, runNumber } = source;
  return {
    run_id: runId,
    ...(runNumber !== undefined && { run_number: runNumber }),
    step,
    ...work,
  };
}
