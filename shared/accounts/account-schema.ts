import * as v from "valibot";
import { count, timestamp } from "../base/wire-schema.ts";
import { accountForecastSchema } from "../credits/forecast.ts";
import { creditLimitField } from "../credits/credit-limit-field.ts";
import { scopes } from "./scopes.ts";

const concurrency = v.object({
  limit: v.pipe(count, v.description("Maximum number of concurrent item calls.")),
  in_flight: v.pipe(count, v.description("Number of item calls in progress.")),
  next_tier: v.nullable(
    v.pipe(
      v.object({ concurrency: count, at_lifetime_credits: count }),
      v.description("The next concurrency tier. Null in the highest tier."),
    ),
  ),
});

const autoTopUp = v.object({
  enabled: v.boolean(),
  threshold_credits: v.pipe(
    count,
    v.description("Balance in credits below which the service buys a pack."),
  ),
  pack_id: v.pipe(v.string(), v.examples(["starter", "builder", "growth", "scale", "volume"])),
});

/** Body of `PATCH /v1/account`. */
export const accountPatchBody = v.object({
  daily_credit_budget: creditLimitField(
    "daily_credit_budget",
    "Maximum number of credits that calls and runs may spend on a UTC day. A call that would exceed " +
      "it returns 409 CONFLICT; a step of a run is deferred. Null if there is no maximum. Applies immediately.",
  ),
});

/** Response 200 of `GET /v1/account` (specification, section "Account"). */
export const accountResponse = v.object({
  object: v.literal("account"),
  id: v.pipe(v.string(), v.description("Begins with acct_.")),
  name: v.string(),
  email: v.string(),
  credit_balance: v.pipe(count, v.description("Prepaid credits; they never expire.")),
  credits_held: v.pipe(
    count,
    v.description("Credits held by calls and run steps in progress. Not part of the balance."),
  ),
  lifetime_credits: v.pipe(
    count,
    v.description("Credits ever purchased plus the signup grant; sets the concurrency tier."),
  ),
  credits_spent: count,
  concurrency,
  daily_credit_budget: v.nullable(
    v.pipe(
      count,
      v.description(
        "Maximum number of credits that calls and runs may spend on a UTC day. Null if there is no maximum.",
      ),
    ),
  ),
  daily_credits_left: v.nullable(
    v.pipe(
      count,
      v.description(
        "Credits that the budget leaves for this UTC day. Open reservations count as spent. Null if there is no budget.",
      ),
    ),
  ),
  credits_spent_today: v.pipe(
    count,
    v.description("Credits charged on this UTC day, as in `GET /v1/usage`."),
  ),
  forecast: accountForecastSchema,
  auto_topup: v.nullable(autoTopUp),
  webhook_endpoints: v.pipe(count, v.description("Number of webhook endpoints.")),
  s3_external_id: v.pipe(
    v.string(),
    v.description(
      "External ID that the trust policy of your role for S3 exports must require. It never changes.",
    ),
  ),
  api_key: v.pipe(
    v.object({
      id: v.string(),
      name: v.string(),
      prefix: v.string(),
      scopes: v.array(v.picklist(scopes)),
    }),
    v.description(
      "The key of this call. `prefix`: its first characters. `scopes`: what its calls may do.",
    ),
  ),
  created_at: timestamp,
});
