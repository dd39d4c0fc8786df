import { presentSources } from "../../shared/source-health/present-sources.ts";
import { route } from "../http/route.ts";
import type { HealthByScraper } from "../../shared/source-health/read-health.ts";

export interface SourcesDependencies {
  readonly readHealth: () => Promise<HealthByScraper>;
}

/** `GET /v1/watchlists/sources`: the health of the source of each scraper, over all accounts. */
export const listSourcesRoute = route<SourcesDependencies>({
  handle: async ({ now }, { readHealth }) => ({
    status: 200,
    body: presentSources(await readHealth(), now),
  }),
});
