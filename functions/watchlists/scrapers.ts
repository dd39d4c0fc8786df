import type { UndefinedSchema } from "valibot";
import { presentScrapers, scrapersRequest } from "../../shared/pipelines/present-scrapers.ts";
import { refuseAnnounced } from "../../shared/platforms/catalog.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/** `GET /v1/watchlists/scrapers`. Lists the scrapers and the pipeline templates of a platform. */
export const listScrapersRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof scrapersRequest
>({
  query: scrapersRequest,
  announced: ({ query }) => refuseAnnounced(query),
  handle: async ({ query: shop }) => ({ status: 200, body: presentScrapers(shop) }),
});
