import { refuseAnnounced } from "../../shared/platforms/catalogue.ts";
import { estimateRequest, presentEstimate } from "../../shared/watchlists/estimate.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/** `POST /v1/watchlists/estimate` */
export const estimatePipelineRoute = route<WatchlistDependencies, typeof estimateRequest>({
  body: estimateRequest,
  announced: ({ body }) => refuseAnnounced(body),
  handle: async ({ body }) => ({ status: 200, body: presentEstimate(body) }),
});
