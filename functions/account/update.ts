import { accountPatchBody } from "../../shared/accounts/account-schema.ts";
import { route } from "../http/route.ts";
import { accountView } from "./account-view.ts";
import type { AccountDependencies } from "./dependencies.ts";

/** `PATCH /v1/account`. Changes the daily credit budget, and returns the account. */
export const updateAccountRoute = route<AccountDependencies, typeof accountPatchBody>({
  body: accountPatchBody,
  async handle({ caller, body, now }, dependencies) {
    const { daily_credit_budget: budget } = body;
    if (budget !== undefined) await dependencies.budgets.set(caller.accountId, { budget, now });
    return { status: 200, body: await accountView(caller, now, dependencies) };
  },
});
