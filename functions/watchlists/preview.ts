import { creditMetrics, itemMetrics } from "../../shared/items/item-metrics.ts";
import { creditCap } from "../../shared/items/max-credits.ts";
import type { Metrics } from "../../shared/observability/metrics.ts";
import { presentPreview } from "../../shared/preview/present-preview.ts";
import { preview, type Preview, type PreviewDependencies } from "../../shared/preview/preview.ts";
import { previewBody } from "../../shared/preview/preview-request.ts";
import {
  parsePreviewedIds,
  findPreviewItems,
  refuseWithoutItems,
} from "../../shared/preview/previewed-items.ts";
import { meteredCallOf } from "../http/item-reply.ts";
import { route } from "../http/route.ts";
import { candidatePipeline } from "./candidate-pipeline.ts";
import type { WatchlistDependencies } from "./dependencies.ts";
import { existingWatchlist } from "./existing-watchlist.ts";

/**
 * `POST /v1/watchlists/{id}/preview`. Runs a pipeline on up to ten items, and stores and sends
 * nothing.
 */
export const previewRoute = route<WatchlistDependencies & PreviewDependencies, typeof previewBody>({
  body: previewBody,
  async handle(call, dependencies) {
    const { body, caller, path } = call;
    const { watchlists, pages } = dependencies;
    const watchlist = await existingWatchlist(watchlists, caller.accountId, path["id"]);
    refuseWithoutItems(watchlist);
    const pipeline = candidatePipeline(body.pipeline, watchlist);
    const ids = body.items === undefined ? undefined : parsePreviewedIds(watchlist, body.items);
    const items = await findPreviewItems(watchlist, ids, pages);
    const request = { watchlist, pipeline, items, ...creditCap(body) };
    const result = await preview(meteredCallOf(call, request), dependencies);
    return {
      status: 200,
      body: presentPreview(
        items.map(({ id }) => id),
        result,
      ),
      headers: {
        "X-Service-Credits": String(result.credits),
        "X-Service-Balance": String(result.balance),
      },
      metrics: metricsOf(result),
    };
  },
});

/**
 * Returns the metrics of a preview: for each step with a reservation, its credits, and its counts
 * of items if the step read any.
 */
const metricsOf = ({ run, reserved }: Preview): readonly Metrics[] =>
  reserved.flatMap(({ step: { id, scraper }, credits }) => {
    const read = run.stats.steps[id];
    return [
      ...(read === undefined ? [] : [itemMetrics(scraper, read)]),
      creditMetrics(scraper, { reserved: credits, charged: read?.credits ?? 0 }),
    ];
  });
