import type { Logger } from "@aws-lambda-powertools/logger";
import type { AccountStore, Admission } from "../../shared/accounts/account-store.ts";
import { hashApiKey } from "../../shared/accounts/api-key.ts";
import { localRate } from "../../shared/accounts/local-rate.ts";
import type { RateDecision } from "../../shared/accounts/rate-window.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { newMetrics } from "../../shared/observability/metrics.ts";
import { keyNotAccepted, rateLimited } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { withRetryBudget } from "../../shared/base/retry-budget.ts";
import { recordMetrics, within } from "../../shared/observability/work-log.ts";
import type { Group } from "../routes.ts";
import { callStateOf } from "./call-state.ts";
import { presentedKeyOf } from "./presented-key.ts";
import type { HttpMiddleware } from "./middleware.ts";

interface Options {
  readonly logger: Pick<Logger, "warn">;
  readonly accounts: Pick<AccountStore, "admit">;
  readonly clock: Clock;
  /** Whether calls of the group require an API key. */
  readonly keys: Group["keys"];
}

/**
 * Creates the middleware that sets the caller of a call, and counts the call against the key's rate
 * limit (specification, section "Authentication"). It counts calls without a known key by IP
 * address, in this process only. A call over the limit gets 429.
 *
 * In a group that requires a key, a call without a known key gets 401, and a call with two
 * different keys gets 400. If the lookup of the key fails, the middleware throws the error of the
 * lookup. In any other group, the middleware admits all of these calls, but sets no caller.
 */
export function authenticate({ accounts, clock, logger, keys }: Options): HttpMiddleware {
  const addresses = localRate();
  const isRequired = keys === "required";
  return {
    before: async ({ event }) => {
      const state = callStateOf(event);
      if (state === undefined) return;
      const countAnonymous = (): void => {
        const { sourceIp } = event.requestContext.identity;
        const admission = addresses.admit(sourceIp, clock.now());
        state.rate = admission.rate;
        if (!admission.admitted)
          throw rateLimited(limits.requestsPerSecond, admission.retryAfterSeconds);
      };
      if (keys === "ignored") return countAnonymous();
      const presented = presentedKeyOf(event);
      if (presented.outcome === "none") {
        countAnonymous();
        if (isRequired) throw presented.refusal;
        return;
      }
      const admission = await withRetryBudget(state.retries, () =>
        accounts.admit(hashApiKey(presented.key), clock.now()),
      );
      if (admission.outcome === "unknown") {
        countAnonymous();
        if (isRequired) throw keyNotAccepted();
        return;
      }
      state.rate = admission.rate;
      if (isLocal(admission)) {
        within(state.work, () => recordMetrics([newMetrics("limiter", {}, { limiter_local: 1 })]));
      }
      if (admission.outcome === "limited") {
        throw rateLimited(admission.rate.limit, admission.retryAfterSeconds);
      }
      if (admission.outcome === "unreadable") {
        if (isRequired) throw admission.error;
        return;
      }
      const { owner, countedHere } = admission;
      state.caller = owner;
      state.work.keys = { ...state.work.keys, account_id: owner.accountId, key_id: owner.keyId };
      if (countedHere)
        within(state.work, () =>
          logger.warn("rate limiter store unavailable; call counted in this process only"),
        );
      return undefined;
    },
    after: addRateHeaders,
    onError: addRateHeaders,
  };
}

/**
 * Returns true if this process decided on the call without the shared count of the key's calls,
 * because the store of the limiter failed or throttled the row.
 */
const isLocal = (admission: Admission): boolean =>
  admission.outcome === "unreadable" ||
  (admission.outcome === "limited" && admission.throttled === true) ||
  (admission.outcome === "admitted" && admission.countedHere === true);

const addRateHeaders: NonNullable<HttpMiddleware["after"]> = (request) => {
  const rate = callStateOf(request.event)?.rate;
  if (!request.response || rate === undefined) return;
  request.response.headers = { ...request.response.headers, ...rateHeaders(rate) };
};

const rateHeaders = (rate: RateDecision): Record<string, string> => ({
  "X-RateLimit-Limit": String(rate.limit),
  "X-RateLimit-Remaining": String(rate.remaining),
  "X-RateLimit-Reset": String(rate.resetSeconds),
});
