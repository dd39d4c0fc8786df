import type { Watchlist } from "../../api/resources.ts";
import { Badge, StateBadge } from "../../ui/badge.tsx";

/** Whether a list runs by itself, and if not, why. */
export function ListState({ list }: { readonly list: Watchlist }) {
  if (list.status === "paused" && list.paused_reason === "insufficient_credits") {
    return <Badge tone="bad">paused: no credits</Badge>;
  }
  return <StateBadge state={list.status} />;
}
