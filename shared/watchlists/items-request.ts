import * as v from "valibot";
import { invalidParam, missingParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import type { Platform } from "../platforms/catalog.ts";
import { parseItemIds } from "../platforms/item-id.ts";
import { idList, itemList, parseItems } from "./id-list.ts";
import type { GivenLabels } from "./item-details.ts";
import { compareIds } from "./id-order.ts";

/** Body of `POST /v1/watchlists/{id}/items` (specification, section "Watchlists"). */
export const itemChangeBody = v.object({
  add: v.optional(
    v.pipe(
      itemList("add"),
      v.metadata({ maxItems: limits.watchlistItemsMax }),
      v.description(
        `Items to add, up to ${limits.watchlistItemsMax}: IDs, objects with \`id\`, \`label\` and ` +
          "`metadata`, or one string with IDs separated by newlines or commas. An object also " +
          "updates an item that is on the watchlist. An ID alone leaves the label and metadata unchanged.",
      ),
    ),
  ),
  remove: v.optional(
    v.pipe(
      idList("remove"),
      v.metadata({ maxItems: limits.watchlistItemsMax }),
      v.description("IDs of the items to remove, or one string as in `add`."),
    ),
  ),
});
export type ItemChangeBody = v.InferOutput<typeof itemChangeBody>;

/**
 * Item IDs to add and to remove: valid, unique and sorted. An item whose ID occurs in both lists is
 * removed and then added again as a new item.
 */
export interface ItemChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** The labels and metadata to set, by the ID of an added item. */
  readonly labels: ReadonlyMap<string, GivenLabels>;
}

/**
 * Checks and normalizes the item IDs of a change. Refuses the whole change if one ID is invalid.
 * @throws 400 that names the missing or invalid parameter
 */
export function parseItemChange(platform: Platform, body: ItemChangeBody): ItemChange {
  if (body.add === undefined && body.remove === undefined) {
    throw missingParam("add", "Send 'add', 'remove' or both.");
  }
  const { ids, labels } = parseItems(platform, body.add ?? [], "add");
  const change = {
    add: checkIds(ids, "add"),
    remove: checkIds(parseItemIds(platform, body.remove ?? [], "remove"), "remove"),
    labels,
  };
  if (change.add.length === 0 && change.remove.length === 0) {
    const param = body.add === undefined ? "remove" : "add";
    throw invalidParam(param, `'${param}' is empty. Send at least one item ID.`);
  }
  return change;
}

function checkIds(ids: readonly string[], param: string): string[] {
  if (ids.length > limits.watchlistItemsMax) {
    throw invalidParam(
      param,
      `'${param}' must have at most ${limits.watchlistItemsMax} IDs (got ${ids.length}). Send fewer.`,
    );
  }
  return ids.toSorted(compareIds);
}
