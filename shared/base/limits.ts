/**
 * All limits of the service. The specification, section "Limits", defines those that clients see.
 */
export const limits = {
  /** Maximum number of calls that one API key may make in a second. */
  requestsPerSecond: 50,
  bodyBytesMax: 2 * 1024 * 1024,
  /** Maximum number of IDs in one product call, by platform and, on `retailer_a`, by tier. */
  productIdsMax: {
    retailer_a: { pulse: 10_000, lite: 2_000, full: 2_000 },
    retailer_b: 100,
    retailer_c: 1_000,
    retailer_d: 1_000,
  },
  offersIdsMax: 100,
  offersPerListingMax: 31,
  offerChecksMax: 2_000,
  /**
   * Maximum length of an offer's ID, in characters. IDs of the retailer have about 200 characters,
   * and IDs that a source generates have about 300.
   */
  offerListingIdLengthMax: 1_000,
  watchlistItemsMax: 50_000,
  watchlistsMax: 100,
  watchlistNameLengthMax: 100,
  watchlistEverySecondsMin: 5 * 60,
  watchlistEverySecondsMax: 7 * 24 * 60 * 60,
  /** Limits of the labels and metadata that a client sets for an item of a watchlist. */
  itemLabels: {
    labelLengthMax: 100,
    metadataKeysMax: 10,
    metadataKeyLengthMax: 40,
    metadataValueLengthMax: 200,
    /**
     * Maximum size of an item's metadata, in bytes of JSON in UTF-8. It keeps a list of 1,000 items
     * below 6 MB, the maximum that a function can return.
     */
    metadataBytesMax: 3_000,
  },
  /**
   * Maximum lengths of the strings that a source returns about a product, in characters. Longer
   * strings are truncated or omitted, so that stored pages stay small.
   */
  productFacts: { titleLengthMax: 300, urlLengthMax: 1_000, sellerNameLengthMax: 100 },
  pipeline: {
    stepsMax: 10,
    routesMax: 8,
    stepIdLengthMax: 64,
    valueLengthMax: 200,
    /** Maximum absolute value of a number with which a rule may compare. */
    valueMax: 1e12,
    /** Minimum absolute value of a number other than 0 with which a rule may compare. */
    valueMin: 1e-9,
    /** Minimum of `pipeline.refresh.every_runs`. 0 disables refreshes in `refresh_every_runs` only. */
    refreshEveryRunsMin: 1,
    /** Maximum of `pipeline.refresh.every_runs` and of the setting `refresh_every_runs`. */
    refreshEveryRunsMax: 1_000,
    /** Maximum number of tests in `where`. */
    whereMax: 5,
    confirmMin: 2,
    confirmMax: 10,
    cooldownSecondsMin: 5 * 60,
    cooldownSecondsMax: 30 * 24 * 60 * 60,
  },
  /** Minimum number of items with a changed shape that make a run suspicious. */
  shapeItemsMin: 20,
  /**
   * Maximum number of items in one part. A part is one of the events that report the items of a
   * run.
   */
  itemEventsMax: 500,
  /** Number of consecutive skips after which the service pauses a watchlist. */
  consecutiveSkipsMax: 3,
  webhookEndpointsMax: 10,
  webhookDescriptionLengthMax: 120,
  /**
   * Days for which the last URL of a deleted endpoint is stored, for the watchlists that use the
   * endpoint. Each run copies the URL to its watchlist. A cron schedule may run only once a year,
   * so the URL must be stored for longer than a year.
   */
  deletedEndpointDays: 400,
  /**
   * An account may start at most `max` probes in any period of `seconds`. No probe waits longer
   * than `seconds` for a receiver or store, so `max` also limits the probes in progress. An account
   * can register and test all of its webhook endpoints within one minute.
   */
  probes: { max: 5, seconds: 15 },
  /**
   * Days without a successful delivery after which an endpoint is disabled. The service disables
   * the endpoint when a delivery exhausts its retries.
   */
  webhookFailingDaysMax: 5,
  /**
   * Number of consecutive failed attempts after which the API reports an endpoint or an S3
   * destination as failing.
   */
  failuresUntilFailing: 3,
  /**
   * Maximum number of concurrent requests to a webhook endpoint. `max` is the highest value that an
   * operator can set for an endpoint. At 200 ms per response, `max` requests already cause more
   * deliveries a second than the delivery log can store.
   */
  webhookRequestsAtOnce: { default: 4, max: 128 },
  /** Seconds after a rotation during which deliveries are signed with both secrets. */
  secretOverlapSeconds: 24 * 60 * 60,
  eventRetentionDays: 30,
  /**
   * Days for which event bodies are stored. This is longer than `eventRetentionDays`, so that every
   * listed event has its body.
   */
  eventBodyDays: 35,
  /** Maximum number of items in one stored page. A larger page is split. */
  pageItemsMax: 1_000,
  /** Maximum size of the items of a stored page, in bytes. DynamoDB limits a row to 400 KB. */
  pageBytesMax: 256 * 1024,
  /**
   * Maximum size of the items in the second row of a page, divided by the size of the items in the
   * page's own row. A smaller share writes whole pages more often. With a larger share, each write
   * of changed items costs more.
   */
  pageSecondRowShareMax: 0.3,
  /**
   * Lower bound of the size limit of a second row, in bytes. It applies to small pages. DynamoDB
   * charges a row of up to 1 KB like one of 1 KB, and the other attributes need some of it.
   */
  pageSecondRowBytesMin: 800,
  /** Maximum total number of items of two neighboring pages that are merged. */
  pageMergeItemsMax: 500,
  /** Maximum number of IDs in one batch of a step, and therefore in one step message. */
  batchIdsMax: 1_000,
  /**
   * Client timeouts that the documentation recommends, in seconds (specification, section
   * "Limits").
   */
  clientSeconds: { products: 300, offers: 180, offerCheck: 120 },
  /**
   * Maximum reading time of a call, in seconds. When it ends, the call returns the items that it
   * has read.
   */
  callDeadlineSeconds: 280,
  /** Maximum reading time of an offers call in seconds, below its client timeout. */
  offersDeadlineSeconds: 170,
  /** Maximum reading time of an offer check in seconds, below its client timeout. */
  offerCheckDeadlineSeconds: 110,
  /**
   * Maximum reading time of a step batch, in seconds. When it ends, items without an answer become
   * `unavailable`.
   */
  stepDeadlineSeconds: 120,
  /**
   * Seconds after which API Gateway stops waiting for a response, by response mode. A regional
   * endpoint closes a stream after 300 seconds without a byte, and a function sends no byte before
   * its response is complete.
   */
  gatewaySeconds: { buffered: 29, streamed: 300 },
  /**
   * Time limits for requests to the service's dependencies (DynamoDB, SQS, Scheduler, KMS, S3, STS,
   * SSM and Secrets Manager), in milliseconds. A client must get a response within 10 seconds if a
   * dependency does not respond. The slowest call waits `callLossMs` in total, and then `cancelMs`
   * to release its hold or `wakeUpMs` to send a message.
   */
  dependencies: {
    /**
     * Maximum time to connect. Within a region, a connection takes milliseconds, or about a second
     * if a packet is lost.
     */
    connectMs: 1_000,
    /**
     * Maximum time to connect to STS. The service calls STS in the region of the customer's bucket,
     * which may be on another continent.
     */
    farConnectMs: 2_000,
    /**
     * Maximum duration of one attempt. DynamoDB and SQS nearly always respond within 0.1 seconds. A
     * much shorter limit would repeat writes that take effect late, and would fail every call while
     * a store is slow. This limit leaves time for a second attempt at another host.
     */
    attemptMs: 4_000,
    /** Maximum duration of an attempt that transfers an event body of several megabytes. */
    bodyAttemptMs: 10_000,
    /** Maximum number of SDK attempts for one request, including the first. */
    attemptsMax: 3,
    /** Maximum time that an API call may lose to failed requests, before it returns 503. */
    callLossMs: 7_000,
    /**
     * Maximum time that a call may lose to failed requests while it settles or releases its
     * credits.
     */
    settleLossMs: 5_000,
    /**
     * The 99th percentile of the duration of one ledger request, measured while an account has many
     * concurrent calls.
     */
    ledgerRequestMs: 600,
    /**
     * Maximum number of ledger requests that settling a call needs after the last failed request.
     */
    settleRequestsMax: 5,
    /**
     * Time reserved after a call's last read to settle its credits. At least `settleLossMs` +
     * (`settleRequestsMax` - 1) × `ledgerRequestMs`, because `settleLossMs` includes the first
     * request.
     */
    settleMs: 7_500,
    /**
     * Time reserved to release the hold of a call whose settlement timed out: in the ledger, or
     * otherwise by a message to a worker.
     */
    cancelMs: 1_500,
    /**
     * Maximum time that the sending of a wake-up message, or a cleanup, may lose to failed
     * requests. The sweeper repeats the work if it fails.
     */
    wakeUpMs: 1_500,
    /**
     * Maximum time that a queue message, or a part of a sweeper pass, may lose to failed requests
     * before it fails and is repeated later.
     */
    workerLossMs: 20_000,
    /** Time reserved at the end of a worker's invocation for work without requests. */
    workerSpareMs: 5_000,
    /** Time to serialize, compress and send the largest response. */
    sendMs: 500,
    /** Time reserved at the end of a call for `cancelMs` and `sendMs`. */
    answerSpareMs: 2_000,
  },
  /** Number of the newest runs of a watchlist that are stored. History points are stored longer. */
  runHistoryMax: 500,
  /** Maximum length of the reason that a client gives for a discard, in characters. */
  discardReasonMax: 500,
  /** Days for which the observed changes of watchlist items are kept. */
  historyDays: 400,
  /**
   * Number of consecutive runs whose history is merged into one window. Stored keys contain the
   * number of the window, so this value must never change.
   */
  historyWindowRuns: 64,
  /**
   * Maximum number of items of a batch for which a run calculates derived fields from the history.
   * Reading the history of one item takes up to 45 ms.
   */
  tracedItemsMax: 100,
  backtest: {
    /**
     * Limits of a back-test that the API function makes during the call. A back-test that exceeds
     * one of them becomes a job.
     */
    call: {
      /** Maximum number of item reads that a back-test repeats. */
      readsMax: 50_000,
      /** Maximum number of history points that are read. Reading this many takes about 3 s. */
      pointsMax: 100_000,
      /** Maximum number of items whose earlier prices are read. */
      tracedItemsMax: 100,
    },
    /** Limits of a back-test that runs as a job. They are enough for 500 runs of 50,000 items. */
    job: { readsMax: 25_000_000, pointsMax: 1_000_000, tracedItemsMax: 5_000 },
    /** Maximum number of samples of events in the result. */
    samplesMax: 10,
    /** Hours after which a job that has not ended counts as failed. */
    jobHoursMax: 2,
    /** Days for which a job and its result are stored. */
    jobDays: 7,
  },
  /** Maximum number of items that a preview of a pipeline reads. */
  previewItemsMax: 10,
  /**
   * Maximum number of history points that a list of changes compares to sort the changes by size.
   */
  comparedPointsMax: 500_000,
  /**
   * Maximum run number. With a run every five minutes, a watchlist would reach it after 9,000
   * years.
   */
  runNumberMax: 999_999_999,
  /** Maximum number of queue messages in a chain in which each message causes the next. */
  messageHopsMax: 24,
  /** Number of start times that a preview of a schedule lists. */
  schedulePreview: { default: 5, max: 100 },
  /** Number of entries on one page of each list: the default and the maximum of `limit`. */
  pagination: {
    watchlists: { default: 100, max: 100 },
    items: { default: 100, max: 1_000 },
    foundItems: { default: 20, max: 5_000 },
    runs: { default: 20, max: 100 },
    heldChanges: { default: 20, max: 1_000 },
    itemHistory: { default: 100, max: 1_000 },
    changes: { default: 100, max: 1_000 },
    creditTransactions: { default: 100, max: 100 },
    deliveries: { default: 50, max: 100 },
    exports: { default: 50, max: 100 },
    events: { default: 100, max: 100 },
  },
  /** Credits that a new account gets. */
  signupCredits: 5_000,
  apiKeysMax: 20,
  apiKeyNameLengthMax: 100,
  usageDays: { default: 30, max: 90 },
} as const;

/**
 * Concurrency tiers, ascending: the number of concurrent item calls that an account may make, by
 * its lifetime credits.
 */
export const concurrencyTiers = [
  { atLifetimeCredits: 0, concurrency: 5 },
  { atLifetimeCredits: 25_000, concurrency: 20 },
  { atLifetimeCredits: 500_000, concurrency: 50 },
  { atLifetimeCredits: 2_000_000, concurrency: 100 },
  { atLifetimeCredits: 10_000_000, concurrency: 250 },
] as const;
