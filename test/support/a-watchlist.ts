import { defaultSettings, noLimits } from "../../shared/watchlists/settings.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";

/**
 * Builds a watchlist of `retailer_d` whose item counts are those of one new item. Its first run is
 * due at its creation, and the later runs follow every hour.
 */
export function aWatchlist(overrides: Partial<Watchlist> = {}): Watchlist {
  const at = "2026-03-01T00:00:00.000Z";
  return {
    id: "wl_0123456789abcdefghjkmnpq",
    accountId: "acct_1",
    name: "List",
    platform: "retailer_d",
    marketplace: "us",
    status: "active",
    pausedReason: null,
    schedule: { type: "every", every: "1h", everySeconds: 3_600 },
    pipeline: null,
    ...defaultSettings,
    ...noLimits,
    webhookEndpointId: null,
    webhookUrl: null,
    itemCounts: { new: 1, active: 0, delisted: 0 },
    runCount: 0,
    consecutiveSkips: 0,
    refreshDue: false,
    overlaps: 0,
    runningRun: null,
    lastRunAt: null,
    lastRunStatus: null,
    nextRunAt: at,
    revision: 1,
    createdAt: at,
    updatedAt: at,
    ...overrides,
  };
}
