/**
 * Descriptions of fields whose schema has none. The key `owner.field` applies to the fields of one
 * owner: the field that has the object, otherwise the component or the operation. A key can have
 * several owners, separated by `|`. The key `field` applies to every field of this name in the
 * document. Use it only if the field has the same meaning everywhere.
 */
const descriptions: Readonly<Record<string, string>> = {
  "S3Destination.access_key_id":
    "ID of the access key with which the service writes. Null if the service assumes a role.",
  "S3DestinationUpdate|S3DestinationWithAccessKey.access_key_id":
    "ID of the access key with which the service writes.",
  active: "Number of items that were read and are not delisted.",
  "route_states.cooldown_until":
    "Time until which the cooldown of the route holds matches back. Null if the route has no cooldown, or the cooldown is over.",
  "WatchlistItem.added_at": "When the item was added to the watchlist.",
  after: "Value after the change. Null if the source reported no value.",
  amount: "The price, in `currency`.",
  "OfferCheckResult|ids|offers.asin": "Item ID of the listing to which the offer belongs.",
  "next_tier.at_lifetime_credits": "Minimum lifetime credits of the tier.",
  "data.attempt_count": "Number of attempts to export the run so far.",
  "retailer_a.attributes": "Attributes of the product as the product page names them. `full` only.",
  "S3Destination.auth": "How the service signs in to the store: with an access key or a role.",
  "Account.auto_topup": "Automatic purchase of credits. Null if it was never set up.",
  "Offer.availability": "Text of the retailer about the stock of the offer.",
  "ProductResult.availability":
    "Whether the item can be ordered, and the text of the retailer about it.",
  before: "Value before the change. Null if the source reported no value.",
  brand: "Brand of the product.",
  bucket: "Name of the bucket that receives the event objects.",
  "fulfillment.byPlatform": "True if the retailer ships the item itself.",
  category: "Category of the product as the retailer names it.",
  changed_at: "When the service read the new values.",
  "changes.changes": "Changed fields by name, each with its value before and after.",
  "data.changes": "The changed items of this part.",
  "listChanges|listWatchlistChanges.data": "The changes.",
  "getWatchlistItemHistory.data": "The points of the item's history.",
  "retailer_b.clearance": "True if the item is on clearance.",
  "marketplaces.code": "Code of the marketplace, the value of `marketplace` in calls.",
  "retailer_b.color": "Color of the variant.",
  "Account.concurrency": "How many item calls may run at the same time.",
  "next_tier.concurrency": "Maximum number of concurrent item calls in the tier.",
  "buybox|retailer_b|retailer_d.condition": "Condition of the item, such as new or refurbished.",
  "WatchlistItem.consecutive_failures":
    "Number of reads in a row that returned `partial` or `unavailable`.",
  "Account|ApiKey|S3Destination|Watchlist|WebhookEndpoint|createApiKey|createWebhookEndpoint|rotateWebhookSecret.created_at":
    "When the resource was created.",
  "CreditTransaction.created_at": "When the entry was recorded.",
  "ProductChangedEvent|ProductDelistedEvent|ProductMatchedEvent|RunCompletedEvent.created_at":
    "When the run made the event.",
  "WebhookTestEvent.created_at": "When the test was sent.",
  "steps.credits": "Credits charged for the reads of the step.",
  "data.credits_per_call": "Announced price of a call in credits.",
  "tiers.credits_per_item": "Price of an item in credits.",
  "Account.credits_spent": "Credits charged since the account was created.",
  "CronSchedule.cron":
    "The cron expression: minute, hour, day of the month, month, day of the week.",
  "data.currency": "ISO 4217 code of the currency of all prices in the event.",
  "ProductChangedEvent.data": "The run and its changed items.",
  "ProductDelistedEvent.data": "The run and its delisted items.",
  "ProductMatchedEvent.data": "The run and its matched items.",
  "RunCompletedEvent.data": "The run.",
  "WebhookTestEvent.data": "Content of the test.",
  "listApiKeys|listCreditTransactions|listPlatforms|listS3Exports|listStructuredEndpoints|listWatchlistItems|listWatchlistRuns|listWatchlists|listWebhookDeliveries|listWebhookEndpointDeliveries|listWebhookEndpoints|searchItems.data":
    "The entries.",
  "daily.date": "The day in UTC.",
  "Usage.days": "Number of days that the response covers.",
  "Platform.default_marketplace": "Marketplace of calls that send none.",
  default_pipeline: "True if the watchlist uses the default pipeline of its platform.",
  deleted: "Always true: the resource is deleted.",
  "asins_by_state|items_by_state.delisted": "Number of delisted items.",
  "stats.delisted": "Number of items that the run found to be delisted.",
  "WatchlistItem.delisted_at":
    "When a source reported that the item no longer exists. Null if the item is not delisted.",
  "products.delisted_at": "When a source reported that the item no longer exists.",
  "Offer.delivery": "Delivery text of the retailer for the offer.",
  "WebhookEndpoint|createWebhookEndpoint|rotateWebhookSecret|updateWebhookEndpoint.description":
    "Your own note about the endpoint.",
  "scrapers.description": "What the scraper reads.",
  "templates.description": "What the pipeline does.",
  "products.detected_by": "Tier of the scraper that found the item to be delisted.",
  "retailer_a.displayCategory": "Category of the product as the retailer shows it.",
  duration_ms: "Duration in milliseconds.",
  "Account.email": "E-mail address of the account's owner.",
  "S3Destination|S3DestinationUpdate|S3DestinationWithAccessKey|S3DestinationWithRole|WebhookEndpoint|createWebhookEndpoint|rotateWebhookSecret.enabled":
    "False: the service sends nothing until you enable it.",
  "auto_topup.enabled": "True if the service buys credits automatically.",
  endpoint_id: "ID of the webhook endpoint.",
  "Platform.endpoints": "Calls that read items of the platform.",
  "Error.error": "What went wrong.",
  event_id: "ID of the delivered event; begins with evt_.",
  event_type: "Type of the delivered event, such as `watchlist.run.completed`.",
  "EverySchedule.every": "Time between the starts of two runs, such as 15m, 1h or 1d.",
  "EverySchedule.every_seconds": "Seconds between the starts of two runs.",
  "Watchlist.every_seconds":
    "Seconds between the starts of two runs. Null if the watchlist has a cron.",
  "OfferCheckResult|OffersResult.fetchedAt": "When the source read the data.",
  "scrapers.fields": "Fields that the scraper returns and that routes can test.",
  finished_at: "When the run or the export ended. Null while it is in progress.",
  "WatchlistItem.first_read_at":
    "When the item was read for the first time. Null if it was never read.",
  force_path_style: "True: the bucket is in the path of the URL instead of the host name.",
  "delivery.free": "True if the delivery is free.",
  "shipping.freeOverThreshold":
    "True if shipping is free from an order value that the retailer sets.",
  "fulfillment.fulfillerName": "Who ships the offer.",
  "Offer.fulfillment": "Who ships the offer.",
  "ProductResult.fulfillment": "Who ships the item. Null if not stated.",
  "OffersResult.id": "Item ID of the listing.",
  "WatchlistItem|changes|products.id": "Item ID of the platform.",
  "api_key.id": "ID of the key.",
  "data.id": "Name of the endpoint: platform and kind.",
  "deleteWatchlist|deleteWebhookEndpoint|revokeApiKey.id": "ID of the deleted resource.",
  "endpoints.id": "Name of the call in the platform catalog.",
  "merchant.id": "ID of the merchant on the platform.",
  "seller.id": "ID of the seller on the platform.",
  "templates.id": "ID of the template.",
  "tiers.id": "Value of `tier` in calls.",
  "watchlist.id": "ID of the watchlist; begins with wl_.",
  "ProductResult.images": "URLs of product images, the main one first.",
  "availability.inStock": "True if the item can be ordered now.",
  "estimateWatchlist|estimated_credits.items":
    "Number of items for which the credits are estimated.",
  items_by_state: "Number of items in each state.",
  "data.kind": "Kind of page that the endpoint reads.",
  last_attempt_at: "When the last attempt ended. Null if there was none yet.",
  "WatchlistItem.last_read_status": "Result of the last read. Null if the item was not read yet.",
  "Watchlist.last_run_at": "When the last run started. Null if there was no run yet.",
  "Watchlist.last_run_status":
    "Status of the last run. Null if there was no run yet. While it is `held`, no other run " +
    "starts: release or discard the run.",
  "products.last_snapshot": "Values of the last complete read. Null if there was none.",
  "S3Destination.last_success_at":
    "When an export or a test last succeeded. Null if none succeeded.",
  listPrice: "List price before discounts. Null if none is shown.",
  "Watchlist|checkOffers|data|estimateWatchlist|listScrapers|readItemOffers|readOffers|readProducts|readSandboxProducts|watchlist.marketplace":
    "Country edition of the platform, such as us.",
  "Platform.marketplaces": "Country editions of the platform.",
  "stats.matched": "Number of items that matched a route with `notify`.",
  "products.matched_at": "When the service read the values that matched.",
  "tiers.max_items_per_call": "Maximum number of items in one call.",
  "parameters.maximum": "Maximum value.",
  "retailer_b.maxPerOrder": "Maximum quantity in one order.",
  "availability|delivery.message": "Text of the retailer, in the language of the marketplace.",
  "data.message": "Fixed text of the test.",
  "data.methods": "HTTP methods that the endpoint accepts.",
  "parameters.minimum": "Minimum value.",
  "retailer_b.modelNumber": "Model number of the manufacturer.",
  "Account.name": "Name of the account.",
  "ApiKey|api_key|createApiKey.name": "Name that you gave to the key.",
  "Platform.name": "Display name of the platform.",
  "Watchlist|watchlist.name": "Name of the watchlist.",
  "attributes.name": "Name of the attribute.",
  "endpoints.name": "Display name of the call.",
  "fields.name": "Name of the field.",
  "fulfillment.name": "Name of the company that ships the item.",
  "marketplaces.name": "Display name of the marketplace.",
  "merchant.name": "Name of the merchant.",
  "parameters.name": "Name of the parameter.",
  "scrapers.name": "Display name of the scraper.",
  "seller.name": "Name of the seller.",
  "templates.name": "Display name of the template.",
  "tiers.name": "Display name of the tier.",
  new: "Number of items without a first read.",
  "stats.new_items": "Number of items without a first read when the run started.",
  "estimated_credits.newAsins": "Credits of the first read of every item.",
  next_attempt_at: "When the service tries again. Null if no further attempt is planned.",
  "watchlist.next_run_at": "When the next run is due. Null while the watchlist is paused.",
  "steps.not_found": "Number of items that do not exist on the platform. Charged.",
  "changeWatchlistAsins|changeWatchlistItems.object": "Type of the object.",
  "retailer_b.offerId": "ID of the featured offer at the retailer. Null if none is featured.",
  "OfferCheckResult.offerListingId": "ID of the offer, as the service returned it.",
  "steps.ok": "Number of items that were read completely. Charged.",
  "testS3Destination.ok": "True if the test object was written and deleted.",
  "retailer_b.onlineAvailable": "True if the item can be ordered online.",
  "auto_topup.pack_id": "Credit pack that the service buys.",
  "data.parameters": "Parameters of the endpoint.",
  "retailer_b.parentId": "ID of the listing that groups the variants.",
  "steps.partial": "Number of items that were read without some fields. Refunded.",
  "data.parts": "Number of events of this type in the run.",
  "data.path": "Path of the endpoint.",
  paused_reason:
    "Why the watchlist is paused: by you, or for lack of credits. Null while it is active.",
  "Backtest|Watchlist|estimateWatchlist|previewWatchlist|templates.pipeline":
    "Steps of a run, each with its routes.",
  "Watchlist|checkOffers|data|estimateWatchlist|listScrapers|readItemOffers|readOffers|readProducts|readSandboxProducts|scrapers|watchlist.platform":
    "Retailer whose items are read, such as retailer_a.",
  "S3DestinationUpdate|S3DestinationWithAccessKey|S3DestinationWithRole.prefix":
    "Prefix of every object key.",
  "api_key.scopes": "What calls with the key may do.",
  "createApiKey.scopes":
    "What calls with the key may do. The default is all three. A key can create only keys with its own scopes.",
  "api_key.prefix": "First characters of the key, by which you recognize it.",
  "retailer_b.preOrder": "True if the item can be pre-ordered.",
  "Offer.priceDisplay": "The price as the retailer shows it.",
  "data.products": "The items of this part.",
  "estimated_credits.pulseRun": "Credits of an ordinary run.",
  "retailer_d.purchasable": "True if the item can be bought online now.",
  "retailer_a|retailer_b.rating": "Average customer rating.",
  "seller.rating": "Average rating of the seller.",
  "seller.ratingCount": "Number of ratings of the seller.",
  "brake.max_changed_percent":
    "A run is held if more than this percentage of the items that it read changed or were delisted.",
  "brake.min_items": "A run that read fewer items than this is never held.",
  "brake.status": "What was decided about the run: `held` until it is released or discarded.",
  "brake.decided_at": "Time of the release or discard. Null while the run is held.",
  "estimated_credits.refreshRun": "Credits of a refresh run.",
  region: "AWS region of the bucket.",
  "changeWatchlistAsins|changeWatchlistItems.removed":
    "Number of items that were removed from the watchlist.",
  "steps.requested": "Number of items that the step read, including failed reads.",
  "parameters.required": "True if a call must send the parameter.",
  "ProductResult.retailer_b": "Further fields of items of retailer_b.",
  "ProductResult.retailer_c": "Further fields of items of retailer_c.",
  "ProductResult.retailer_d": "Further fields of items of retailer_d.",
  reviewsCount: "Number of customer reviews.",
  "S3Destination.role_arn":
    "ARN of the role that the service assumes. Null if it uses an access key.",
  routes: "What happens to an item after the read: further steps, and events.",
  "Watchlist.run_count": "Number of runs so far.",
  "data|last_change.run_id": "ID of the run; begins with wlrun_.",
  "WatchlistRun|data|getWatchlistRun|last_change.run_number":
    "Number of the run in its watchlist: 1, 2, 3 ...",
  "Watchlist|previewSchedule.schedule": "When the watchlist runs.",
  "changes|last_change|products|steps.scraper":
    "Scraper that read the items, such as retailer_a.lite.",
  "Offer.seller": "Seller of the offer.",
  "ProductResult.seller": "Seller of the featured offer. Null if not stated.",
  "retailer_b.shipping": "Shipping of online orders.",
  "backfillS3Destination|recoverWebhookDeliveries.since": "Start of the period.",
  "steps.skipped":
    "Number of items that were due for the step but were not read, such as items removed since the start.",
  "WatchlistItem.snapshot": "Values of the last complete read, by field. Null if there was none.",
  "changes.snapshot": "All values after the change, by field.",
  "WatchlistItem.last_read_at":
    "When a run last read the item successfully: the end of that run, or `snapshot_at` if that time is later. Null if no read was successful.",
  "WatchlistItem.snapshot_at":
    "Since when the item has had the values of the snapshot. Null if there is no snapshot.",
  "shipping.standard": "Price of standard shipping.",
  started_at: "When the run started.",
  "WatchlistItem.state":
    "`new`: not read yet. `active`: read. `delisted`: no longer read, because it does not exist.",
  "WatchlistRun|data|getWatchlistRun.stats": "What the run read and found, in numbers of items.",
  "checkOffers|readItemOffers|readOffers|readProducts|readSandboxProducts.stats":
    "Number of items by result.",
  "OfferCheckResult.status": "`ok` is charged, `unavailable` is refunded.",
  "OffersResult.status": "`ok` and `not_found` are charged, `unavailable` is refunded.",
  "Watchlist|watchlist.status": "`active`: runs on its schedule. `paused`: does not run.",
  "WatchlistRun|data|getWatchlistRun.status":
    "`running`: in progress. `completed`: read what the credits covered. `insufficient_credits`: " +
    "skipped, nothing was read. `failed`: ended by an error. " +
    "`held`: too many items changed or were delisted, and the run waits for its release or discard.",
  "attempts.status": "HTTP status of the response. Null if there was no response.",
  "products.status": "Result of the read: ok, partial, not_found or unavailable.",
  "changes|products.step": "ID of the pipeline step that read the item.",
  "blocked_steps.step": "ID of the step whose items the limit leaves out.",
  "blocked_steps.limit": "The setting that leaves too few credits for the step.",
  "NewPipeline|Pipeline.steps": "The reads of a run. Routes connect them.",
  successful: "Number of calls and steps that did not fail.",
  "retailer_b.thirdPartySeller": "True if another company sells the item on the platform.",
  "ReadRetailerAProducts|ReadRetailerAProductsByAsin|changes|last_change|readProducts|readSandboxProducts|scrapers.tier":
    "How much of each item is read: pulse, lite, full or standard.",
  "endpoints.tiers": "Levels of detail of the call. Empty: it has one price.",
  "CronSchedule.timezone": "IANA time zone of the cron.",
  "ProductResult.title": "Title of the product.",
  "Usage.totals": "Sums of all days.",
  "stats.tracked": "Number of items on the watchlist that were not delisted when the run started.",
  "shipping.twoDayEligible": "True if two-day shipping is available.",
  "parameters.type": "Type of the value.",
  "steps.unavailable": "Number of items whose read failed. Refunded.",
  "backfillS3Destination|recoverWebhookDeliveries.until": "End of the period.",
  "retailer_b.upc": "Universal Product Code.",
  "S3Destination|Watchlist|WebhookEndpoint|createWebhookEndpoint|rotateWebhookSecret.updated_at":
    "When the resource was last changed.",
  "attributes.value": "Value of the attribute.",
  "products.values": "Values of the item when it matched, by field.",
  "WatchlistRun|changeWatchlistAsins|changeWatchlistItems|data|getWatchlistRun.watchlist_id":
    "ID of the watchlist; begins with wl_.",
  "data.watchlist_name": "Name of the watchlist when the run ended.",
};

/** The descriptions by `owner.field`, or by `field` alone. */
export const fieldDescriptions: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(descriptions).flatMap(([key, description]): [string, string][] => {
    const [owners = "", field] = key.split(".");
    if (field === undefined) return [[key, description]];
    return owners.split("|").map((owner) => [`${owner}.${field}`, description]);
  }),
);
