import type { InferOutput } from "valibot";
import { invalidParam } from "../base/errors.ts";
import { numberedId, numberOf } from "../base/ids.ts";
import type { CreditHistory, CreditTransaction } from "./credit-history.ts";
import type {
  creditTransactionSchema,
  creditTransactionsResponse,
} from "./credit-transaction-schema.ts";

export interface TransactionsWanted {
  readonly accountId: string;
  readonly limit: number;
  /** Id of the last transaction of the page before. */
  readonly startingAfter: string | undefined;
}

/**
 * A page of the account's ledger, newest first.
 * @throws 400 INVALID_PARAM for a cursor that is no transaction of the account.
 */
export async function listTransactions(
  { accountId, limit, startingAfter }: TransactionsWanted,
  history: CreditHistory,
): Promise<InferOutput<typeof creditTransactionsResponse>> {
  const before =
    startingAfter === undefined
      ? undefined
      : numberOf("creditTransaction", startingAfter, accountId);
  if (startingAfter !== undefined && before === undefined) {
    throw invalidParam("starting_after", "'starting_after' is no credit transaction of yours.");
  }
  const { transactions, hasMore } = await history.page(accountId, { limit, before });
  return {
    object: "list",
    data: transactions.map((transaction) => presentTransaction(accountId, transaction)),
    has_more: hasMore,
  };
}

function presentTransaction(
  accountId: string,
  { source, ...transaction }: CreditTransaction,
): InferOutput<typeof creditTransactionSchema> {
  return {
    object: "credit_transaction",
    id: numberedId("creditTransaction", transaction.sequence, accountId),
    type: transaction.type,
    credits: transaction.credits,
    balance_before: transaction.balanceBefore,
    balance_after: transaction.balanceAfter,
    sequence: transaction.sequence,
    ...(source === null ? {} : presentSource(source)),
    created_at: transaction.createdAt,
  };
}

const presentSource = (source: NonNullable<CreditTransaction["source"]>) =>
  "requestId" in source
    ? { request_id: source.requestId }
    : { run_id: source.runId, step: source.step };
