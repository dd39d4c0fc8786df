import type { Watchlist } from "../../api/resources.ts";
import { Badge, StateBadge } from "../../ui/badge.tsx";

/** Shows the status of a watchlist, and whether it is paused for lack of credits. */
export function ListState({ list }: { readonly list: Watchlist }) {
  if (list.status === "paused" && list.paused_reason === "insufficient_credits") {
    return <Badge tone="bad">paused: no credits</Badge>;
  }
  return <StateBadge state={list.status} />;
}
