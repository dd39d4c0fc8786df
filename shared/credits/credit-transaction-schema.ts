import * as v from "valibot";
import { idPattern } from "../base/ids.ts";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";
import { count, listOf, timestamp } from "../base/wire-schema.ts";

const startingAfterMessage =
  "'starting_after' must be the id of a credit transaction; it begins with ctx_.";

/** Query of `GET /v1/credit_transactions`. */
export const creditTransactionsQuery = v.object({
  limit: limitParam(limits.pagination.creditTransactions),
  starting_after: v.optional(
    v.pipe(
      v.string(startingAfterMessage),
      v.regex(idPattern("creditTransaction"), startingAfterMessage),
      v.description("The last id of the page before."),
    ),
  ),
});

/** An entry of the account's ledger. */
export const creditTransactionSchema = v.object({
  object: v.literal("credit_transaction"),
  id: v.pipe(v.string(), v.description("Begins with ctx_.")),
  type: v.pipe(
    v.string(),
    v.description(
      "grant, purchase and adjust change the balance; reserve holds credits for a call or a run's " +
        "step, charge spends what was held, refund gives back the rest. A second refund takes back " +
        "the charge of a call that was answered 503. More may be added.",
    ),
    v.examples(["grant", "purchase", "reserve", "charge", "refund", "adjust"]),
  ),
  credits: v.pipe(count, v.description("Credits moved; the balances say in which direction.")),
  balance_before: count,
  balance_after: count,
  sequence: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1),
    v.description("Number of the entry in the account: 1, 2, 3 ... without a gap."),
  ),
  request_id: v.optional(v.pipe(v.string(), v.description("X-Request-Id of the call behind it."))),
  run_id: v.optional(v.pipe(v.string(), v.description("The watchlist run behind it."))),
  step: v.optional(v.pipe(v.string(), v.description("The step of that run."))),
  created_at: timestamp,
});

/** 200 of `GET /v1/credit_transactions`: newest first. */
export const creditTransactionsResponse = listOf(creditTransactionSchema);
