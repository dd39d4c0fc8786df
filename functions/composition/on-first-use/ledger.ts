/**
 * The ledger, for functions that charge credits in few invocations. Its adapter loads at the first
 * call of the port, so that a cold start does not wait for it.
 */
import type { Ledger } from "../../../shared/credits/ledger.ts";
import type { FunctionName, Needs } from "../../environment.ts";
import { once } from "../clients.ts";
import type { Overrides } from "../overrides.ts";

/**
 * Creates the ledger. Its adapter loads at the first call.
 * @param name the Lambda function, for its log
 * @param overrides dependencies that tests replace
 */
export function ledger(
  environment: Needs<"STAGE" | "ACCOUNTS_TABLE" | "LEDGER_TABLE">,
  name: FunctionName,
  overrides: Overrides,
): Ledger {
  const loaded = once(async () =>
    (await import("../ledger.ts")).ledger(environment, name, overrides),
  );
  return {
    reserve: async (reservation) => (await loaded()).reserve(reservation),
    settle: async (settlement) => (await loaded()).settle(settlement),
    release: async (hold) => (await loaded()).release(hold),
    cancel: async (hold) => (await loaded()).cancel(hold),
    accountsWithExpiredHolds: async (now, limit) =>
      (await loaded()).accountsWithExpiredHolds(now, limit),
    releaseExpired: async (accountId, now) => (await loaded()).releaseExpired(accountId, now),
  };
}
