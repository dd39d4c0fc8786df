import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { maxCreditsField } from "../items/max-credits.ts";
import { idList } from "../watchlists/id-list.ts";

/** Body of `POST /v1/watchlists/{id}/preview`. The pipeline is parsed with the stored watchlist. */
export const previewBody = v.object({
  pipeline: v.nullish(v.unknown()),
  items: v.optional(
    v.pipe(
      idList("items"),
      v.metadata({ maxItems: limits.previewItemsMax }),
      v.description(
        `IDs of up to ${limits.previewItemsMax} items of the watchlist, or one string with IDs ` +
          `separated by newlines or commas. Absent: the first ${limits.previewItemsMax} items by ID ` +
          "that are not delisted.",
      ),
    ),
  ),
  max_credits: maxCreditsField,
});
