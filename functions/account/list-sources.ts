import { presentSources } from "../../shared/source-health/present-sources.ts";
import { route } from "../http/route.ts";
import type { AccountDependencies } from "./dependencies.ts";

/** `GET /v1/account/sources`: the health of the source of each scraper, over all accounts. */
export const listSourcesRoute = route<AccountDependencies>({
  handle: async ({ now }, { readHealth }) => ({
    status: 200,
    body: presentSources(await readHealth(), now),
  }),
});
