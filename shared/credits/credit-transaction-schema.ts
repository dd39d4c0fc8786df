import * as v from "valibot";
import { idParam } from "../base/id-param.ts";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";
import { oneOf } from "../base/valid-values.ts";
import { count, listOf, timestamp } from "../base/wire-schema.ts";
import { entryTypes } from "./ledger.ts";

/** Query of `GET /v1/credit_transactions`. */
export const creditTransactionsQuery = v.object({
  limit: limitParam(limits.pagination.creditTransactions),
  starting_after: idParam("creditTransaction", {
    message: "'starting_after' must be the ID of a credit transaction, which begins with ctx_.",
    description: "`next_starting_after`, or the last ID, of the previous page.",
  }),
  request_id: idParam("request", {
    message: "'request_id' must be the X-Request-Id of a call, which begins with req_.",
    description: "Only the entries of this call, by its X-Request-Id.",
  }),
  type: v.optional(v.pipe(oneOf("type", entryTypes), v.description("Only entries of this type."))),
  watchlist_id: idParam("watchlist", {
    message: "'watchlist_id' must be the ID of a watchlist, which begins with wl_.",
    description: "Only the entries of this watchlist's runs and previews.",
  }),
});

/** An entry of the account's ledger. */
export const creditTransactionSchema = v.object({
  object: v.literal("credit_transaction"),
  id: v.pipe(
    v.string(),
    v.description(
      "Begins with ctx_. Never changes. The IDs of an account sort in the order of its entries.",
    ),
  ),
  type: v.pipe(
    v.string(),
    v.description(
      "grant, purchase and adjust change the balance. reserve holds credits for a call or a run's " +
        "step. charge spends held credits, and refund releases the rest. A second refund reverses " +
        "the charge of a call that returned 503. More types may be added.",
    ),
    v.examples(["grant", "purchase", "reserve", "charge", "refund", "adjust"]),
  ),
  credits: v.pipe(
    v.number(),
    v.integer(),
    v.description(
      "Amount in credits. Negative only for an adjust that removed credits. For other types, " +
        "`balance_before` and `balance_after` show the direction.",
    ),
  ),
  balance_before: v.pipe(
    count,
    v.description(
      "Balance of the account before the entry, equal to `balance_after` of the previous entry.",
    ),
  ),
  balance_after: v.pipe(
    count,
    v.description("Balance of the account after the entry. Excludes held credits."),
  ),
  sequence: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1),
    v.description(
      "Number of the entry in the account: 1, 2, 3 ... without a gap, oldest first. Entries of calls " +
        "that run at the same time are numbered in the order in which the ledger recorded them.",
    ),
  ),
  request_id: v.optional(v.pipe(v.string(), v.description("X-Request-Id of the call."))),
  endpoint: v.optional(
    v.pipe(
      v.string(),
      v.description("Method and path of the call."),
      v.examples(["POST /v1/products"]),
    ),
  ),
  api_key_id: v.optional(
    v.pipe(
      v.string(),
      v.description(
        "The API key of the call. Absent in entries that earlier releases wrote. Runs have no key.",
      ),
    ),
  ),
  watchlist_id: v.optional(
    v.pipe(v.string(), v.description("The watchlist of the run or the preview.")),
  ),
  run_id: v.optional(v.pipe(v.string(), v.description("ID of the run."))),
  run_number: v.optional(v.pipe(count, v.description("The number of the run."))),
  step: v.optional(v.pipe(v.string(), v.description("ID of the step in the pipeline of the run."))),
  scraper: v.optional(
    v.pipe(
      v.string(),
      v.description(
        "Scraper that read the items. Absent for a preview, because its steps can have several scrapers. " +
          "Entries that earlier releases wrote have neither a scraper nor item counts.",
      ),
      v.examples(["retailer_a.lite"]),
    ),
  ),
  items_requested: v.optional(
    v.pipe(
      count,
      v.description(
        "Number of items for which the call or the step reserved credits. A preview counts an item once " +
          "for each step that may read it.",
      ),
    ),
  ),
  items_charged: v.optional(
    v.pipe(count, v.description("Number of charged items, in charge and refund entries.")),
  ),
  created_at: timestamp,
});

/** Response 200 of `GET /v1/credit_transactions`, newest entry first. */
export const creditTransactionsResponse = v.object({
  ...listOf(creditTransactionSchema).entries,
  next_starting_after: v.nullable(
    v.pipe(
      v.string(),
      v.description(
        "Cursor of the next page; null on the last page. With a filter, a page can have fewer entries " +
          "than `limit`, or none, although more follow.",
      ),
    ),
  ),
});
