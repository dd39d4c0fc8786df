import { afterChange } from "../../shared/base/after-change.ts";
import { changeByOutcome, type Reading } from "../../shared/runs/apply-outcome.ts";
import type { ItemOutcome } from "../../shared/runs/item-outcome.ts";
import type { Item } from "../../shared/watchlists/item.ts";

/**
 * Returns an item as it is after the outcome of a read: the result of `changeByOutcome`, or the
 * item itself if the outcome has no effect.
 */
export const applyOutcome = (item: Item, outcome: ItemOutcome, reading: Reading): Item =>
  afterChange(item, changeByOutcome(item, outcome, reading));
