import { accountOperations } from "./operations/account.ts";
import { eventOperations } from "./operations/events.ts";
import { exportOperations } from "./operations/export.ts";
import { itemOperations } from "./operations/items.ts";
import { metaOperations } from "./operations/meta.ts";
import { platformOperations } from "./operations/platforms.ts";
import { watchlistPreviewOperations } from "./operations/watchlist-preview.ts";
import { watchlistOperations } from "./operations/watchlists.ts";
import { webhookDeliveryOperations } from "./operations/webhook-deliveries.ts";
import { webhookOperations } from "./operations/webhook-endpoints.ts";

/** Every operation of the API, by route key. */
export const operations = {
  ...itemOperations,
  ...platformOperations,
  ...watchlistOperations,
  ...watchlistPreviewOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
  ...eventOperations,
  ...exportOperations,
  ...accountOperations,
  ...metaOperations,
};
