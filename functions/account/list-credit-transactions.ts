import type { UndefinedSchema } from "valibot";
import { creditTransactionsQuery } from "../../shared/credits/credit-transaction-schema.ts";
import { listTransactions } from "../../shared/credits/list-transactions.ts";
import { route } from "../http/route.ts";
import type { AccountDependencies } from "./dependencies.ts";

/** `GET /v1/credit_transactions`. Returns a page of the account's ledger entries, newest first. */
export const listCreditTransactionsRoute = route<
  AccountDependencies,
  UndefinedSchema<undefined>,
  typeof creditTransactionsQuery
>({
  query: creditTransactionsQuery,
  async handle({ caller, query }, { history }) {
    const { accountId } = caller;
    const { limit, starting_after: startingAfter, type } = query;
    const filter = { requestId: query.request_id, type, watchlistId: query.watchlist_id };
    const body = await listTransactions({ accountId, limit, startingAfter, filter }, history);
    return { status: 200, body };
  },
});
