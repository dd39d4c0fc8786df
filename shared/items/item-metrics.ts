import { type Metrics, newMetrics } from "../observability/metrics.ts";
import type { StepScraperId } from "../scrapers/catalog.ts";
import type { StatusCounts } from "./envelope.ts";

/** Returns the metrics of the items that a scraper read, by status. */
export const itemMetrics = (
  scraper: StepScraperId,
  { ok, partial, notFound, unavailable }: Omit<StatusCounts, "requested">,
): Metrics =>
  newMetrics(
    "items",
    { scraper },
    {
      items_ok: ok,
      items_partial: partial,
      items_not_found: notFound,
      items_unavailable: unavailable,
    },
  );

/**
 * Returns the metrics of a settled reservation: the charged credits, and the refunded credits,
 * which are `reserved` - `charged`.
 */
export const creditMetrics = (
  scraper: StepScraperId,
  { reserved, charged }: { readonly reserved: number; readonly charged: number },
): Metrics =>
  newMetrics(
    "credits",
    { scraper },
    {
      credits_reserved: reserved,
      credits_charged: charged,
      credits_refunded: reserved - charged,
    },
  );
