import { accountView } from "./account-view.ts";
import { route } from "../http/route.ts";
import type { AccountViewDependencies } from "./dependencies.ts";

/** `GET /v1/account`. Returns the account of the key (specification, section "Account"). */
export const getAccountRoute = route<AccountViewDependencies>({
  handle: async ({ caller, now }, dependencies) => ({
    status: 200,
    body: await accountView(caller, now, dependencies),
  }),
});
