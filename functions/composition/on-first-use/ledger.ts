/**
 * The ledger, for functions that charge credits in few invocations. Its code loads at the first
 * call of the port, so that a cold start does not wait for it.
 */
import type { Ledger } from "../../../shared/credits/ledger.ts";
import type { FunctionName, Needs } from "../../environment.ts";
import type { Overrides } from "../overrides.ts";
import { portOnFirstUse } from "./port-on-first-use.ts";

/**
 * Creates the ledger. Its code loads at the first call.
 * @param name the Lambda function, for its log
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function ledger(
  environment: Needs<"STAGE" | "ACCOUNTS_TABLE" | "LEDGER_TABLE">,
  name: FunctionName,
  overrides: Overrides,
): Ledger {
  return portOnFirstUse(
    async () => (await import("../ledger.ts")).ledger(environment, name, overrides),
    ["reserve", "settle", "release", "cancel", "accountsWithExpiredHolds", "releaseExpired"],
  );
}
