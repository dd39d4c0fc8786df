import { quantity } from "../../shared/base/quantity.ts";
import { getAccountRoute } from "../account/get.ts";
import type { JsonObject, Tool } from "./tool.ts";

/**
 * Returns sentences about the balance, the charges of today, and the daily budget if there is one.
 */
function accountSummary(result: JsonObject): string {
  const left = result["daily_credits_left"];
  return [
    `The balance is ${quantity(Number(result["credit_balance"]), "credit")}.`,
    `Charged today: ${quantity(Number(result["credits_spent_today"]), "credit")}.`,
    ...(left === null
      ? []
      : [`The daily budget leaves ${quantity(Number(left), "credit")} for today.`]),
  ].join(" ");
}

/** The tools that read the account of the key. */
export const accountTools: readonly Tool[] = [
  {
    name: "get_account",
    title: "Get the account",
    description:
      "Shows the balance in credits, the charges of today, the daily budget, the forecast of the costs of " +
      "watchlists, and the scopes of this key. Free.",
    key: "GET /v1/account",
    route: getAccountRoute,
    summary: accountSummary,
  },
];
