import type { UndefinedSchema } from "valibot";
import { readUsage } from "../../shared/accounts/read-usage.ts";
import { usageQuery } from "../../shared/accounts/usage-schema.ts";
import { route } from "../http/route.ts";
import type { AccountDependencies } from "./dependencies.ts";

/** `GET /v1/usage`. Returns calls and credits by UTC day (specification, section "Usage"). */
export const getUsageRoute = route<
  AccountDependencies,
  UndefinedSchema<undefined>,
  typeof usageQuery
>({
  query: usageQuery,
  async handle({ caller, query: { days }, now }, { usage }) {
    const body = await readUsage({ accountId: caller.accountId, days, now }, usage);
    return { status: 200, body };
  },
});
