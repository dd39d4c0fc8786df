import * as v from "valibot";
import { invalidParam, missingParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import type { Platform } from "../platforms/catalogue.ts";
import { parseItemIds } from "../platforms/item-id.ts";
import { idList } from "./id-list.ts";
import { compareIds } from "./page.ts";

/** Body of `POST /v1/watchlists/{id}/items` (specification, section "Watchlists"). */
export const itemChangeBody = v.object({
  add: v.optional(
    v.pipe(
      idList("add"),
      v.metadata({ maxItems: limits.watchlistItemsMax }),
      v.description(
        `Item IDs to add, up to ${limits.watchlistItemsMax}, or one string with IDs separated by ` +
          "newlines or commas.",
      ),
    ),
  ),
  remove: v.optional(
    v.pipe(
      idList("remove"),
      v.metadata({ maxItems: limits.watchlistItemsMax }),
      v.description("Item IDs to remove, in the same format as `add`."),
    ),
  ),
});
export type ItemChangeBody = v.InferOutput<typeof itemChangeBody>;

/** Item IDs to add and to remove: valid, unique and sorted. An ID may occur in both. */
export interface ItemChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/**
 * Checks and normalises the item IDs of a change. One invalid ID refuses the whole change.
 * @throws 400 that names the missing or invalid parameter
 */
export function parseItemChange(platform: Platform, body: ItemChangeBody): ItemChange {
  if (body.add === undefined && body.remove === undefined) {
    throw missingParam("add", "Send 'add', 'remove' or both.");
  }
  const change = {
    add: idsOf(platform, body.add, "add"),
    remove: idsOf(platform, body.remove, "remove"),
  };
  if (change.add.length === 0 && change.remove.length === 0) {
    const param = body.add === undefined ? "remove" : "add";
    throw invalidParam(param, `'${param}' is empty. Send at least one item ID.`);
  }
  return change;
}

function idsOf(platform: Platform, raw: readonly string[] = [], param: string): string[] {
  const ids = parseItemIds(platform, raw, param);
  if (ids.length > limits.watchlistItemsMax) {
    throw invalidParam(
      param,
      `'${param}' must have at most ${limits.watchlistItemsMax} IDs (got ${ids.length}).`,
    );
  }
  return ids.sort(compareIds);
}
