import { type Figures, figures } from "../observability/figures.ts";
import type { StepScraperId } from "../scrapers/catalogue.ts";
import type { StatusCounts } from "./envelope.ts";

/** Items read, by status. */
export const itemFigures = (
  scraper: StepScraperId,
  { ok, partial, notFound, unavailable }: Omit<StatusCounts, "requested">,
): Figures =>
  figures(
    "items",
    { scraper },
    {
      items_ok: ok,
      items_partial: partial,
      items_not_found: notFound,
      items_unavailable: unavailable,
    },
  );

/** Credits of a reservation that was settled. */
export const creditFigures = (
  scraper: StepScraperId,
  { reserved, charged }: { readonly reserved: number; readonly charged: number },
): Figures =>
  figures(
    "credits",
    { scraper },
    {
      credits_reserved: reserved,
      credits_charged: charged,
      credits_refunded: reserved - charged,
    },
  );
