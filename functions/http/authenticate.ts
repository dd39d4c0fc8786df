import type { Logger } from "@aws-lambda-powertools/logger";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { AccountStore } from "../../shared/accounts/account-store.ts";
import { hashApiKey, isWellFormedApiKey } from "../../shared/accounts/api-key.ts";
import { localRate } from "../../shared/accounts/local-rate.ts";
import type { RateDecision } from "../../shared/accounts/rate-window.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { invalidParam, rateLimited, unauthorized } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { withRetryBudget } from "../../shared/base/retry-budget.ts";
import { within } from "../../shared/base/work-log.ts";
import { callStateOf } from "./call-state.ts";
import { headersOf } from "./header.ts";
import type { HttpMiddleware } from "./request-id.ts";

interface Options {
  readonly logger: Pick<Logger, "warn">;
  readonly accounts: Pick<AccountStore, "admit">;
  readonly clock: Clock;
  /** True for a group whose calls need no key. */
  readonly isPublic: boolean;
}

/**
 * Finds the caller and counts the call against the key's rate (specification, section
 * "Authentication"). Calls without a known key are counted per address, in this process only.
 */
export function authenticate({ accounts, clock, logger, isPublic }: Options): HttpMiddleware {
  const addresses = localRate();
  return {
    before: async (request) => {
      const { event } = request;
      const state = callStateOf(event);
      if (state === undefined) return;
      const countAnonymous = (): void => {
        const { sourceIp } = event.requestContext.identity;
        const { admitted, rate } = addresses.admit(sourceIp, clock.now());
        state.rate = rate;
        if (!admitted) throw rateLimited(limits.requestsPerSecond, 1);
      };
      if (isPublic) return countAnonymous();
      const keys = presentedKeys(event);
      const [key] = keys;
      if (key === undefined || keys.length > 1 || !isWellFormedApiKey(key)) {
        countAnonymous();
        throw keys.length > 1 ? conflictingKeys() : unauthorized();
      }
      const admission = await withRetryBudget(state.retries, () =>
        accounts.admit(hashApiKey(key), clock.now()),
      );
      if (admission.outcome === "unknown") {
        countAnonymous();
        throw unauthorized();
      }
      state.rate = admission.rate;
      if (admission.outcome === "limited") throw rateLimited(admission.rate.limit, 1);
      if (admission.outcome === "unreadable") throw admission.error;
      const { owner, countedHere } = admission;
      state.caller = owner;
      state.work.keys = { ...state.work.keys, account_id: owner.accountId, key_id: owner.keyId };
      if (countedHere) within(state.work, () => logger.warn("call counted in this process alone"));
      return undefined;
    },
    after: decorate,
    onError: decorate,
  };
}

const decorate: NonNullable<HttpMiddleware["after"]> = (request) => {
  const rate = callStateOf(request.event)?.rate;
  if (!request.response || rate === undefined) return;
  request.response.headers = { ...request.response.headers, ...rateHeaders(rate) };
};

/** The different keys a call presents, in any of the three places. */
function presentedKeys(event: APIGatewayProxyEvent): string[] {
  const found = [
    ...headersOf(event, "authorization").map((text) => /^Bearer\s+(\S+)\s*$/i.exec(text)?.[1]),
    ...headersOf(event, "x-api-key"),
    ...(event.multiValueQueryStringParameters?.["api_key"] ?? []),
    event.queryStringParameters?.["api_key"],
  ];
  const keys = found.map((key) => key?.trim() ?? "").filter((key) => key !== "");
  return [...new Set(keys)];
}

const conflictingKeys = (): Error =>
  invalidParam("api_key", "The call carries two different API keys. Send one key in one place.");

const rateHeaders = (rate: RateDecision): Record<string, string> => ({
  "X-RateLimit-Limit": String(rate.limit),
  "X-RateLimit-Remaining": String(rate.remaining),
  "X-RateLimit-Reset": String(rate.resetSeconds),
});
