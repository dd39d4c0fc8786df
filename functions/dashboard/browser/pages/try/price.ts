import type { Platform } from "../../api/resources.ts";
import { formatCount, formatCredits } from "../../format/numbers.ts";
import { idReader } from "../watchlists/read-ids.ts";
import { type CallId, type Draft, endpointOf, idsIn, isItemCall, offersIn } from "./calls.ts";

/**
 * Returns the price of a call as a label: `Free.` for a call that reads no items, otherwise the
 * maximum cost of the draft's items. If the draft contains no items, the label is the price per
 * item (`1 to 4 credits`). Returns an empty string if `platform` is undefined or does not support
 * the call or the draft's tier.
 */
export function priceNote(call: CallId, draft: Draft, platform: Platform | undefined): string {
  if (!isItemCall(call)) return "Free.";
  const tiers = endpointOf(platform, call)?.tiers ?? [];
  const tier = call === "products" ? tiers.filter(({ id }) => id === draft.tier) : tiers;
  const rates = tier.map(({ credits_per_item: rate }) => rate);
  const most = Math.max(...rates);
  const count = countOf(call, draft, platform);
  if (rates.length === 0) return "";
  if (count === 0) return `${range(rates)} per item.`;
  const items = `${formatCount(count)} ${call === "offer_check" ? "offer" : "item"}${count === 1 ? "" : "s"}`;
  return `${items}, at most ${formatCredits(Math.ceil(count * most))}. Unavailable items are refunded.`;
}

/**
 * Returns the number of distinct items or offers in the draft. The service charges each of them
 * once, even if its ID is repeated in another spelling.
 */
function countOf(call: CallId, draft: Draft, platform: Platform | undefined): number {
  const { id_pattern: pattern = null, id_name: name = "ID" } = platform ?? {};
  const reader = pattern === null ? undefined : idReader(pattern, name);
  const idOf = (text: string): string => reader?.idIn(text) ?? text;
  const found =
    call === "offer_check"
      ? offersIn(draft.offers).map(({ asin, ...offer }) => JSON.stringify([idOf(asin), offer]))
      : idsIn(draft.ids).map(idOf);
  return new Set(found).size;
}

function range(rates: readonly number[]): string {
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  const words = `${most} ${most === 1 ? "credit" : "credits"}`;
  return least === most ? words : `${least} to ${words}`;
}
